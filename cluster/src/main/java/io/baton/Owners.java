package io.baton;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds through the methods of {@link java.util.concurrent.locks.Lock},
 * those included that it has lost and not yet given back.
 *
 * <p>A thread has an array of its own, used from {@link #FIRST} on and up to the first null. What
 * is left free at both its ends keeps what different threads write in different cache lines,
 * wherever the collector moves it.
 */
final class Owners {
  static final int FIRST = 32;
  private static final int ROOM = 8;

  private final ThreadLocal<@Nullable Hold[]> mine = ThreadLocal.withInitial(() -> ofRoom(ROOM));

  private static @Nullable Hold[] ofRoom(int room) {
    return new Hold[FIRST + room + FIRST];
  }

  /** Of the present thread. */
  @Nullable Hold[] ofThisThread() {
    return mine.get();
  }

  private static @Nullable Hold find(@Nullable Hold[] held, String lock) {
    return held[place(held, lock)];
  }

  /** Where it is, or the first place that is free. */
  private static int place(@Nullable Hold[] held, String lock) {
    int place = FIRST;
    for (Hold hold = held[place]; hold != null && !hold.lock().equals(lock); hold = held[place]) {
      place++;
    }
    return place;
  }

  /** Whether this thread holds the lock, which it then does once more. */
  static boolean enterAgain(@Nullable Hold[] held, String lock) {
    Hold hold = find(held, lock);
    if (hold == null) {
      return false;
    }
    if (!hold.isValid()) {
      throw hold.overException();
    }
    if (hold.again == Integer.MAX_VALUE) {
      throw new Error("Lock \"" + lock + "\" is held more often than can be counted");
    }
    hold.again++;
    return true;
  }

  /** This thread holds one more. */
  void enter(@Nullable Hold[] held, Hold hold) {
    int place = FIRST;
    while (held[place] != null) {
      place++;
    }
    if (place == held.length - FIRST) { // what comes here is the null at the end
      held = Arrays.copyOf(held, held.length * 2);
      mine.set(held);
    }
    held[place] = hold;
  }

  /** This thread gives it back once; the hold, if that was the last time; else it must be valid. */
  @Nullable Hold leave(String lock) {
    @Nullable Hold[] held = mine.get();
    int place = place(held, lock);
    Hold hold = held[place];
    if (hold == null) {
      throw new IllegalMonitorStateException(notHeld(lock));
    }
    if (hold.again > 0) {
      hold.again--;
      if (!hold.isValid()) {
        throw hold.overException();
      }
      return null;
    }
    int last = place;
    while (held[last + 1] != null) {
      last++;
    }
    held[place] = held[last];
    held[last] = null;
    return hold;
  }

  @Nullable Hold holdOf(String lock) {
    return find(mine.get(), lock);
  }

  String notHeld(String lock) {
    return "Lock \"" + lock + "\" is not held by thread " + Thread.currentThread().getName();
  }
}
