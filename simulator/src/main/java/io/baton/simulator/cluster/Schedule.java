package io.baton.simulator.cluster;

import java.util.Comparator;
import java.util.PriorityQueue;

/** What is to happen, in true time; in order of planning where times are equal. */
final class Schedule {
  private record Event(long time, long number, Runnable action) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparing(Event::number));
  private long planned;
  private long now;
  private long done;

  long now() {
    return now;
  }

  /** How many events have happened. */
  long done() {
    return done;
  }

  void at(long time, Runnable action) {
    events.add(new Event(Math.max(time, now), planned++, action));
  }

  void after(long delay, Runnable action) {
    at(now + delay, action);
  }

  /** Lets the next event happen, if it is due by then; else the time passes. */
  boolean step(long until) {
    Event next = events.peek();
    if (next == null || next.time() > until) {
      now = until;
      return false;
    }
    events.remove();
    now = next.time();
    done++;
    next.action().run();
    return true;
  }
}
