package io.baton.simulator.run;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Names;
import io.baton.algorithms.Snapshot;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.PhysicalGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** One run of a system in virtual time, from one seed. */
public final class Simulation implements Stage.Outbox, Workload.Arrivals {
  private static final int MAX_REQUESTS = 100_000_000;

  private final RunConfig config;
  private final LockSystem system;
  private final Stage stage;
  private final EventQueue queue = new EventQueue();
  private final Channels channels;
  private final Measures measures;
  private final Generator arrivals;
  private final Generator holds;
  private final Generator faults;
  private final List<Listener> listeners = new ArrayList<>();
  private final Map<Integer, Queue<Measures.Request>> backlog =
      new HashMap<>(); // users at busy nodes
  private final Map<Step.Ring, Long> alarms = new HashMap<>(); // when each is to ring
  private final List<Step.Delivery> doomed = new ArrayList<>(); // sent, about to be lost
  private final List<Step> followers = new ArrayList<>(); // steps that follow this one at once
  private final long limit;
  private final boolean unreliable; // whether messages may be lost or doubled
  private final int interval; // events between two checks; 0: none
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
    this.measures = new Measures(system.size(), (int) limit);
    this.arrivals = Generator.of(config.seed(), "arrivals");
    this.holds = Generator.of(config.seed(), "hold");
    this.faults = Generator.of(config.seed(), "faults");
  }

  /** Adds one who is told what happens. */
  public Simulation listen(Listener listener) {
    listeners.add(listener);
    return this;
  }

  /** Runs until nothing is left to happen, or a promise is broken. */
  public RunResult run() {
    config.workload().start(this, arrivals);
    Violation violation = null;
    while (violation == null && !queue.isEmpty()) {
      Step step = queue.take();
      if (isDue(step)) {
        violation = perform(step);
        for (int k = 0; violation == null && k < followers.size(); k++) {
          violation = perform(followers.get(k));
        }
        followers.clear();
      }
    }
    if (violation == null && interval > 0) {
      violation = stage.check();
    }
    if (violation == null && stuck() > 0) {
      violation = new Violation(Violation.LIVENESS, describeStuck());
    }
    return new RunResult(measures, stuck(), violation, end, events);
  }

  /** Sorts out users who come too late or to a busy node, and alarms that were moved. */
  private boolean isDue(Step step) {
    if (step instanceof Step.Enter enter) {
      return admit(enter);
    }
    return !(step instanceof Step.Ring ring) || alarms.remove(ring, now());
  }

  private boolean admit(Step.Enter enter) {
    if (measures.requests() == limit) {
      return false;
    }
    Measures.Request request = measures.arrived(now());
    config.workload().arrived(this, arrivals);
    if (stage.phase(enter.node()) == Stage.Phase.IDLE) {
      measures.requested(enter.node(), request);
      return true;
    }
    backlog.computeIfAbsent(enter.node(), n -> new ArrayDeque<>()).add(request);
    return false;
  }

  private @Nullable Violation perform(Step step) {
    end = now();
    for (Listener listener : listeners) {
      listener.before(now(), step, stage);
    }
    Violation violation = stage.perform(step);
    if (step instanceof Step.Exit exit && violation == null) {
      left(exit.node());
    } else if (step instanceof Step.Drop drop) {
      doomed.remove(drop.lost());
    } else if (step instanceof Step.Duplicate duplicate) {
      Step.Delivery copy = duplicate.doubled();
      schedule(channels.arrival(copy.from(), copy.to(), now()), copy);
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

  private void left(int node) {
    measures.left(node, now());
    Queue<Measures.Request> users = backlog.get(node);
    Measures.Request next = users == null ? null : users.poll();
    if (next != null) {
      measures.requested(node, next);
      followers.add(new Step.Enter(node));
    } else {
      config.workload().left(node, this, arrivals);
    }
  }

  /** Requests go on acyclic paths, so some grant must come after so many events. */
  private @Nullable Violation progress() {
    long n = system.size();
    if (++eventsSinceGrant <= 1000 + 8 * n * n || stuck() == 0) {
      return null;
    }
    return new Violation(
        Violation.LIVENESS, "no grant in " + eventsSinceGrant + " events, and " + describeStuck());
  }

  /** Requests made and not granted, those of users at busy nodes included. */
  private long stuck() {
    return measures.requests() - measures.grants();
  }

  private String describeStuck() {
    for (int node = 0; node < system.size(); node++) {
      if (stage.phase(node) == Stage.Phase.WAITING) {
        return String.format(
            "%d request(s) never granted, that of node %s among them", stuck(), Names.of(node));
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
    if (unreliable && faults.nextBoolean(config.faults().loss())) {
      doomed.add(delivery);
      followers.add(new Step.Drop(delivery));
      return;
    }
    if (unreliable && faults.nextBoolean(config.faults().duplicate())) {
      followers.add(new Step.Duplicate(delivery));
    }
    schedule(channels.arrival(from, to, now()), delivery);
  }

  @Override
  public void granted(int node) {
    eventsSinceGrant = 0;
    measures.granted(node, now());
    for (Listener listener : listeners) {
      listener.granted(node);
    }
    schedule(now() + config.hold().sample(holds), new Step.Exit(node));
  }

  private void schedule(long time, Step step) {
    if (time < now()) {
      throw new BadInputException(
          "Virtual time has run out: take shorter times, or fewer critical sections");
    }
    queue.add(time, step);
  }

  @Override
  public void alarmSet(int node, Alarm alarm, long delay) {
    Step.Ring ring = new Step.Ring(node, alarm);
    alarms.put(ring, now() + delay); // one set earlier no longer counts
    schedule(now() + delay, ring);
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
  public int nodes() {
    return system.size();
  }

  @Override
  public long now() {
    return queue.present();
  }

  @Override
  public void arrive(int node, long time) {
    schedule(time, new Step.Enter(node));
  }
}
