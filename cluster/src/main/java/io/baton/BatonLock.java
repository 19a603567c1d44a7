package io.baton;

import io.baton.cluster.Claim;
import io.baton.cluster.Grip;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A lock of the cluster, by its name: at most one hold of it at a time, at all members together.
 *
 * <p>{@link #acquire}, {@link #tryAcquire} and {@link #acquireAsync} give a {@link Hold}, which
 * belongs to whoever has it and is not reentrant. The methods of {@link Lock} are a reentrant
 * adapter bound to threads: {@link #lock}, then {@link #unlock} by the same thread. Where the hold
 * behind it was lost meanwhile, {@code unlock} and a nested {@code lock} say so with a {@link
 * LockLostException}. A thread that ends without {@code unlock} leaves the lock held for as long as
 * its member lives, or until somebody calls {@link Baton#forceRelease}.
 *
 * <p>Once this member has left its cluster, whatever asks for the lock throws a {@link
 * BatonClosedException}.
 *
 * <p>These objects are light: get them from {@link Baton#lock} as often as you like.
 */
public final class BatonLock implements Lock {
  private final Baton baton;
  private final String name;
  private @Nullable Claim kept; // where it was last found; whether it still holds it tells itself

  BatonLock(Baton baton, String name) {
    this.baton = baton;
    this.name = name;
  }

  /** The name of the lock. */
  public String name() {
    return name;
  }

  // The core: holds.

  /**
   * Waits until the lock is granted.
   *
   * @throws InterruptedException if the thread is interrupted before
   * @throws BatonClosedException if this member leaves the cluster before
   */
  public Hold acquire() throws InterruptedException {
    Hold hold = await(true, Long.MAX_VALUE);
    if (hold == null) {
      throw new IllegalStateException("Gave up without a limit");
    }
    return hold;
  }

  /**
   * Waits until the lock is granted, whatever interrupts the thread meanwhile; it is interrupted
   * still when this returns.
   *
   * @throws BatonClosedException if this member leaves the cluster before
   */
  public Hold acquireUninterruptibly() {
    try {
      Hold hold = await(false, Long.MAX_VALUE);
      if (hold == null) {
        throw new IllegalStateException("Gave up without a limit");
      }
      return hold;
    } catch (InterruptedException e) {
      throw new IllegalStateException("Interrupted where that is not possible", e);
    }
  }

  /**
   * Waits until the lock is granted, for so long at most; zero or less: only if the lock is free,
   * as {@link #tryLock()}.
   */
  public Optional<Hold> tryAcquire(Duration limit) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return Optional.ofNullable(within(Checks.nanos(limit)));
  }

  /**
   * The lock, once it is granted. Cancel the future to give up; who has not closed a hold that came
   * is still holding it. Where this member leaves the future fails.
   */
  public CompletableFuture<Hold> acquireAsync() {
    CompletableFuture<Hold> future = new CompletableFuture<>();
    ask(future);
    return future;
  }

  private void ask(CompletableFuture<Hold> future) {
    AtomicBoolean arrived = new AtomicBoolean();
    Claim claim =
        new Claim(
            baton.host(),
            name,
            told -> {
              if (arrived.compareAndSet(false, true)) { // it is told of a loss as well
                arrive(told, future);
              }
            });
    baton.host().acquire(claim);
    var unused =
        future.whenComplete(
            (hold, failure) -> {
              if (hold == null) {
                baton.host().cancel(claim);
              }
            });
  }

  private void arrive(Claim claim, CompletableFuture<Hold> future) {
    Hold hold = new Hold(baton).of(claim.taken());
    if (hold != null) {
      if (!future.complete(hold)) {
        hold.close();
      }
    } else if (claim.isClosed()) {
      future.completeExceptionally(closed());
    } else {
      baton.host().cancel(claim);
      if (!future.isDone()) {
        try {
          ask(future); // lost before anybody knew that it was granted
        } catch (RuntimeException e) {
          future.completeExceptionally(e);
        }
      }
    }
  }

  private @Nullable Hold within(long nanos) throws InterruptedException {
    return nanos > 0 ? await(true, nanos) : atOnce();
  }

  private @Nullable Hold atOnce() {
    Hold hold = new Hold(baton);
    Hold kept = hold.of(takeKept());
    if (kept != null) {
      return kept;
    }
    Claim claim = new Claim(baton.host(), name, null);
    baton.host().attempt(claim);
    park(claim);
    Hold taken = hold.of(claim.taken());
    if (taken == null) {
      baton.host().cancel(claim);
    }
    if (claim.isClosed()) {
      throw closed();
    }
    return taken;
  }

  /** Until an attempt has been answered, which does not take long, whatever interrupts. */
  private void park(Claim claim) {
    boolean interrupted = false;
    while (claim.isWaiting()) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a grant; null where the time is over. */
  private @Nullable Hold await(boolean interruptibly, long nanos) throws InterruptedException {
    if (interruptibly && Thread.interrupted()) {
      throw new InterruptedException();
    }
    Hold hold = new Hold(baton);
    Hold kept = hold.of(takeKept());
    return kept == null ? ask(hold, interruptibly, nanos) : kept;
  }

  /** Takes the lock where this process keeps it, without asking the member. */
  private @Nullable Grip takeKept() {
    if (baton.host().isDraining()) {
      throw closed();
    }
    Claim claim = kept;
    Grip grip = claim == null ? null : claim.takeAgain();
    if (grip == null) {
      claim = baton.host().kept(name);
      kept = claim;
      grip = claim == null ? null : claim.takeAgain();
    }
    return grip;
  }

  private @Nullable Hold ask(Hold hold, boolean interruptibly, long nanos)
      throws InterruptedException {
    long start = nanos == Long.MAX_VALUE ? 0 : System.nanoTime();
    while (true) {
      Claim claim = new Claim(baton.host(), name, null);
      baton.host().acquire(claim);
      boolean inTime = park(claim, interruptibly, start, nanos);
      Hold taken = hold.of(claim.taken());
      if (taken != null) {
        return taken;
      }
      baton.host().cancel(claim);
      if (claim.isClosed()) {
        throw closed();
      }
      if (!inTime) {
        return null;
      }
    }
  }

  /** Until the claim is granted or in vain; false: the time is over. */
  private boolean park(Claim claim, boolean interruptibly, long start, long nanos)
      throws InterruptedException {
    boolean interrupted = false;
    try {
      while (claim.isWaiting()) {
        long rest = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - start);
        if (rest <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, rest);
        if (Thread.interrupted()) {
          if (interruptibly) {
            baton.host().cancel(claim);
            throw new InterruptedException();
          }
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private BatonException closed() {
    String what = "Cannot acquire lock \"" + name + "\": this member (" + baton.id() + ") ";
    Throwable defect = baton.host().brokenBy();
    return defect == null
        ? new BatonClosedException(what + "has left the cluster")
        : new BatonException(what + "was ended by an error: " + defect, defect);
  }

  // The adapter: a Lock as java.util.concurrent knows it.

  /** Waits until the lock is granted to this thread, whatever interrupts it. */
  @Override
  public void lock() {
    @Nullable Object[] held = baton.owners().ofThisThread();
    if (!Owners.enterAgain(held, name)) {
      own(held, acquireUninterruptibly());
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    @Nullable Object[] held = baton.owners().ofThisThread();
    if (!Owners.enterAgain(held, name)) {
      own(held, await(true, Long.MAX_VALUE));
    }
  }

  /**
   * Takes the lock if nobody has it and nobody waits for it, wherever its token is; of several that
   * try at the same moment on a free lock, one succeeds. Where another member has to be asked this
   * takes as long as a few messages do, and a fifth of the lease at most: then it fails.
   */
  @Override
  public boolean tryLock() {
    @Nullable Object[] held = baton.owners().ofThisThread();
    return Owners.enterAgain(held, name) || own(held, atOnce());
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    @Nullable Object[] held = baton.owners().ofThisThread();
    return Owners.enterAgain(held, name) || own(held, within(unit.toNanos(time)));
  }

  private boolean own(@Nullable Object[] held, @Nullable Hold hold) {
    if (hold != null) {
      baton.owners().enter(held, hold);
    }
    return hold != null;
  }

  /**
   * Gives the lock back, once this thread has done so as often as it took it.
   *
   * @throws IllegalMonitorStateException if this thread has not taken it, or has closed its {@link
   *     #hold}
   * @throws LockLostException if it was lost meanwhile
   */
  @Override
  public void unlock() {
    Hold over = baton.owners().leave(name);
    if (over != null) {
      RuntimeException problem = over.isValid() ? null : over.overException();
      over.close();
      if (problem != null) {
        throw problem;
      }
    }
  }

  /** Whether this thread holds the lock, and has not lost it. */
  public boolean isHeldByCurrentThread() {
    Hold hold = baton.owners().holdOf(name);
    return hold != null && hold.isValid();
  }

  /**
   * The hold behind {@link #lock}, for its fence.
   *
   * @throws IllegalMonitorStateException if this thread has not taken the lock
   */
  public Hold hold() {
    Hold hold = baton.owners().holdOf(name);
    if (hold == null) {
      throw new IllegalMonitorStateException(baton.owners().notHeld(name));
    }
    return hold;
  }

  /** Not offered: a condition of a lock that many machines share would need messages of its own. */
  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "Baton offers no conditions: waiting for another machine's signal is not what a lock does."
            + " Poll under the lock, or use a queue.");
  }

  @Override
  public String toString() {
    return "BatonLock \"" + name + "\"";
  }
}
