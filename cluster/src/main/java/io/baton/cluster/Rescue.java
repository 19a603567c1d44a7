package io.baton.cluster;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that takes over what others could not finish, because their stack or the memory ended:
 * it has a stack of its own, and tries again until there is memory. To hand something over needs
 * neither. Once a second it also looks after what needs no errand.
 */
final class Rescue {
  private static final Logger LOG = LoggerFactory.getLogger(Rescue.class);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long ROUND = TimeUnit.SECONDS.toNanos(1);
  private static final VarHandle TOP;

  static {
    try {
      TOP = MethodHandles.lookup().findVarHandle(Rescue.class, "top", Errand.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Thread thread;
  private volatile @Nullable Errand top;
  private volatile boolean closed;
  private final Runnable round;

  /**
   * A thread.
   *
   * @param round what it does every second, too
   */
  Rescue(String id, Runnable round) {
    this.round = round;
    this.thread = Threads.named("baton-rescue-" + id).newThread(this::work);
  }

  void start() {
    thread.start();
  }

  /** Takes an errand over that it does not have. */
  void add(Errand errand) {
    push(errand);
    LockSupport.unpark(thread);
  }

  private void push(Errand errand) {
    Errand before;
    do {
      before = top;
      errand.next = before;
    } while (!TOP.compareAndSet(this, before, errand));
  }

  /** Ends once nothing is left to be done. */
  void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  private void work() {
    long nextRound = System.nanoTime() + ROUND;
    long pause = PAUSE;
    while (!closed || top != null) {
      boolean failed = false;
      Errand errand = (Errand) TOP.getAndSet(this, null);
      while (errand != null) {
        Errand following = errand.next;
        failed |= !isDone(errand);
        errand = following;
      }
      long rest = nextRound - System.nanoTime();
      if (rest <= 0) {
        nextRound += ROUND - rest;
        makeRound();
      } else {
        LockSupport.parkNanos(this, failed ? Math.min(pause, rest) : rest);
        pause = failed ? Math.min(2 * pause, ROUND) : PAUSE;
      }
    }
  }

  private void makeRound() {
    try {
      round.run();
    } catch (RuntimeException | Error e) {
      complain(e);
    }
  }

  private boolean isDone(Errand errand) {
    try {
      errand.run();
      return true;
    } catch (RuntimeException | Error e) {
      push(errand); // after a rest
      complain(e);
      return false;
    }
  }

  private static void complain(Throwable failure) {
    try {
      LOG.warn("Not done yet, for {}: tried again", failure.toString());
    } catch (RuntimeException | Error e) {
      // There is not even memory to say so.
    }
  }
}
