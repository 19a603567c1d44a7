package io.baton.cli.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A network of the kernel's own: each member in a namespace with an address of its own, all of them
 * on one bridge. What is blocked is dropped by the packet filter of whom it is for, so connections
 * know nothing of it until they give up.
 *
 * <p>To be made inside a namespace of the network and of mounts that {@link #enter} makes: with its
 * last process it is all gone.
 */
public final class Namespaces implements Links {
  private static final Path NAMES = Path.of("/run/netns");
  private static final int PORT = 7_400;
  private static final int PATIENCE_SECONDS = 15;
  private static final List<String> COMMANDS = List.of("unshare", "mount", "ip", "nft");

  private final int members;

  /** Namespaces, a bridge and its cables. */
  public Namespaces(int members) throws IOException, InterruptedException {
    this.members = members;
    Files.createDirectories(NAMES);
    Shells.run("mount -t tmpfs baton " + NAMES); // hides those of the machine
    Shells.run("ip link add hub type bridge");
    Shells.run("ip link set hub up");
    for (int k = 0; k < members; k++) {
      String name = name(k);
      Shells.run("ip netns add " + name);
      Shells.run("ip link add cable" + k + " type veth peer name eth0 netns " + name);
      Shells.run("ip link set cable" + k + " master hub up");
      Shells.run("ip -n " + name + " address add " + address(k) + "/24 dev eth0");
      Shells.run("ip -n " + name + " link set eth0 up");
      Shells.run("ip -n " + name + " link set lo up");
      filter(k, "add table ip baton");
      filter(k, "add set ip baton blocked { type ipv4_addr; }");
      filter(k, "add chain ip baton arriving { type filter hook input priority 0; }");
      filter(k, "add rule ip baton arriving ip saddr @blocked drop");
    }
  }

  /** What namespaces need and is not here; empty: nothing. */
  public static List<String> missing() {
    List<String> missing = new ArrayList<>();
    try {
      if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
        missing.add("root");
      }
    } catch (IOException | UnsupportedOperationException e) {
      missing.add("Linux");
    }
    List<String> folders = List.of(System.getenv().getOrDefault("PATH", "").split(":", -1));
    for (String command : COMMANDS) {
      if (folders.stream().noneMatch(folder -> Files.isExecutable(Path.of(folder, command)))) {
        missing.add("the command " + command);
      }
    }
    return missing;
  }

  /** A command that runs another one inside a fresh namespace, which ends with it. */
  public static List<String> enter() {
    return List.of(
        "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc");
  }

  /** Ends such a command, and with it all that runs in its namespace. */
  public static void end(Process entered) throws InterruptedException {
    List<ProcessHandle> inside = entered.children().toList(); // it ends after all others in there
    if (inside.isEmpty()) {
      entered.destroyForcibly();
    }
    inside.forEach(ProcessHandle::destroy);
    if (!entered.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      inside.forEach(ProcessHandle::destroyForcibly);
      entered.waitFor();
    }
  }

  private static String name(int member) {
    return "baton" + member;
  }

  private static String address(int member) {
    return "10.77.0." + (member + 1);
  }

  private static void filter(int member, String rule) throws IOException, InterruptedException {
    Shells.run("ip netns exec " + name(member) + " nft " + rule);
  }

  @Override
  public List<Place> places() {
    return IntStream.range(0, members)
        .mapToObj(
            k -> {
              String at = address(k) + ":" + PORT;
              return new Place(at, at, List.of("ip", "netns", "exec", name(k)), Map.of());
            })
        .toList();
  }

  @Override
  public void block(int from, int to) throws IOException, InterruptedException {
    if (from != to) {
      filter(to, "add element ip baton blocked { " + address(from) + " }");
    }
  }

  @Override
  public void mend() throws IOException, InterruptedException {
    for (int k = 0; k < members; k++) {
      filter(k, "flush set ip baton blocked");
    }
  }

  @Override
  public void close() {}
}
