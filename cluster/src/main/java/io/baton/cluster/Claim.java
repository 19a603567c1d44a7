package io.baton.cluster;

import io.baton.member.Caller;
import io.baton.member.Loss;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One wish for a lock, from its beginning until it is given back, given up or lost. Its state
 * changes under the guard of its {@link Host} and may be read by anybody.
 */
public final class Claim implements Caller {
  /** How far it has come. */
  public enum State {
    /** Not granted yet. */
    WAITING,
    /** The lock is its own, as long as the lease lasts. */
    GRANTED,
    /** It was lost, or waited for in vain. */
    LOST,
    /** It was given back, or given up. */
    OVER
  }

  private final Host host;
  private final String lock;
  private final Thread thread; // that asked
  private final @Nullable Consumer<Claim> arrival; // null: the thread that asked waits itself
  private long fence;
  private long since; // by the clock of the host
  private @Nullable Loss loss;
  private volatile State state = State.WAITING;
  private @Nullable List<Consumer<Loss>> listeners; // guarded by this

  /**
   * A wish.
   *
   * @param arrival told, on a thread for callbacks, when the wish is granted or in vain; null: the
   *     thread that asks parks
   */
  public Claim(Host host, String lock, @Nullable Consumer<Claim> arrival) {
    this.host = host;
    this.lock = lock;
    this.thread = Thread.currentThread();
    this.arrival = arrival;
  }

  /** The lock's name. */
  public String lock() {
    return lock;
  }

  /** The thread that asked. */
  public Thread thread() {
    return thread;
  }

  /** How far it has come. */
  public State state() {
    return state;
  }

  /** The number of the grant. */
  public long fence() {
    return fence;
  }

  /** When it was granted, by the wall clock as it is now: for people to read. */
  public Instant since() {
    return Instant.now().minusNanos(host.clock().now() - since);
  }

  /** Why it was lost; null: it was not. */
  public @Nullable Loss loss() {
    return state == State.LOST ? loss : null;
  }

  /**
   * Whether the lock is its own at this instant. The end of the lease is read before the state: the
   * lease of a new life is to be seen only after this claim was lost with the former one.
   */
  public boolean isValid() {
    long until = host.heldUntil();
    return state == State.GRANTED && host.clock().now() < until;
  }

  /** For how many nanoseconds it is safely its own; none where it is not. */
  public long remaining() {
    long until = host.heldUntil();
    return state == State.GRANTED ? Math.max(0, until - host.clock().now()) : 0;
  }

  /** Has somebody told of a loss, on a thread of its own; at once where it has happened. */
  public void onLost(Consumer<Loss> listener) {
    synchronized (this) {
      if (listeners == null) {
        listeners = new ArrayList<>(1);
      }
      listeners.add(listener);
    }
    if (state == State.LOST) {
      tellLoss();
    }
  }

  @Override
  public void granted(long newFence) {
    fence = newFence;
    since = host.instant();
    state = State.GRANTED;
    if (Thread.currentThread() != thread || arrival != null) {
      host.tellLater(this);
    }
  }

  @Override
  public void lost(Loss reason) {
    loss = reason;
    state = State.LOST;
    host.tellLater(this);
  }

  /** Given back or given up, under the guard. */
  void over() {
    state = State.OVER;
  }

  /** Outside the guard: whoever waits for a change hears of it. */
  void tell() {
    if (arrival == null) {
      LockSupport.unpark(thread);
    } else if (state != State.OVER) {
      host.callBack(() -> arrival.accept(this));
    }
    if (state == State.LOST) {
      tellLoss();
    }
  }

  private void tellLoss() {
    List<Consumer<Loss>> toTell;
    synchronized (this) {
      toTell = listeners == null ? List.of() : listeners;
      listeners = null;
    }
    Loss reason = loss;
    if (reason != null) {
      toTell.forEach(listener -> host.callBack(() -> listener.accept(reason)));
    }
  }
}
