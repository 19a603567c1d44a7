package io.baton.cli;

import io.baton.cli.live.Clocks;
import io.baton.cli.live.Disks;
import io.baton.cli.live.Fleet;
import io.baton.cli.live.Folders;
import io.baton.cli.live.History;
import io.baton.cli.live.Links;
import io.baton.cli.live.Mischief;
import io.baton.cli.live.Mischief.Kind;
import io.baton.cli.live.Mischief.Surroundings;
import io.baton.cli.live.Namespaces;
import io.baton.cli.live.OnInterrupt;
import io.baton.cli.live.Wires;
import io.baton.simulator.BadInputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton chaos}: real processes, and everything that goes wrong with them. */
@Command(
    name = "chaos",
    description = {
      "Disturb a cluster of real processes, and check its history.",
      "",
      "Links are cut both ways and one way, a member is a bridge, links flap, messages take long;",
      "holders and leaders are killed and stopped; all are killed; members are restarted in turn; a",
      "log is torn; the plug is pulled; wall clocks jump by a day (where libfaketime is installed);",
      "disks are full (with --namespaces).",
      ""
    })
final class ChaosCommand extends Reporting {
  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "For how long, unless --only says what. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--members",
      defaultValue = "5",
      description = "How many processes, 3 to 128. Default: ${DEFAULT-VALUE}.")
  private int members;

  @Option(
      names = "--lease",
      paramLabel = "MILLIS",
      defaultValue = "1000",
      description = "The lease, in milliseconds, from 200. Default: ${DEFAULT-VALUE}.")
  private int lease;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "What is drawn by chance is drawn from it. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "KIND",
      description = "Only these, once each and in this order: ${COMPLETION-CANDIDATES}.")
  private @Nullable List<Kind> only;

  @Option(
      names = "--namespaces",
      description = {
        "As root, on Linux: each process in a network namespace and on a small disk of its own.",
        "Links are blocked by the kernel's packet filter; messages that take long are left out.",
        "Needs the commands unshare, mount, ip and nft. Leaves nothing behind."
      })
  private boolean namespaces;

  @Option(names = "--inside", hidden = true, description = "In namespaces already, for a folder.")
  private @Nullable Path inside;

  @Option(names = "--keep", description = "Leave what the processes wrote in this folder.")
  private @Nullable Path keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (members < 3 || members > 128) {
      throw new BadInputException("--members is from 3 to 128, not " + members);
    }
    if (lease < 200 || seconds < 1) {
      throw new BadInputException("--lease is at least 200 ms, --seconds at least 1");
    }
    Path folder = inside == null ? folder() : inside;
    int code = namespaces && inside == null ? enterNamespaces(folder) : run(folder);
    if (keep == null && inside == null && code == Main.HELD) {
      Folders.delete(folder);
    }
    return code;
  }

  private Path folder() throws IOException {
    if (namespaces && !Namespaces.missing().isEmpty()) {
      throw new BadInputException("--namespaces needs " + String.join(", ", Namespaces.missing()));
    }
    return Folders.fresh(keep, "baton-chaos");
  }

  private int run(Path folder) throws IOException, InterruptedException {
    Map<String, Integer> done = new LinkedHashMap<>();
    int voided;
    String stuck;
    try (Links links = namespaces ? new Namespaces(members) : new Wires(members)) {
      Clocks clocks = Clocks.in(folder).orElse(null);
      Fleet fleet = new Fleet(setup(folder, links, clocks));
      Disks disks = namespaces ? new Disks(fleet) : null;
      Surroundings surroundings = new Surroundings(links, clocks, disks);
      List<Kind> kinds = kindsIn(surroundings);
      Mischief mischief = new Mischief(fleet, surroundings, lease, seed, this::say);
      stuck =
          OnInterrupt.clean(
              () -> clean(fleet, folder), () -> disturb(fleet, mischief, kinds, done));
      voided = mischief.voided();
      if (disks != null && keep == null) {
        disks.unmount();
      }
    }
    long longestUnwon = TimeUnit.SECONDS.toNanos(20) + TimeUnit.MILLISECONDS.toNanos(10L * lease);
    return report(History.of(folder, longestUnwon), done, voided, stuck, folder);
  }

  private void clean(Fleet fleet, Path folder) throws IOException {
    fleet.close();
    if (keep == null && inside == null) {
      Folders.delete(folder);
    }
  }

  /** Runs the same command inside namespaces of its own, which end with it. */
  private int enterNamespaces(Path folder) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(Namespaces.enter());
    command.addAll(Fleet.java());
    List<String> words = spec().commandLine().getParseResult().originalArgs();
    command.add(spec().name());
    command.addAll(words.subList(words.indexOf(spec().name()) + 1, words.size()));
    command.addAll(List.of("--inside", folder.toString()));
    Process process = new ProcessBuilder(command).inheritIO().start();
    return OnInterrupt.clean(
        () -> {
          Namespaces.end(process);
          if (keep == null) {
            Folders.delete(folder);
          }
        },
        process::waitFor);
  }

  private Fleet.Setup setup(Path folder, Links links, @Nullable Clocks clocks) throws IOException {
    return new Fleet.Setup(
        folder,
        clocks == null ? links.places() : clocks.at(links.places()),
        3,
        2,
        1_000,
        true,
        Map.of(
            "lease", lease + "ms",
            "cluster", "chaos",
            "voters", "3",
            "insecure", "" + namespaces,
            "replace-voter-after", "10s"));
  }

  private List<Kind> kindsIn(Surroundings surroundings) {
    List<Kind> wished = only == null ? List.of(Kind.values()) : only;
    List<Kind> unable = wished.stream().filter(kind -> !surroundings.allow(kind)).toList();
    if (only != null && !unable.isEmpty()) {
      throw new BadInputException(unable + " cannot be done here: see baton chaos --help");
    }
    if (!unable.isEmpty()) {
      say("left out, since it cannot be done here: " + unable);
    }
    return wished.stream().filter(surroundings::allow).toList();
  }

  /** Disturbs for as long as was wished; what it came to a standstill with, or nothing. */
  private String disturb(
      Fleet fleet, Mischief mischief, List<Kind> kinds, Map<String, Integer> done)
      throws InterruptedException {
    try (fleet) {
      fleet.startAll();
      mischief.awaitAll();
      disturb(mischief, kinds, done);
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private void disturb(Mischief mischief, List<Kind> kinds, Map<String, Integer> done)
      throws IOException, InterruptedException {
    Random chance = new Random(seed);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Kind> todo = new ArrayList<>();
    boolean more = true;
    while (more) {
      if (todo.isEmpty()) {
        todo.addAll(kinds);
        if (only == null) {
          Collections.shuffle(todo, chance);
        }
      }
      Kind kind = todo.remove(0);
      mischief.perform(kind);
      mischief.awaitTurns();
      done.merge(kind.name().toLowerCase(Locale.ROOT), 1, Integer::sum);
      more = only == null ? System.nanoTime() < end : !todo.isEmpty();
    }
  }

  private void say(String line) {
    err().println(line);
    err().flush();
  }

  private int report(
      History history, Map<String, Integer> done, int voided, String stuck, Path folder) {
    List<String> violations = new ArrayList<>(history.violations());
    if (!stuck.isEmpty()) {
      violations.add(stuck);
    }
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("members", members);
    object.put("seconds", Numbers.exact(history.duration() / 1e9));
    object.put("done", done);
    object.put("voidedByStalls", voided);
    object.put("grants", history.holds().size());
    object.put("handOvers", history.handOvers());
    object.put("elections", history.elections());
    object.put("tries", history.tries());
    object.put("triesWon", history.triesWon());
    object.put("longestTrySeconds", Numbers.exact(history.longestTry() / 1e9));
    object.put("longestUnwonSeconds", Numbers.exact(history.longestUnwon() / 1e9));
    object.put("longestWaitSeconds", Numbers.exact(history.longestWait() / 1e9));
    object.put("lossesTold", history.losses());
    object.put("writes", history.writes());
    object.put("staleWritesRefused", history.stale());
    object.put("writesGivenUp", history.busy());
    object.put("violations", violations.size());
    if (json) {
      out().println(Json.text(object));
    } else {
      List<String> counts = new ArrayList<>();
      done.forEach((kind, times) -> counts.add(kind + " " + times));
      object.put("done", String.join(", ", counts));
      object.forEach((key, value) -> out().printf("%-20s %s%n", key, value));
    }
    violations.stream().limit(10).forEach(err()::println);
    if (!violations.isEmpty()) {
      err().println("What the processes wrote is in " + folder);
    }
    return violations.isEmpty() ? Main.HELD : Main.BROKEN;
  }
}
