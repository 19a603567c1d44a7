package io.baton.simulator.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** In which order calls are served: by arrival at one member, and in turn between members. */
final class Turns {
  /** One call, from when it is made until it is granted, given up or lost. */
  record Waiting(Site site, int start, String lock, long since, Object call) {}

  private record Desk(Site site, int start, String lock) {}

  /** Grants of a lock in a row at one member. */
  private record Streak(Site site, List<Long> times) {}

  private final Map<Desk, ArrayDeque<Waiting>> desks = new HashMap<>();
  private final Map<String, Streak> streaks = new HashMap<>();
  private long asked; // when everybody last asked anew
  private final int passes;
  private final long known; // after so long a call is known wherever it must be; 0: never surely

  Turns(int passes, long known) {
    this.passes = passes;
    this.known = known;
  }

  /** An epoch begins, and everybody asks anew. */
  void askedAnew(long now) {
    asked = now;
  }

  /** Whether no epoch began since. */
  boolean isUndisturbedSince(long time) {
    return asked < time;
  }

  void called(Waiting waiting) {
    desk(waiting).add(waiting);
  }

  void gone(Waiting waiting) {
    desk(waiting).removeIf(each -> each.call() == waiting.call());
  }

  private ArrayDeque<Waiting> desk(Waiting waiting) {
    return desks.computeIfAbsent(
        new Desk(waiting.site(), waiting.start(), waiting.lock()), d -> new ArrayDeque<>());
  }

  /** A call is granted: what is wrong with that, or null. */
  @Nullable String granted(Waiting waiting, long now) {
    Waiting first = desk(waiting).peek();
    boolean inOrder = first != null && first.call() == waiting.call();
    gone(waiting);
    Streak streak = streaks.get(waiting.lock());
    if (streak == null || streak.site() != waiting.site()) {
      streak = new Streak(waiting.site(), new ArrayList<>());
      streaks.put(waiting.lock(), streak);
    }
    streak.times().add(now);
    if (!inOrder) {
      return waiting.site().id + " does not serve first who came first";
    }
    int before = streak.times().size() - passes - 3;
    long start = Math.max(asked, streak.times().get(0)); // a borrower is told after the token
    return known > 0 && before >= 0 ? passedOver(waiting, start, streak.times().get(before)) : null;
  }

  private @Nullable String passedOver(Waiting granted, long start, long since) {
    for (ArrayDeque<Waiting> desk : desks.values()) {
      for (Waiting other : desk) {
        if (other.lock().equals(granted.lock())
            && other.site() != granted.site()
            && Math.max(other.since(), start) + known < since) {
          return String.format(
              "%s takes %s again and again, and %s waits since %d",
              granted.site().id, granted.lock(), other.site().id, other.since());
        }
      }
    }
    return null;
  }
}
