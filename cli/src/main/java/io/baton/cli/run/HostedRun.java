package io.baton.cli.run;

import io.baton.algorithms.Names;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a system whose nodes are processes, in real time: lets users come, kills and restarts,
 * and finds out when it is over. A tick is a nanosecond, so a unit of time is a millisecond.
 */
public final class HostedRun implements Workload.Arrivals {
  private static final int MAX_REQUESTS = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final long MILLI = 1_000_000;
  private static final long SOON = 5 * MILLI;

  /**
   * What came of a run.
   *
   * @param note what else is to be said: of requests that nobody promised to grant, of blows that
   *     came too late; mostly empty
   */
  public record Outcome(RunResult result, String note) {}

  private record Appointment(long time, Runnable action) {}

  private final Fleet fleet;
  private final LockSystem system;
  private final RunConfig config;
  private final List<Blow> blows;
  private final long patience;
  private final LongConsumer progress;
  private final Ledger ledger;
  private final Traffic traffic = new Traffic();
  private final Generator arrivals;
  private final Generator holds;
  private final PriorityQueue<Appointment> agenda =
      new PriorityQueue<>((a, b) -> Long.compare(a.time(), b.time()));
  private final Users users;
  private final long limit; // requests
  private final long start = System.nanoTime();
  private long requests;
  private long exits;
  private long arrivalsToCome;
  private long blowsToCome;
  private boolean struck; // some node was killed
  private @Nullable Child newcomer; // was started anew and has not begun
  private long lastProgress;
  private boolean broken; // as the ledger knows
  private @Nullable Violation violation; // of a process, not of its node

  private HostedRun(
      Fleet fleet, RunConfig config, List<Blow> blows, long patience, LongConsumer progress) {
    this.fleet = fleet;
    this.system = fleet.system();
    this.config = config;
    this.blows = blows;
    this.patience = patience * SECOND;
    this.progress = progress;
    this.ledger = new Ledger(system, fleet.spec().graph());
    this.arrivals = Generator.of(config.seed(), "arrivals");
    this.holds = Generator.of(config.seed(), "hold");
    this.users = new Users(system.seats());
    this.limit = Math.min(config.criticalSections(), config.workload().limit());
  }

  /**
   * Runs a workload.
   *
   * @param patience after how many seconds without an entry a run is given up in which somebody
   *     waits
   * @param progress is told how many critical sections have ended
   */
  public static Outcome run(
      Fleet fleet, RunConfig config, List<Blow> blows, long patience, LongConsumer progress) {
    return new HostedRun(fleet, config, blows, patience, progress).play();
  }

  /** Refuses a number of critical sections that cannot be. */
  public static void requireRequests(RunConfig config) {
    if (config.criticalSections() < 0 || config.criticalSections() > MAX_REQUESTS) {
      throw new BadInputException(
          config.criticalSections() + " critical sections cannot be: take 0 to " + MAX_REQUESTS);
    }
  }

  private Outcome play() {
    config.workload().start(this, arrivals);
    for (Blow blow : blows) {
      blowsToCome++;
      at(blow.millis() * MILLI, () -> strike(blow));
    }
    while (violation == null && !broken && !isOver() && !isStalled()) {
      Appointment next = agenda.peek();
      long pause = next == null ? SECOND : Math.max(0, next.time() - now());
      Child.Event event = fleet.poll(Math.min(pause, SECOND));
      if (event != null) {
        take(event);
      }
      for (next = agenda.peek(); next != null && next.time() <= now(); next = agenda.peek()) {
        agenda.remove();
        next.action().run();
      }
    }
    return judged(ledger.result(start));
  }

  private Outcome judged(RunResult seen) {
    List<Integer> up = fleet.up().map(Child::node).toList();
    Verdict verdict = new Verdict(fleet.spec().algorithm(), system, up, struck);
    Violation first = violation == null ? seen.violation() : violation;
    String note = verdict.note(seen);
    if (note.isEmpty() && blowsToCome > 0) {
      note = "the run was over before all that was to happen to its processes";
    }
    return new Outcome(
        new RunResult(
            seen.measures(),
            seen.stuck(),
            first == null ? verdict.liveness(seen) : first,
            seen.duration(),
            seen.events(),
            null),
        note);
  }

  /** Whether nobody comes, nobody is inside, and nothing is under way. */
  private boolean isQuiet() {
    boolean noneCome = arrivalsToCome == 0 || requests == limit;
    return noneCome
        && !users.isSomeoneInside()
        && traffic.isEmpty()
        && newcomer == null
        && !fleet.hasEvents();
  }

  /** Whether all users have been served, or somebody waits and nothing is left to happen. */
  private boolean isOver() {
    boolean alarms =
        Catalogue.find(fleet.spec().algorithm()).timed() || fleet.spec().ring().timeout() > 0;
    boolean hopeless = !alarms && blowsToCome == 0 && users.haveAllAsked();
    return isQuiet() && (hopeless || !users.isSomeoneWaiting());
  }

  private boolean isStalled() {
    if (!users.isSomeoneWaiting() || users.isSomeoneInside()) {
      lastProgress = now();
    }
    return now() - lastProgress > patience;
  }

  private void take(Child.Event event) {
    Child child = event.child();
    Report report = event.report();
    if (report == null) {
      ended(child);
    } else if (report.kind() == Report.Kind.LISTENING || report.kind() == Report.Kind.READY) {
      fleet.goOn(child, report);
      if (child.isUp()) {
        tellOfTheGone(child);
        newcomer = null;
      }
    } else {
      ledger.add(child.node(), report);
      traffic.reported(child, report);
      follow(child, report);
    }
  }

  private void follow(Child child, Report report) {
    int seat = system.seat(child.node(), report.subject());
    switch (report.kind()) {
      case ENTER, TURN -> users.asked(seat);
      case EXIT -> {
        progress.accept(++exits);
        if (users.left(seat)) {
          config.workload().left(seat, this, arrivals);
        }
      }
      case BROKEN -> broken = true;
      default -> {
        // users have no part in it
      }
    }
    for (Report.Grant grant : report.grants()) {
      users.granted(system.seat(child.node(), grant.resource()));
      lastProgress = now();
    }
  }

  private void strike(Blow blow) {
    Child child = fleet.child(blow.node());
    boolean canHappen =
        newcomer == null
            && (blow.restart() ? child.isKilled() && traffic.isKnown(blow.node()) : child.isUp());
    if (!canHappen) { // not all who must be told have been
      at(now() + SOON, () -> strike(blow));
      return;
    }
    blowsToCome--;
    if (blow.restart()) {
      fleet.revive(blow.node());
      newcomer = fleet.child(blow.node());
    } else {
      struck = true;
      child.kill();
      traffic.noticed(blow.node(), blow.node()); // until its end is known
    }
  }

  private void ended(Child child) {
    int node = child.node();
    if (!child.isKilled()) {
      violation =
          new Violation(
              "no process ends by itself",
              "that of node " + Names.of(node) + " did, with exit code " + child.exitCode());
      return;
    }
    ledger.killed(node, child.killedAt());
    traffic.ended(child);
    boolean forGood = isForGood(node);
    fleet.up().forEach(other -> tellOf(node, forGood, other));
    for (int resource = 0; resource < system.resources(); resource++) {
      int seat = system.seat(node, resource);
      if (users.lost(seat) && !forGood) {
        config.workload().left(seat, this, arrivals);
      }
    }
  }

  private boolean isForGood(int node) {
    long kills = blows.stream().filter(b -> b.node() == node && !b.restart()).count();
    long restarts = blows.stream().filter(b -> b.node() == node && b.restart()).count();
    return fleet.child(node).life() + 1 == kills && kills > restarts;
  }

  /** Where nodes are told of failures: neighbours of each, the others of what is for good. */
  private void tellOf(int node, boolean forGood, Child other) {
    if (system.channels() != null && (forGood || system.neighbours(node).contains(other.node()))) {
      traffic.noticed(other.node(), node);
      other.tell(new Command.Down(node, forGood));
    }
  }

  private void tellOfTheGone(Child child) {
    for (int node = 0; node < system.size(); node++) {
      if (fleet.child(node).isKilled() && isForGood(node)) {
        tellOf(node, true, child);
      }
    }
  }

  private void at(long time, Runnable action) {
    agenda.add(new Appointment(time, action));
  }

  @Override
  public int seats() {
    return system.seats();
  }

  @Override
  public long now() {
    return System.nanoTime() - start;
  }

  @Override
  public void arrive(int seat, long time) {
    arrivalsToCome++;
    at(
        time,
        () -> {
          arrivalsToCome--;
          come(seat);
        });
  }

  private void come(int seat) {
    if (requests == limit) {
      return;
    }
    Child child = fleet.child(system.node(seat));
    boolean up = child.isUp();
    if (up) {
      requests++;
      users.sent(seat);
    }
    config.workload().arrived(this, arrivals);
    if (up) {
      child.tell(new Command.Enter(system.resource(seat), config.hold().sample(holds)));
    } else if (child == newcomer || !isForGood(child.node())) {
      config.workload().left(seat, this, arrivals); // and comes again
    }
  }
}
