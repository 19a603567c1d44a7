package io.baton.cli;

import io.baton.cli.live.Fleet;
import io.baton.cli.live.Folders;
import io.baton.cli.live.History;
import io.baton.cli.live.Mischief;
import io.baton.cli.live.OnInterrupt;
import io.baton.cli.live.Place;
import io.baton.cli.live.Stalls;
import io.baton.cli.live.Worker;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton demo}: a cluster of real processes, disturbed and checked. */
@Command(
    name = "demo",
    description = {
      "Show the main job in a minute: a cluster of real processes, disturbed and checked.",
      "",
      "Five member processes on this machine pass locks among their clients, who write to files that",
      "check fences. One holder is killed and started again, one is stopped for longer than its",
      "lease and continued. Then the history is checked.",
      ""
    })
final class DemoCommand extends Reporting {
  private static final int MEMBERS = 5;
  private static final int LOCKS = 4;
  private static final int CLIENTS = 3;
  private static final int LEASE_MILLIS = 2_000;
  private static final int ELECTION_MILLIS = 1_600; // two fifths of the lease, and once more
  private static final int PATIENCE = 60;

  @Option(names = "--keep", description = "Leave what the processes wrote in this folder.")
  private @Nullable Path keep;

  /** What is found out on the way. */
  private final Map<String, Object> found = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Folders.fresh(keep, "baton-demo");
    Fleet.Setup setup =
        new Fleet.Setup(
            folder,
            Place.onLoopback(MEMBERS),
            LOCKS,
            CLIENTS,
            500,
            false,
            Map.of("lease", LEASE_MILLIS + "ms", "cluster", "demo", "voters", "3"));
    Fleet fleet = new Fleet(setup);
    Killed killed = OnInterrupt.clean(() -> clean(fleet, folder), () -> disturb(fleet));
    History history = History.of(folder);
    OptionalLong next = history.nextGrant(Worker.lock(0), killed.fence());
    double recovery =
        next.isPresent() ? (next.getAsLong() - killed.at()) / 1e9 : Double.POSITIVE_INFINITY;
    boolean inTime = recovery <= killed.promised();
    report(history, recovery, killed.promised());
    if (keep == null) {
      Folders.delete(folder);
    }
    return history.violations().isEmpty() && inTime ? Main.HELD : Main.BROKEN;
  }

  /** The holder that was killed: when, what it held, and within how many seconds others get it. */
  private record Killed(long at, long fence, double promised) {}

  private Killed disturb(Fleet members) throws IOException, InterruptedException {
    try (Fleet fleet = members) {
      long begin = System.nanoTime();
      say("starting %d member processes …", MEMBERS);
      fleet.startAll();
      for (int k = 0; k < MEMBERS; k++) {
        fleet.await(k, "joined", PATIENCE);
      }
      say(
          "all have joined after %.1f s; %d clients contend for %d locks",
          since(begin), MEMBERS * CLIENTS, LOCKS);
      Mischief.rest(5_000);
      long fence = grab(fleet, 1);
      fleet.order(0, "who");
      boolean led = fleet.await(0, "leads", PATIENCE).startsWith(Fleet.name(1) + "-");
      Stalls stalls = new Stalls();
      long at = System.nanoTime();
      fleet.kill(1);
      say(
          "%s is killed (SIGKILL) while it holds lock-0 with fence %d%s",
          Fleet.name(1), fence, led ? ", and leads the voters" : "");
      int promised = LEASE_MILLIS + 1_000 + (led ? ELECTION_MILLIS : 0);
      Mischief.rest(promised + 500);
      Killed killed = new Killed(at, fence, (promised + stalls.longestMillis()) / 1e3);
      fleet.start(1);
      fleet.await(1, "joined", PATIENCE);
      say("%s has joined again", Fleet.name(1));
      Mischief.rest(2_000);
      long stopped = grab(fleet, 2);
      fleet.stop(2);
      say("%s is stopped (SIGSTOP) while it holds lock-0 with fence %d", Fleet.name(2), stopped);
      Mischief.rest(2L * LEASE_MILLIS);
      fleet.go(2);
      String loss = fleet.await(2, "lost", PATIENCE);
      say("%s goes on (SIGCONT), and is told that it lost %s", Fleet.name(2), loss);
      Mischief.rest(4_000);
      say("all leave …");
      return killed;
    }
  }

  private void clean(Fleet fleet, Path folder) throws IOException {
    fleet.close();
    if (keep == null) {
      Folders.delete(folder);
    }
  }

  /** Has a member hold on to lock-0; the fence. */
  private static long grab(Fleet fleet, int member) throws IOException, InterruptedException {
    fleet.order(member, "grab " + Worker.lock(0));
    String held = fleet.await(member, "holds", PATIENCE);
    return Long.parseLong(held.substring(held.lastIndexOf(' ') + 1));
  }

  private void report(History history, double recovery, double promised) {
    long grants = history.holds().size();
    double seconds = history.duration() / 1e9;
    found.put("members", MEMBERS);
    found.put("seconds", Numbers.exact(seconds));
    found.put("grants", grants);
    found.put("grantsPerSecond", Numbers.exact(grants / seconds));
    found.put("handOversPerSecond", Numbers.exact(history.handOvers() / seconds));
    found.put("messagesPerGrant", Numbers.exact(history.letters() / (double) grants));
    found.put("longestWaitSeconds", Numbers.exact(history.longestWait() / 1e9));
    boolean recovered = Double.isFinite(recovery);
    found.put("recoverySeconds", recovered ? Numbers.exact(recovery) : null);
    found.put("promisedSeconds", Numbers.exact(promised));
    found.put("leaseSeconds", Numbers.exact(LEASE_MILLIS / 1e3));
    found.put("lossesTold", history.losses());
    found.put("writes", history.writes());
    found.put("staleWritesRefused", history.stale());
    found.put("violations", history.violations().size());
    PrintWriter out = out();
    if (json) {
      out.println(Json.text(found));
    } else {
      out.println();
      out.printf("grants              %,d in %.1f s%n", grants, seconds);
      out.printf("hand-overs          %,.0f per second%n", history.handOvers() / seconds);
      out.printf("messages per grant  %.2f%n", history.letters() / (double) grants);
      out.printf("longest wait        %.1f s%n", history.longestWait() / 1e9);
      out.printf(
          "recovery            %s from the kill to the next grant (lease %.1f s; promised %.1f)%n",
          recovered ? String.format("%.1f s", recovery) : "none", LEASE_MILLIS / 1e3, promised);
      out.printf("losses told         %d%n", history.losses());
      out.printf(
          "writes              %,d accepted (who holds for long writes again), %d refused%n",
          history.writes(), history.stale());
      out.printf("violations          %d%n", history.violations().size());
    }
    history.violations().stream().limit(10).forEach(violation -> err().println(violation));
  }

  private void say(String format, Object... values) {
    err().printf(format + "%n", values);
    err().flush();
  }

  private static double since(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }
}
