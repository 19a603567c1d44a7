package io.baton;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds through the methods of {@link java.util.concurrent.locks.Lock},
 * those included that it has lost and not yet given back.
 */
final class Owners {
  /** One lock of one thread. */
  private static final class Times {
    private final Hold hold;
    private int depth = 1;

    Times(Hold hold) {
      this.hold = hold;
    }
  }

  private final ThreadLocal<List<Times>> mine = ThreadLocal.withInitial(() -> new ArrayList<>(2));

  void enter(Hold hold) {
    mine.get().add(new Times(hold));
  }

  private static @Nullable Times find(List<Times> held, String lock) {
    for (int k = held.size() - 1; k >= 0; k--) {
      if (held.get(k).hold.lock().equals(lock)) {
        return held.get(k);
      }
    }
    return null;
  }

  /** Whether this thread holds the lock, which it then does once more. */
  boolean enterAgain(String lock) {
    Times times = find(mine.get(), lock);
    if (times == null) {
      return false;
    }
    if (!times.hold.isValid()) {
      throw times.hold.lostException();
    }
    if (times.depth == Integer.MAX_VALUE) {
      throw new Error("Lock \"" + lock + "\" is held more often than can be counted");
    }
    times.depth++;
    return true;
  }

  /** This thread gives it back once; the hold, if that was the last time. */
  @Nullable Hold leave(String lock) {
    List<Times> held = mine.get();
    Times times = find(held, lock);
    if (times == null) {
      throw new IllegalMonitorStateException(notHeld(lock));
    }
    if (--times.depth > 0) {
      return null;
    }
    held.remove(times);
    return times.hold;
  }

  @Nullable Hold holdOf(String lock) {
    Times times = find(mine.get(), lock);
    return times == null ? null : times.hold;
  }

  String notHeld(String lock) {
    return "Lock \"" + lock + "\" is not held by thread " + Thread.currentThread().getName();
  }
}
