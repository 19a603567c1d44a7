package io.baton;

import io.baton.cluster.LockReports;
import io.baton.cluster.Terms;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock of the cluster, by its name: at most one hold of it at a time, at all members together.
 *
 * <p>{@link #acquire}, {@link #tryAcquire} and {@link #acquireAsync} give a {@link Hold}, which
 * belongs to whoever has it and is not reentrant; {@link #run} and {@link #call} do some work under
 * one. The methods of {@link Lock} are a reentrant adapter bound to threads: {@link #lock}, then
 * {@link #unlock} by the same thread. Where the hold behind it was lost meanwhile, {@code unlock}
 * and a nested {@code lock} say so with a {@link LockLostException}; to go on, unlock as often as
 * it was locked, and lock anew. A thread that ends without {@code unlock} leaves the lock held for
 * as long as its member lives, or until somebody calls {@link Baton#forceRelease}.
 *
 * <p>{@link #atMost}, {@link #atLeast}, {@link #note} and {@link #ownedBy} give the same lock on
 * other terms, which hold for whatever is taken by the object that they give.
 *
 * <p>Once this member has left its cluster, whatever asks for the lock throws a {@link
 * BatonClosedException}.
 *
 * <p>These objects are light: get them from {@link Baton#lock} as often as you like.
 */
public final class BatonLock implements Lock {
  private final Baton baton;
  private final String name;
  private final Taking taking;

  BatonLock(Baton baton, String name, Terms terms) {
    this.baton = baton;
    this.name = name;
    this.taking = new Taking(baton, name, terms);
  }

  /** The name of the lock. */
  public String name() {
    return name;
  }

  // Terms.

  /**
   * Holds end by themselves after so long ({@link LossReason#EXPIRED}), unless they are closed
   * before or {@linkplain Hold#extend extended}.
   */
  @CheckReturnValue
  public BatonLock atMost(Duration limit) {
    return on(taking.terms().withAtMost(Checks.atMost(limit)));
  }

  /**
   * Others get the lock no sooner than so long after a hold has begun, even where it is closed
   * before, as long as this member lives. So a short job that several start at nearly the same time
   * runs once.
   */
  @CheckReturnValue
  public BatonLock atLeast(Duration time) {
    return on(taking.terms().withAtLeast(Checks.limit("atLeast", time)));
  }

  /** A note on its holds that others see in {@link #info} and {@link #explain}. */
  @CheckReturnValue
  public BatonLock note(String note) {
    return on(taking.terms().withNote(Checks.note(note)));
  }

  /**
   * Who takes it, in place of the thread that does: for programs in which many threads work for one
   * and the same. It is shown to others, and deadlocks between owners are found. One owner may wait
   * for one lock at a time and hold many, and is one of this member: the same name elsewhere is
   * another's.
   */
  @CheckReturnValue
  public BatonLock ownedBy(String owner) {
    return on(taking.terms().withOwner(Checks.owner(owner)));
  }

  private BatonLock on(Terms terms) {
    Checks.fit(terms);
    return new BatonLock(baton, name, terms);
  }

  // The core: holds.

  /**
   * Waits until the lock is granted.
   *
   * @throws InterruptedException if the thread is interrupted before
   * @throws BatonClosedException if this member leaves the cluster before
   */
  @CheckReturnValue
  public Hold acquire() throws InterruptedException {
    return taking.interruptibly();
  }

  /**
   * Waits until the lock is granted, whatever interrupts the thread meanwhile; it is interrupted
   * still when this returns.
   *
   * @throws BatonClosedException if this member leaves the cluster before
   */
  @CheckReturnValue
  public Hold acquireUninterruptibly() {
    return taking.uninterruptibly();
  }

  /**
   * Waits until the lock is granted, for so long at most; zero: only if the lock is free, as {@link
   * #tryLock()}.
   */
  @CheckReturnValue
  public Optional<Hold> tryAcquire(Duration limit) throws InterruptedException {
    long nanos = Checks.limit("The limit", limit);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Hold hold = taking.within(nanos);
    try {
      return Optional.ofNullable(hold);
    } catch (Error e) { // of memory: nobody would have the hold
      if (hold != null) {
        hold.close();
      }
      throw e;
    }
  }

  /**
   * The lock, once it is granted. Cancel the future to give up; who has not closed a hold that came
   * is still holding it. Where this member leaves the future fails.
   */
  @CheckReturnValue
  public CompletableFuture<Hold> acquireAsync() {
    return taking.later();
  }

  // Work that does not outlive the lock.

  /**
   * Takes the lock, does something, and gives the lock back. Where it is lost meanwhile the thread
   * is interrupted, and whatever comes of the task, this throws; one interrupt tells of the loss,
   * also where somebody else interrupts at that time.
   *
   * @throws LockLostException if the lock was lost before the task ended; what the task itself
   *     threw is among the suppressed
   * @throws InterruptedException if the thread is interrupted before the lock is granted
   */
  public void run(Runnable task) throws InterruptedException {
    Objects.requireNonNull(task);
    try {
      LockedWork.call(
          acquire(),
          hold -> {
            task.run();
            return true;
          });
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) { // thrown by a task in another language, without saying so
      throw new IllegalStateException(e);
    }
  }

  /** The same for a task that gives something. */
  public <T> T call(Callable<T> task) throws Exception {
    Objects.requireNonNull(task);
    return LockedWork.call(acquire(), hold -> task.call());
  }

  /** The same for a task that needs its hold, for the fence. */
  public <T> T call(LockedTask<T> task) throws Exception {
    Objects.requireNonNull(task);
    return LockedWork.call(acquire(), task);
  }

  /**
   * Begins a task once the lock is granted, on a thread for callbacks, and gives the lock back when
   * its stage is over. Where the lock is lost before, the stage is cancelled and the future fails
   * with a {@link LockLostException}. Cancel the future to give up, or to cancel the stage. A stage
   * that is cancelled is over, and the lock is given back, though a thread may still work for it:
   * what must not go on has to look at {@link Hold#isValid}, or be done in {@link #call}.
   */
  @CheckReturnValue
  public <T> CompletableFuture<T> callAsync(
      Function<? super Hold, ? extends CompletionStage<T>> task) {
    Objects.requireNonNull(task);
    return LockedWork.callAsync(acquireAsync(), task, baton.host()::callBack);
  }

  // What is known of it.

  /**
   * Who holds the lock and who waits for it, asked of those concerned: the members between this one
   * and the token, and those that wait there. It takes two seconds at most; what nobody tells in
   * that time is {@linkplain LockInfo.State#UNKNOWN unknown}.
   */
  @CheckReturnValue
  public CompletableFuture<LockInfo> info() {
    return baton
        .shell()
        .lock(name)
        .thenApply(reports -> LockInfo.of(name, reports, baton.config()));
  }

  /** Why the lock is not granted here, in words and as a record; asks as {@link #info} does. */
  @CheckReturnValue
  public Explanation explain() {
    LockReports reports = baton.shell().lock(name).join();
    List<String> obstacles =
        reports.reports().stream()
            .map(report -> report.obstacle())
            .filter(obstacle -> !obstacle.isEmpty())
            .distinct()
            .toList();
    return Explanation.of(LockInfo.of(name, reports, baton.config()), obstacles, baton.id());
  }

  // The adapter: a Lock as java.util.concurrent knows it.

  /** Waits until the lock is granted to this thread, whatever interrupts it. */
  @Override
  public void lock() {
    @Nullable Object[] held = baton.owners().ofThisThread();
    if (!Owners.enterAgain(held, name)) {
      own(held, taking.uninterruptibly());
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    @Nullable Object[] held = baton.owners().ofThisThread();
    if (!Owners.enterAgain(held, name)) {
      own(held, taking.interruptibly());
    }
  }

  /**
   * Takes the lock if nobody has it and nobody waits for it, wherever its token is; of several that
   * try at the same moment on a free lock, one succeeds. Where another member has to be asked this
   * takes as long as a few messages do, and a fifth of the lease at most: then it fails.
   */
  @Override
  @CheckReturnValue
  public boolean tryLock() {
    @Nullable Object[] held = baton.owners().ofThisThread();
    return Owners.enterAgain(held, name) || own(held, taking.atOnce());
  }

  @Override
  @CheckReturnValue
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    @Nullable Object[] held = baton.owners().ofThisThread();
    return Owners.enterAgain(held, name) || own(held, taking.within(unit.toNanos(time)));
  }

  private boolean own(@Nullable Object[] held, @Nullable Hold hold) {
    if (hold != null) {
      try {
        baton.owners().enter(held, hold);
      } catch (Error e) { // of memory or the stack: this thread would not know of it
        hold.close();
        throw e;
      }
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
      RuntimeException problem;
      try {
        problem = over.isValid() ? null : over.overException();
      } finally { // an Error does not keep it from the others
        over.close();
      }
      if (problem != null) {
        throw problem;
      }
    }
  }

  /** How often this thread has taken the lock and not given it back, lost holds included. */
  public int holdCount() {
    Hold hold = baton.owners().holdOf(name);
    return hold == null ? 0 : hold.again + 1;
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
