package io.baton.cli.run;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Revival;
import io.baton.simulator.system.LockSystem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One node of a system in real time, with the users before it and its alarms. Performs one atomic
 * step at a time, and reports it with all its effects.
 */
final class Host implements Effects {
  /** The other nodes, as seen from this one. */
  interface Outlet {
    /**
     * Finds the way of a message.
     *
     * @return null where it will be given back
     */
    Report.@Nullable Sent route(int to, Message message);

    /** A step is over: reports it, and lets its messages set out. */
    void performed(Report report);
  }

  /** A node did what no node does. */
  static final class Broken extends RuntimeException {
    Broken(String invariant, String detail) {
      super(invariant + "\n" + detail, null, false, false);
    }
  }

  /** The users of one resource at this node. */
  private static final class Seat {
    final Deque<Long> queue = new ArrayDeque<>(); // how long each will hold; first who asks now
    boolean asking;
    long cargo; // found at the grant
  }

  /**
   * Something to happen later.
   *
   * @param alarm null where it is the user of the resource who leaves
   */
  private record Timer(long time, @Nullable Alarm alarm, int resource) {}

  private final int i;
  private final Algorithm algorithm;
  private final Outlet outlet;
  private final long delta;
  private final Seat[] seats; // by resource
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((a, b) -> Long.compare(a.time() - b.time(), 0));
  private final Map<Alarm, Long> alarms = new HashMap<>(); // when each is to ring

  private long now; // when the step at hand began
  private List<Report.Sent> sent = new ArrayList<>();
  private List<Report.Grant> grants = new ArrayList<>();

  /**
   * A node in its initial state.
   *
   * @param delta how many nanoseconds there are to a tick of an alarm
   */
  Host(int i, LockSystem system, long delta, Outlet outlet) {
    this.i = i;
    this.algorithm = system.nodes().apply(i);
    this.outlet = outlet;
    this.delta = delta;
    this.seats = new Seat[system.resources()];
    for (int r = 0; r < seats.length; r++) {
      seats[r] = new Seat();
    }
  }

  /** A user comes who will hold for that long. */
  void arrive(int resource, long hold) {
    Seat seat = seats[resource];
    seat.queue.add(hold);
    if (seat.queue.size() == 1) {
      enter(Report.Kind.ENTER, resource);
    } else {
      perform(Report.Kind.QUEUE, resource, 0, null, out -> {});
    }
  }

  private void enter(Report.Kind kind, int resource) {
    seats[resource].asking = true;
    perform(kind, resource, 0, null, out -> algorithm.enter(resource, out));
  }

  private void exit(int resource) {
    Seat seat = seats[resource];
    seat.queue.remove();
    perform(
        Report.Kind.EXIT, resource, 0, null, out -> algorithm.exit(resource, seat.cargo + 1, out));
    if (!seat.queue.isEmpty()) {
      enter(Report.Kind.TURN, resource);
    }
  }

  void receive(int from, int life, Message message) {
    perform(Report.Kind.RECEIVE, from, life, message, out -> algorithm.receive(from, message, out));
  }

  void recover(Revival revival) {
    perform(Report.Kind.RECOVER, i, revival.life(), null, out -> algorithm.recover(revival, out));
  }

  void lost(int node, boolean forGood, List<Message> unsent) {
    perform(
        Report.Kind.LOST, node, 0, null, out -> algorithm.disconnected(node, forGood, unsent, out));
  }

  void found(int node, int life) {
    Revival.Neighbour neighbour = new Revival.Neighbour(node, life);
    perform(Report.Kind.FOUND, node, life, null, out -> algorithm.connected(neighbour, out));
  }

  /** Lets happen what is due; returns how long until something else is, in nanoseconds. */
  long work() {
    Timer next = timers.peek();
    while (next != null && next.time() - System.nanoTime() <= 0) {
      timers.remove();
      Alarm alarm = next.alarm();
      if (alarm == null) {
        exit(next.resource());
      } else if (alarms.remove(alarm, next.time())) {
        perform(Report.Kind.ALARM, i, 0, null, out -> algorithm.alarm(alarm, out));
      }
      next = timers.peek();
    }
    return next == null ? Long.MAX_VALUE : Math.max(0, next.time() - System.nanoTime());
  }

  private void perform(
      Report.Kind kind, int subject, int life, @Nullable Message message, Consumer<Effects> step) {
    now = System.nanoTime();
    sent = new ArrayList<>();
    grants = new ArrayList<>();
    try {
      step.accept(this);
    } catch (Broken e) {
      broken(String.valueOf(e.getMessage()));
    } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
      broken("no node fails\n" + Names.of(i) + " failed: " + e);
    }
    outlet.performed(new Report(kind, now, subject, life, message, sent, grants, ""));
  }

  private void broken(String text) {
    outlet.performed(new Report(Report.Kind.BROKEN, now, i, 0, null, List.of(), List.of(), text));
  }

  @Override
  public void send(int to, Message message) {
    Report.Sent routed = outlet.route(to, message);
    if (routed != null) {
      sent.add(routed);
    }
  }

  @Override
  public void grant(int resource, long cargo) {
    Seat seat = seats[resource];
    Long hold = seat.queue.peek();
    if (hold == null || !seat.asking) {
      throw new Broken("only who asked is granted", Names.of(i) + " did not ask");
    }
    seat.asking = false;
    seat.cargo = cargo;
    grants.add(new Report.Grant(resource, cargo));
    timers.add(new Timer(now + hold, null, resource));
  }

  @Override
  public void setAlarm(Alarm alarm, long delay) {
    long time = now + delay * delta;
    alarms.put(alarm, time); // one set earlier no longer counts
    timers.add(new Timer(time, alarm, 0));
  }
}
