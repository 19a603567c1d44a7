package io.baton.simulator.run;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Snapshot;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Faults.Kind;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.PhysicalGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run of a system in virtual time, from one seed. */
public final class Simulation implements Stage.Outbox, Workload.Arrivals {
  private static final int MAX_REQUESTS = 100_000_000;
  private static final int HEALING_ROUNDS = 5;

  private final RunConfig config;
  private final LockSystem system;
  private final Stage stage;
  private final EventQueue queue = new EventQueue();
  private final Channels channels;
  private final Measures measures;
  private final Generator arrivals;
  private final Generator holds;
  private final Mishaps mishaps;
  private final List<Listener> listeners = new ArrayList<>();
  private final Map<Integer, Queue<Measures.Request>> backlog =
      new HashMap<>(); // by seat, users who wait for it
  private final Map<Step.Ring, Long> alarms = new HashMap<>(); // when each is to ring
  private final Set<Step> notices = new HashSet<>(); // on their way to who must be told
  private final List<Step.Delivery> doomed = new ArrayList<>(); // sent, about to be lost
  private final List<Step> followers = new ArrayList<>(); // steps that follow this one at once
  private long limit; // requests made before the run drains
  private final boolean unreliable; // whether messages may be lost or doubled
  private final int interval; // events between two checks; 0: none
  private boolean healing; // the faults are over, and everybody asks once more
  private long events;
  private long eventsSinceGrant;
  private long end; // when the last step was performed

  /** A run about to begin. */
  public Simulation(LockSystem system, @Nullable PhysicalGraph graph, RunConfig config) {
    this.config = config;
    this.system = system;
    this.stage = new Stage(system, this);
    this.channels = new Channels(config, graph);
    this.limit = Math.min(config.criticalSections(), config.workload().limit());
    if (limit < 0 || limit > MAX_REQUESTS) {
      throw new BadInputException(
          config.criticalSections() + " critical sections cannot be: take 0 to " + MAX_REQUESTS);
    }
    this.unreliable = !config.faults().none();
    this.interval = config.checking().interval(system.size());
    this.measures = new Measures(system, (int) limit + HEALING_ROUNDS * system.seats());
    this.arrivals = Generator.of(config.seed(), "arrivals");
    this.holds = Generator.of(config.seed(), "hold");
    this.mishaps =
        new Mishaps(config.faults(), Generator.of(config.seed(), "faults"), system, stage, plan());
  }

  /** Adds one who is told what happens. */
  public Simulation listen(Listener listener) {
    listeners.add(listener);
    return this;
  }

  private Mishaps.Plan plan() {
    return new Mishaps.Plan() {
      @Override
      public long now() {
        return Simulation.this.now();
      }

      @Override
      public boolean isGoing() {
        boolean hopeless = eventsSinceGrant > mostWithoutGrant() / 2; // now it must recover
        return measures.requests() < limit && !healing && !hopeless;
      }

      @Override
      public void later(long time, Step step) {
        schedule(time, step);
      }

      @Override
      public void atOnce(Step step) {
        followers.add(step);
      }
    };
  }

  /** Runs until nothing is left to happen, or a promise is broken. */
  public RunResult run() {
    config.workload().start(this, arrivals);
    mishaps.scheduleCrash();
    mishaps.leaveOut();
    Violation violation = untilQuiet();
    LockSystem.Healing promised = system.healing();
    if (violation == null && promised != null && stage.hasCrashed() && interval > 0) {
      return heal(promised);
    }
    return new RunResult(measures, stuck(), violation, end, events, null);
  }

  /** The faults are over: lets everybody ask, round after round, until the tree has its shape. */
  private RunResult heal(LockSystem.Healing promised) {
    healing = true;
    Violation violation = everybodyAsks(Ticks.PER_UNIT);
    violation = violation == null ? stage.check(promised.served()) : violation;
    int rounds = 1;
    long worst = 0;
    boolean inShape = stage.check(promised.shape()) == null;
    while (violation == null && !inShape && rounds < HEALING_ROUNDS) {
      rounds++;
      measures.forgetWorst();
      violation = everybodyAsks(longEnoughAlone());
      violation = violation == null ? stage.check(promised.served()) : violation;
      worst = Math.max(worst, measures.worst());
      inShape = stage.check(promised.shape()) == null;
    }
    RunResult.Healed healed = new RunResult.Healed(inShape ? rounds : RunResult.NEVER, worst);
    return new RunResult(measures, stuck(), violation, end, events, healed);
  }

  /** Every node that is up asks once, so long after the other. */
  private @Nullable Violation everybodyAsks(long pause) {
    long time = now();
    for (int seat = 0; seat < system.seats(); seat++) {
      if (stage.isUp(system.node(seat))) {
        limit++;
        time += pause;
        arrive(seat, time);
      }
    }
    return untilQuiet();
  }

  /** More time than one request takes, if nobody else asks and no message takes over a unit. */
  private long longEnoughAlone() {
    return Ticks.ofUnits(10 + 4.0 * system.size());
  }

  private @Nullable Violation untilQuiet() {
    Violation violation = null;
    while (violation == null && !queue.isEmpty()) {
      Step step = queue.take();
      if (isDue(step)) {
        violation = perform(step);
        mishaps.after(step);
        for (int k = 0; violation == null && k < followers.size(); k++) {
          if (canFollow(followers.get(k))) {
            violation = perform(followers.get(k));
          }
        }
        followers.clear();
      }
    }
    if (violation == null && interval > 0) {
      violation = stage.check();
    }
    if (violation == null && stuck() > 0 && someoneIsOwed()) {
      violation = new Violation(Violation.LIVENESS, describeStuck());
    }
    return violation;
  }

  /** Sorts out users who come too late or to a busy node, and alarms that were moved. */
  private boolean isDue(Step step) {
    if (step instanceof Step.Enter enter) {
      return admit(enter);
    }
    if (step instanceof Step.Crash) {
      boolean happens = mishaps.canCrash(step.node());
      if (!happens) {
        mishaps.scheduleCrash();
      }
      return happens;
    }
    if (step instanceof Step.Recover || step instanceof Step.Mend) {
      boolean happens = stage.canHappen(step);
      if (!happens && !isOver(step)) { // not all who must be told have been
        schedule(now() + Ticks.PER_UNIT, step);
      }
      return happens;
    }
    if (step instanceof Step.Gone) {
      boolean happens = stage.isUp(step.node()) && stage.isDispensable(step.node());
      if (!happens && stage.isUp(step.node()) && goesOn()) {
        schedule(now() + Ticks.PER_UNIT, step);
      }
      return happens;
    }
    if (step instanceof Step.Delivery message
        && !stage.canArrive(message.from(), message.to())) { // waits for the other end
      schedule(now() + Ticks.PER_UNIT / 4, step);
      return false;
    }
    if (step instanceof Step.Lost
        || step instanceof Step.Found
        || step instanceof Step.Cut
        || step instanceof Step.Trust) {
      notices.remove(step);
      return stage.canHappen(step);
    }
    return !(step instanceof Step.Ring ring) || alarms.remove(ring, now());
  }

  /** Whether something else will happen than that nodes leave. */
  private boolean goesOn() {
    boolean[] other = {false};
    queue.forEach(step -> other[0] |= !(step instanceof Step.Gone));
    return other[0];
  }

  /** Whether a repair is no longer needed. */
  private boolean isOver(Step step) {
    return step instanceof Step.Mend mend
        ? !stage.isCut(mend.node(), mend.neighbour())
        : stage.isUp(step.node()) || stage.isGone(step.node());
  }

  private boolean canFollow(Step step) {
    if (step instanceof Step.Duplicate duplicate) {
      return stage.carries(duplicate.doubled());
    }
    return !(step instanceof Step.Cut
            || step instanceof Step.Leave
            || step instanceof Step.Suspect
            || step instanceof Step.Found)
        || stage.canHappen(step);
  }

  /** Sees to it that nodes are told of their channels, sooner or later. */
  private void tellOfChannels() {
    for (Step step : stage.untold()) {
      if (notices.add(step)) {
        schedule(now() + mishaps.noticeDelay(), step);
      }
    }
  }

  private boolean admit(Step.Enter enter) {
    if (measures.requests() == limit) {
      return false;
    }
    int seat = system.seat(enter.node(), enter.resource());
    if (mishaps.isLeaving(enter.node()) || stage.isGone(enter.node())) {
      config.workload().arrived(this, arrivals);
      return false;
    }
    if (!stage.isUp(enter.node())) {
      config.workload().arrived(this, arrivals);
      if (config.faults().has(Kind.RECOVER)) {
        config.workload().left(seat, this, arrivals); // and comes again
      }
      return false;
    }
    Measures.Request request = measures.arrived(now());
    if (!healing) {
      config.workload().arrived(this, arrivals);
    }
    if (stage.phase(enter.node(), enter.resource()) == Stage.Phase.IDLE) {
      measures.requested(seat, request);
      return true;
    }
    backlog.computeIfAbsent(seat, n -> new ArrayDeque<>()).add(request);
    return false;
  }

  private @Nullable Violation perform(Step step) {
    end = now();
    for (Listener listener : listeners) {
      listener.before(now(), step, stage);
    }
    if (step instanceof Step.Crash || step instanceof Step.Gone) {
      crashing(step);
    }
    Violation violation = stage.perform(step);
    if (step instanceof Step.Delivery delivery) {
      measures.handled(delivery.message());
    } else if (step instanceof Step.Exit exit && violation == null) {
      left(system.seat(exit.node(), exit.resource()));
    } else if (step instanceof Step.Drop drop) {
      doomed.remove(drop.lost());
    } else if (step instanceof Step.Duplicate duplicate) {
      Step.Delivery copy = duplicate.doubled();
      schedule(channels.arrival(copy.from(), copy.to(), now()), copy);
    }
    if (system.channels() != null) {
      tellOfChannels();
    }
    events++;
    if (violation == null && interval > 0 && events % interval == 0) {
      violation = stage.check();
    }
    for (Listener listener : listeners) {
      Violation seen = listener.after(step, stage);
      violation = violation == null ? seen : violation;
    }
    return violation == null ? progress() : violation;
  }

  /** What becomes of users and messages of a node that is about to crash. */
  private void crashing(Step crash) {
    int node = crash.node();
    if (!isPatient()) {
      eventsSinceGrant = 0;
    }
    doomed.removeIf(lost -> lost.to() == node);
    queue.removeIf(
        step ->
            step.node() == node
                && !(step instanceof Step.Enter || step instanceof Step.Crash)
                && !(step instanceof Step.Delivery && system.channels() != null) // given back
                && !(step instanceof Step.Mend));
    notices.removeIf(step -> step.node() == node);
    alarms.keySet().removeIf(ring -> ring.node() == node);
    for (int resource = 0; resource < system.resources(); resource++) {
      Queue<Measures.Request> users = backlog.remove(system.seat(node, resource));
      boolean waiting = stage.phase(node, resource) == Stage.Phase.WAITING;
      measures.abandoned((users == null ? 0 : users.size()) + (waiting ? 1 : 0));
    }
    if (mishaps.crashing(crash)) {
      for (int resource = 0; resource < system.resources(); resource++) {
        if (stage.phase(node, resource) != Stage.Phase.IDLE) {
          config.workload().left(system.seat(node, resource), this, arrivals);
        }
      }
    }
  }

  private void left(int seat) {
    measures.left(seat, now());
    Queue<Measures.Request> users = backlog.get(seat);
    Measures.Request next = users == null ? null : users.poll();
    if (next != null) {
      measures.requested(seat, next);
      followers.add(enter(seat));
    } else if (!healing) {
      config.workload().left(seat, this, arrivals);
    }
  }

  private boolean isPatient() {
    return system.patience() > 1;
  }

  private long mostWithoutGrant() {
    long n = system.size();
    return isPatient() ? 8L * system.patience() * (n + 3) * (n + 3) : 1000 + (8 * n * n);
  }

  /** Requests go on acyclic paths, so after so many events without a grant something is wrong. */
  private @Nullable Violation progress() {
    if (++eventsSinceGrant <= mostWithoutGrant()) {
      return null;
    }
    return new Violation(
        Violation.LIVENESS, "no grant in " + eventsSinceGrant + " events; " + describeStuck());
  }

  /** Requests made and not granted, those of users at busy nodes included. */
  private long stuck() {
    return measures.unserved();
  }

  private boolean someoneIsOwed() {
    return IntStream.range(0, system.seats())
        .filter(seat -> isWaiting(seat))
        .anyMatch(seat -> stage.isOwed(system.node(seat)));
  }

  private boolean isWaiting(int seat) {
    return stage.phase(system.node(seat), system.resource(seat)) == Stage.Phase.WAITING;
  }

  private String describeStuck() {
    for (int seat = 0; seat < system.seats(); seat++) {
      if (isWaiting(seat)) {
        return String.format(
            "%d request(s) never granted, that of node %s among them",
            stuck(), Names.of(system.node(seat)));
      }
    }
    return stuck() + " request(s) never granted";
  }

  @Override
  public void sent(Step.Delivery delivery) {
    int from = delivery.from();
    int to = delivery.to();
    measures.sent(delivery, channels.hops(from, to));
    for (Listener listener : listeners) {
      listener.sent(delivery);
    }
    if (unreliable && mishaps.loses()) {
      doomed.add(delivery);
      followers.add(new Step.Drop(delivery));
      return;
    }
    if (unreliable && mishaps.doubles()) {
      followers.add(new Step.Duplicate(delivery));
    }
    schedule(channels.arrival(from, to, now()), delivery);
  }

  @Override
  public void granted(int node, int resource) {
    eventsSinceGrant = 0;
    measures.granted(system.seat(node, resource), now());
    for (Listener listener : listeners) {
      listener.granted(node, resource);
    }
    schedule(now() + config.hold().sample(holds), new Step.Exit(node, resource));
  }

  private void schedule(long time, Step step) {
    if (time < now() || time > Long.MAX_VALUE / 4) {
      throw new BadInputException(
          "Virtual time has run out: take shorter times, or fewer critical sections");
    }
    long key = 2 * time + (step instanceof Step.Ring ? 1 : 0); // alarms last, where times are equal
    queue.add(Math.max(key, queue.present()), step);
  }

  @Override
  public void alarmSet(int node, Alarm alarm, long delay) {
    Step.Ring ring = new Step.Ring(node, alarm);
    long time = now() + delay;
    alarms.put(ring, time); // one set earlier no longer counts
    schedule(time, ring);
  }

  @Override
  public void inTransit(Snapshot.Visitor visitor) {
    doomed.forEach(lost -> visitor.message(lost.from(), lost.to(), lost.message()));
    queue.forEach(
        step -> {
          if (step instanceof Step.Delivery delivery) {
            visitor.message(delivery.from(), delivery.to(), delivery.message());
          }
        });
  }

  @Override
  public List<Message> withdraw(int from, int to) {
    List<Message> withdrawn = new ArrayList<>();
    queue.removeIf(
        step -> {
          boolean on = step instanceof Step.Delivery d && d.from() == from && d.to() == to;
          if (on) {
            withdrawn.add(((Step.Delivery) step).message());
          }
          return on;
        });
    return withdrawn;
  }

  @Override
  public int seats() {
    return system.seats();
  }

  @Override
  public long now() {
    return queue.present() / 2;
  }

  @Override
  public void arrive(int seat, long time) {
    schedule(time, enter(seat));
  }

  private Step.Enter enter(int seat) {
    return new Step.Enter(system.node(seat), system.resource(seat));
  }
}
