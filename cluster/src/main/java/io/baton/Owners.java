package io.baton;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Which threads hold which locks through the methods of {@link java.util.concurrent.locks.Lock}.
 */
final class Owners {
  /** A thread and a lock: of a lost hold there may be an owner beside the real one. */
  private record Key(String lock, Thread thread) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && key.thread == thread && key.lock.equals(lock);
    }

    @Override
    public int hashCode() {
      return 31 * lock.hashCode() + System.identityHashCode(thread);
    }
  }

  /** Touched by its thread alone. */
  private static final class Times {
    private final Hold hold;
    private int depth = 1;

    Times(Hold hold) {
      this.hold = hold;
    }
  }

  private final ConcurrentMap<Key, Times> held = new ConcurrentHashMap<>();

  void enter(Hold hold) {
    held.put(new Key(hold.lock(), Thread.currentThread()), new Times(hold));
  }

  /** Whether this thread holds the lock, which it then does once more. */
  boolean enterAgain(String lock) {
    if (held.isEmpty()) {
      return false;
    }
    Times times = held.get(new Key(lock, Thread.currentThread()));
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
    Key key = new Key(lock, Thread.currentThread());
    Times times = held.get(key);
    if (times == null) {
      throw new IllegalMonitorStateException(notHeld(lock));
    }
    if (--times.depth > 0) {
      return null;
    }
    held.remove(key);
    return times.hold;
  }

  @Nullable Hold holdOf(String lock) {
    Times times = held.get(new Key(lock, Thread.currentThread()));
    return times == null ? null : times.hold;
  }

  String notHeld(String lock) {
    return "Lock \"" + lock + "\" is not held by thread " + Thread.currentThread().getName();
  }
}
