package io.baton.simulator.explore;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Message;
import io.baton.algorithms.Snapshot;
import io.baton.algorithms.State;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.MessageBound;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Stage.Phase;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Playback;
import io.baton.simulator.trace.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a small system can reach, breadth first, whatever the order in which
 * messages arrive and users come and go, and whatever behaviour is taken where the rule leaves it
 * open. So the first trace to a broken promise is a shortest one of its kind.
 *
 * <p>A state is an array of numbers: for each node its interned state; for each seat where its user
 * is with how many requests left and what the current one has cost; then how many crashes and
 * recoveries may still come, and what is pending (messages in transit, alarms set, exits), interned
 * and sorted. How it was reached does not matter, so equal states are visited once.
 *
 * <p>Time plays no part, and an alarm may ring at any moment, unless the algorithm counts time in
 * δ. Then time is discrete: a message takes 0 or δ, and so does a critical section; an alarm rings
 * when it is due, after what must have happened by then; users, crashes and recoveries come at any
 * multiple of δ.
 */
public final class Explorer implements Stage.Outbox {
  private final SystemSpec spec;
  private final Catalogue.Builder builder;
  private final IntUnaryOperator requests; // of each node, for each resource
  private final boolean fifo;
  private final boolean timed;
  private final int crashes;
  private final int recoveries;
  private final int head; // where in a state the pending begins
  private final ChoiceTree choices = new ChoiceTree();
  private final LockSystem system;
  private final Stage stage;
  private final Interner<State> nodeStates = new Interner<>();
  private final Interner<User> users = new Interner<>();
  private final Interner<Pending> pendings = new Interner<>();
  private final StateTable table = new StateTable();
  private final Edges edges = new Edges();
  private final int[] costs; // by seat, of the state at hand
  private final List<Integer> pending = new ArrayList<>(); // of the state at hand

  /**
   * An exploration about to begin.
   *
   * @param requests how often each node asks, for each resource
   * @param fifo whether messages of one channel keep their order
   */
  public Explorer(SystemSpec spec, Catalogue.Builder builder, int requests, boolean fifo) {
    this(spec, builder, node -> requests, fifo, 0, 0);
  }

  /**
   * An exploration in which nodes crash and come back.
   *
   * @param requests how often each node asks, for each resource
   * @param crashes how often some node may crash
   * @param recoveries how often some node may come back
   */
  public Explorer(
      SystemSpec spec,
      Catalogue.Builder builder,
      IntUnaryOperator requests,
      boolean fifo,
      int crashes,
      int recoveries) {
    this.timed = Catalogue.find(spec.algorithm()).timed();
    this.crashes = crashes;
    this.recoveries = recoveries;
    this.spec = spec;
    this.builder = builder;
    this.requests = requests;
    this.fifo = fifo;
    this.system = builder.build(spec, choices);
    this.head = system.size() + system.seats() + 2;
    this.stage = new Stage(system, this);
    this.costs = new int[system.seats()];
  }

  /**
   * Where the user of a node is, how often it will ask again, and how many messages its current
   * request has cost.
   */
  private record User(Phase phase, int left, int cost) {}

  /**
   * What is going to happen.
   *
   * @param left within how many δ; 0 where time plays no part
   */
  private record Pending(Step step, int left) {
    boolean isAlarm() {
      return step instanceof Step.Ring;
    }
  }

  /** One way on from a state; without a step, δ passes. */
  private static final class Move {
    final @Nullable Step step;
    final List<String> choices;
    final int[] to;
    final @Nullable Violation violation;

    Move(@Nullable Step step, List<String> choices, int[] to, @Nullable Violation violation) {
      this.step = step;
      this.choices = choices;
      this.to = to;
      this.violation = violation;
    }
  }

  /**
   * Explores until all is visited, a promise is broken, or there are too many states.
   *
   * @param progress is told the number of states now and then
   */
  public Exploration run(long maxStates, LongConsumer progress) {
    try {
      return explore(maxStates, progress);
    } catch (OutOfMemoryError e) { // as far as memory allows; all that is kept is in the tables
      return new Exploration(table.size(), edges.size(), false, null, null);
    }
  }

  private Exploration explore(long maxStates, LongConsumer progress) {
    int[] initial = new int[head];
    initial[head - 2] = crashes;
    initial[head - 1] = recoveries;
    for (int i = 0; i < system.size(); i++) {
      initial[i] = nodeStates.number(stage.state(i));
    }
    for (int seat = 0; seat < system.seats(); seat++) {
      int left = requests.applyAsInt(system.node(seat));
      initial[system.size() + seat] = users.number(new User(Phase.IDLE, left, 0));
    }
    Violation violation = stage.check();
    table.add(initial, -1);
    if (violation != null) {
      return new Exploration(1, 0, false, violation, trace(0, null, violation));
    }
    for (int number = 0; number < table.size(); number++) {
      int[] state = table.state(number);
      List<Move> moves = moves(state);
      if (moves.isEmpty() && !isFinal(state)) {
        violation = new Violation(Violation.LIVENESS, "nothing can happen any more");
        return new Exploration(
            table.size(), edges.size(), false, violation, trace(number, null, violation));
      }
      for (Move move : moves) {
        int before = table.size();
        int next = move.violation == null ? table.add(move.to, number) : -1;
        violation = next == before ? checkNew(move.to) : move.violation;
        if (violation != null) {
          return new Exploration(
              table.size(), edges.size(), false, violation, trace(number, move, violation));
        }
        edges.add(number, next);
      }
      if (table.size() > maxStates) {
        return new Exploration(table.size(), edges.size(), false, null, null);
      }
      if ((number & 0x3FFF) == 0) {
        progress.accept(table.size());
      }
    }
    return finish();
  }

  /** All is visited: from every state every request must still be grantable. */
  private Exploration finish() {
    boolean[] good = edges.reaching(table.size(), number -> isFinal(table.state(number)));
    for (int number = 0; number < good.length; number++) {
      if (!good[number]) {
        Violation violation =
            new Violation(Violation.LIVENESS, "from here on some request is never granted");
        return new Exploration(
            table.size(), edges.size(), true, violation, trace(number, null, violation));
      }
    }
    return new Exploration(table.size(), edges.size(), true, null, null);
  }

  private @Nullable Violation checkNew(int[] state) {
    load(state);
    return stage.check();
  }

  /** Whether all that should happen has: users of nodes that are down do not count. */
  private boolean isFinal(int[] state) {
    int done = users.number(new User(Phase.IDLE, 0, 0));
    for (int seat = 0; seat < system.seats(); seat++) {
      if (state[system.size() + seat] != done && isUp(state, system.node(seat))) {
        return false;
      }
    }
    for (int k = head; k < state.length; k++) {
      if (!timed || !pending(state, k).isAlarm()) {
        return false;
      }
    }
    return true;
  }

  private Pending pending(int[] state, int k) {
    return pendings.value(state[k]);
  }

  /** Puts the stage into a state. */
  private void load(int[] state) {
    for (int i = 0; i < system.size(); i++) {
      stage.restore(i, nodeStates.value(state[i]));
    }
    for (int resource = 0; resource < system.resources(); resource++) {
      long exits = 0;
      for (int i = 0; i < system.size(); i++) {
        int seat = system.seat(i, resource);
        User user = user(state, seat);
        stage.restoreUser(seat, user.phase());
        costs[seat] = user.cost();
        exits += requests.applyAsInt(i) - user.left() - (user.phase() == Phase.IDLE ? 0 : 1);
      }
      stage.restoreExits(resource, exits);
    }
    stage.restoreCrashed(state[head - 2] < crashes);
    pending.clear();
    for (int k = head; k < state.length; k++) {
      pending.add(state[k]);
    }
  }

  private User user(int[] state, int seat) {
    return users.value(state[system.size() + seat]);
  }

  private boolean isUp(int[] state, int i) {
    return nodeStates.value(state[i]) != Stage.DOWN;
  }

  private List<Move> moves(int[] state) {
    List<Move> moves = new ArrayList<>();
    for (int seat = 0; seat < system.seats(); seat++) {
      int i = system.node(seat);
      User user = user(state, seat);
      if (isUp(state, i) && user.phase() == Phase.IDLE && user.left() > 0) {
        perform(state, new Step.Enter(i, system.resource(seat)), -1, moves);
      } else if (user.phase() == Phase.INSIDE && !timed) {
        perform(state, new Step.Exit(i, system.resource(seat)), -1, moves);
      }
    }
    long up = IntStream.range(0, system.size()).filter(i -> isUp(state, i)).count();
    for (int i = 0; i < system.size(); i++) {
      if (isUp(state, i) && up > 1 && state[head - 2] > 0) {
        perform(state, new Step.Crash(i), -1, moves);
      } else if (!isUp(state, i) && state[head - 1] > 0) {
        perform(state, new Step.Recover(i), -1, moves);
      }
    }
    for (int k = head; k < state.length; k++) {
      boolean sameAsLast = k > head && state[k] == state[k - 1];
      Pending next = pending(state, k);
      boolean notYet = timed && next.isAlarm() && !isTimeForAlarms(state, next);
      if (!sameAsLast && !notYet && !(fifo && isOvertaking(state, k, next.step()))) {
        perform(state, next.step(), k - head, moves);
      }
    }
    if (timed && state.length > head) {
      letTimePass(state, moves);
    }
    return moves;
  }

  /** Whether this alarm is due now, and all that must come before it has. */
  private boolean isTimeForAlarms(int[] state, Pending alarm) {
    for (int k = head; k < state.length; k++) {
      if (pending(state, k).left() == 0 && !pending(state, k).isAlarm()) {
        return false;
      }
    }
    return alarm.left() == 0;
  }

  private void letTimePass(int[] state, List<Move> moves) {
    int[] next = state.clone();
    for (int k = head; k < state.length; k++) {
      Pending one = pending(state, k);
      if (one.left() == 0) {
        return; // something must happen first
      }
      next[k] = pendings.number(new Pending(one.step(), one.left() - 1));
    }
    sort(next);
    moves.add(new Move(null, List.of(), next, null));
  }

  /** Where the order of what is pending does not matter, forgets it. */
  private void sort(int[] state) {
    if (!fifo) {
      Arrays.sort(state, head, state.length);
    }
  }

  /** Whether an older message is in transit on the same channel. */
  private boolean isOvertaking(int[] state, int k, Step step) {
    for (int older = head; older < k; older++) {
      if (step instanceof Step.Delivery && channel(state[older]) == channel(state[k])) {
        return true;
      }
    }
    return false;
  }

  /** Performs a step from a state, once for each branch of its choices. */
  private void perform(int[] state, Step step, int consumed, List<Move> moves) {
    do {
      load(state);
      if (consumed >= 0) {
        pending.remove(consumed);
      }
      if (step instanceof Step.Crash) {
        pending.removeIf(number -> pendings.value(number).step().node() == step.node());
      }
      Violation violation = stage.perform(step);
      if (step instanceof Step.Exit exit && violation == null) {
        int seat = system.seat(exit.node(), exit.resource());
        violation = MessageBound.violation(exit.node(), costs[seat], system.cost());
        costs[seat] = 0;
      }
      moves.add(new Move(step, choices.branch(), successor(state, step), violation));
    } while (choices.next());
  }

  private int[] successor(int[] state, Step step) {
    int[] next = Arrays.copyOf(state, head + pending.size());
    next[step.node()] = nodeStates.number(stage.state(step.node()));
    for (int seat = 0; seat < system.seats(); seat++) {
      Step.Enter coming = new Step.Enter(system.node(seat), system.resource(seat));
      Phase phase = stage.phase(coming.node(), coming.resource());
      int left = user(state, seat).left() - (step.equals(coming) ? 1 : 0);
      next[system.size() + seat] = users.number(new User(phase, left, costs[seat]));
    }
    next[head - 2] -= step instanceof Step.Crash ? 1 : 0;
    next[head - 1] -= step instanceof Step.Recover ? 1 : 0;
    if (fifo) {
      pending.sort(Comparator.comparing(this::channel)); // stable: order matters within a channel
    }
    for (int k = 0; k < pending.size(); k++) {
      next[head + k] = pending.get(k);
    }
    sort(next);
    return next;
  }

  private long channel(int number) {
    return pendings.value(number).step() instanceof Step.Delivery delivery
        ? ((long) delivery.from() << 32) | delivery.to()
        : Long.MAX_VALUE;
  }

  /** The way to a state, and one move on from it, as a trace. */
  private Trace trace(int number, @Nullable Move last, Violation violation) {
    List<Integer> path = new ArrayList<>();
    for (int state = number; state >= 0; state = table.parent(state)) {
      path.add(0, state);
    }
    Playback playback = new Playback(spec, builder);
    long time = 0;
    for (int k = 1; k < path.size(); k++) {
      int[] to = table.state(path.get(k));
      Move move =
          moves(table.state(path.get(k - 1))).stream()
              .filter(candidate -> Arrays.equals(candidate.to, to))
              .findFirst()
              .orElseThrow();
      time += move.step == null ? Ticks.PER_UNIT : 0;
      play(playback, time, move);
    }
    if (last != null) {
      play(playback, time, last);
    }
    Violation stuck = violation.invariant().equals(Violation.LIVENESS) ? playback.drain() : null;
    return Trace.of(spec, playback.lines(), stuck == null ? violation : stuck);
  }

  private static void play(Playback playback, long time, Move move) {
    if (move.step != null) {
      playback.perform(time, move.step, move.choices);
    }
  }

  @Override
  public void sent(Step.Delivery delivery) {
    pending.add(pendings.number(new Pending(delivery, timed ? 1 : 0)));
    Message message = delivery.message();
    if (message.sink() != NIL && !system.cost().isOpen()) { // without theory cost does not matter
      int seat = system.seat(message.sink(), message.resource());
      costs[seat] = (int) Math.min(costs[seat] + 1L, system.cost().most() + 1);
    }
  }

  @Override
  public void granted(int node, int resource) {
    if (timed) { // elsewhere the phase says it
      pending.add(pendings.number(new Pending(new Step.Exit(node, resource), 1)));
    }
  }

  @Override
  public void alarmSet(int node, Alarm alarm, long delay) {
    Step.Ring ring = new Step.Ring(node, alarm);
    pending.removeIf(number -> pendings.value(number).step().equals(ring));
    int left = timed ? (int) (delay / Ticks.PER_UNIT) : 0;
    pending.add(pendings.number(new Pending(ring, left)));
  }

  @Override
  public void inTransit(Snapshot.Visitor visitor) {
    for (int number : pending) {
      if (pendings.value(number).step() instanceof Step.Delivery delivery) {
        visitor.message(delivery.from(), delivery.to(), delivery.message());
      }
    }
  }
}
