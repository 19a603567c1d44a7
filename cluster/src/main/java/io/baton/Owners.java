package io.baton;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds through the methods of {@link java.util.concurrent.locks.Lock},
 * those included that it has lost and not yet given back.
 *
 * <p>A thread has an array of its own, used from {@link #FIRST} on and up to the first null. What
 * is left free at both its ends keeps what different threads write in different cache lines,
 * wherever the collector moves it. It is no array of holds: a thread of a pool may keep it when all
 * is closed, and with it the class of what it can contain, which an application may want to unload.
 */
final class Owners {
  static final int FIRST = 32;
  private static final int ROOM = 8;

  private final ThreadLocal<@Nullable Object[]> mine = ThreadLocal.withInitial(() -> ofRoom(ROOM));

  private static @Nullable Object[] ofRoom(int room) {
    return new Object[FIRST + room + FIRST];
  }

  /** Of the present thread. */
  @Nullable Object[] ofThisThread() {
    return mine.get();
  }

  private static @Nullable Hold at(@Nullable Object[] held, int place) {
    return (Hold) held[place];
  }

  private static @Nullable Hold find(@Nullable Object[] held, String lock) {
    return at(held, place(held, lock));
  }

  /** Where it is, or the first place that is free. */
  private static int place(@Nullable Object[] held, String lock) {
    int place = FIRST;
    for (Hold hold = at(held, place);
        hold != null && !hold.lock().equals(lock);
        hold = at(held, place)) {
      place++;
    }
    return place;
  }

  /** Whether this thread holds the lock, which it then does once more. */
  static boolean enterAgain(@Nullable Object[] held, String lock) {
    Hold hold = find(held, lock);
    if (hold == null) {
      return false;
    }
    if (!hold.isValid()) {
      throw hold.nestedException(hold.again + 1);
    }
    if (hold.again == Integer.MAX_VALUE) {
      throw new Error("Lock \"" + lock + "\" is held more often than can be counted");
    }
    hold.again++;
    return true;
  }

  /** This thread holds one more. */
  void enter(@Nullable Object[] held, Hold hold) {
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
    @Nullable Object[] held = mine.get();
    int place = place(held, lock);
    Hold hold = at(held, place);
    if (hold == null) {
      throw new IllegalMonitorStateException(notHeld(lock));
    }
    if (hold.again > 0) {
      hold.again--;
      if (!hold.isValid()) {
        throw hold.nestedException(hold.again + 1);
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
