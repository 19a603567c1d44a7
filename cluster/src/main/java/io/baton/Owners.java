package io.baton;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds through the methods of {@link java.util.concurrent.locks.Lock},
 * those included that it has lost and not yet given back.
 */
final class Owners {
  private final ThreadLocal<List<Hold>> mine = ThreadLocal.withInitial(() -> new ArrayList<>(2));

  /** Of the present thread. */
  List<Hold> ofThisThread() {
    return mine.get();
  }

  private static int find(List<Hold> held, String lock) {
    int place = held.size() - 1;
    while (place >= 0 && !held.get(place).lock().equals(lock)) {
      place--;
    }
    return place;
  }

  /** Whether this thread holds the lock, which it then does once more. */
  static boolean enterAgain(List<Hold> held, String lock) {
    int place = find(held, lock);
    if (place < 0) {
      return false;
    }
    Hold hold = held.get(place);
    if (!hold.isValid()) {
      throw hold.overException();
    }
    if (hold.again == Integer.MAX_VALUE) {
      throw new Error("Lock \"" + lock + "\" is held more often than can be counted");
    }
    hold.again++;
    return true;
  }

  /** This thread gives it back once; the hold, if that was the last time; else it must be valid. */
  @Nullable Hold leave(String lock) {
    List<Hold> held = mine.get();
    int place = find(held, lock);
    if (place < 0) {
      throw new IllegalMonitorStateException(notHeld(lock));
    }
    Hold hold = held.get(place);
    if (hold.again > 0) {
      hold.again--;
      if (!hold.isValid()) {
        throw hold.overException();
      }
      return null;
    }
    return held.remove(place);
  }

  @Nullable Hold holdOf(String lock) {
    List<Hold> held = mine.get();
    int place = find(held, lock);
    return place < 0 ? null : held.get(place);
  }

  String notHeld(String lock) {
    return "Lock \"" + lock + "\" is not held by thread " + Thread.currentThread().getName();
  }
}
