package io.baton;

import io.baton.cluster.Grip;
import io.baton.cluster.Terms;
import io.baton.member.Loss;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held, owned by whoever has this object and not by a thread: any thread may close
 * it.
 *
 * <p>It ends when it is closed, when its loss is told, or when the lease of this member runs out,
 * whichever is first.
 */
public final class Hold implements AutoCloseable {
  private final Baton baton;
  private final @Nullable Throwable origin; // where it was taken, if that is to be noted
  private @Nullable Grip grip; // set before anybody else has this
  int again; // how often its thread took it once more, as a Lock; for that thread alone
  private volatile boolean interrupts; // somebody, when it is lost
  private boolean closed; // guarded by this where it interrupts
  private boolean interrupted; // guarded by this

  /** A hold of nothing yet: made before a lock is taken, so that nothing can fail afterwards. */
  Hold(Baton baton) {
    this.baton = baton;
    this.origin = baton.config().leakDetection() ? new Throwable("Taken here") : null;
  }

  /** Holds a lock from now on; null where there is none. */
  @Nullable Hold of(@Nullable Grip taken) {
    grip = taken;
    if (taken == null) {
      return null;
    }
    try {
      taken.belongsTo(this, origin);
    } catch (Error e) { // for want of memory
      taken.release();
      throw e;
    }
    return this;
  }

  private Grip grip() {
    Grip mine = grip;
    if (mine == null) {
      throw new IllegalStateException("It holds nothing");
    }
    return mine;
  }

  /** The name of the lock. */
  public String lock() {
    return grip().lock();
  }

  /**
   * The number of this grant, greater than that of any grant of this lock before. Give it to the
   * resource that the lock protects, and have it refuse smaller ones: {@link FenceGuard}.
   */
  public long fence() {
    return grip().fence();
  }

  /** When the lock was granted, by the wall clock of this machine: for people to read. */
  public Instant since() {
    return grip().since();
  }

  /** For how long this is safely held, should nothing be heard from the others any more. */
  public Duration remaining() {
    return Duration.ofNanos(grip().remaining());
  }

  /**
   * Whether the lock is held at this instant. True says nothing of the next instant: a process can
   * be stopped at any time, and then only fences protect.
   */
  public boolean isValid() {
    return grip().isValid();
  }

  /** Why the lock was lost; empty where it was not, or was given back. */
  public Optional<LossReason> lost() {
    Loss loss = grip().loss();
    return loss == null ? Optional.empty() : Optional.of(reason(loss));
  }

  /**
   * Has this told when the lock is lost, on a thread of its own; at once where it is lost already,
   * and never where it was given back before. Whoever could not renew its lease is told before
   * anybody else can be granted the lock; where the process was stopped, as soon as it runs again,
   * or by {@link #close}. One whose lock is taken by force, or whose member leaves, is told as the
   * next is granted: {@link #isValid} is false before. So it is with thousands of listeners of one
   * process, which take longer to be told than the time left for it.
   */
  public void onLost(Consumer<LossReason> listener) {
    Objects.requireNonNull(listener);
    grip().onLost(loss -> listener.accept(reason(loss)));
  }

  /** Has a thread interrupted when the lock is lost; not any more once {@link #close} is called. */
  public void interruptOnLoss(Thread thread) {
    Objects.requireNonNull(thread);
    interrupts = true;
    grip().onLost(loss -> interrupt(thread));
  }

  private synchronized void interrupt(Thread thread) {
    if (!closed) {
      interrupted = true;
      thread.interrupt();
    }
  }

  /** Whether a thread was interrupted for its loss. */
  synchronized boolean hasInterrupted() {
    return interrupted;
  }

  /**
   * Has this end by itself so long from now, instead of when it would have.
   *
   * @throws LockLostException if it is over already
   * @throws IllegalMonitorStateException if it was given back
   * @throws IllegalArgumentException if others are not to get the lock for longer than that
   */
  public void extend(Duration atMost) {
    Terms terms = Terms.NONE.withAtMost(Checks.atMost(atMost));
    if (!isValid()) {
      throw overException();
    }
    Checks.fit(terms.withAtLeast(grip().keptFor()));
    extend(terms.withAtLeast(Terms.AS_BEFORE));
  }

  /**
   * The same, and others get the lock no sooner than so long from now, even where this is closed
   * before; whatever was said before about that is forgotten.
   *
   * @throws LockLostException if it is over already
   * @throws IllegalMonitorStateException if it was given back
   */
  public void extend(Duration atMost, Duration atLeast) {
    extend(
        Checks.fit(
            Terms.NONE
                .withAtMost(Checks.atMost(atMost))
                .withAtLeast(Checks.limit("atLeast", atLeast))));
  }

  private void extend(Terms terms) {
    if (!grip().extend(terms)) {
      throw overException();
    }
  }

  /** Gives the lock back; nothing where it is lost or given back already. */
  @Override
  public void close() {
    boolean first = !closed;
    closed = true;
    if (interrupts) {
      synchronized (this) { // one that is being done is done before this returns
        closed = true;
      }
    }
    grip().release();
    if (first && baton.listeners().isAny()) {
      baton.listeners().held(lock(), grip().age());
    }
  }

  /** Nobody wanted it any more when it came: it is as if it had not. */
  void forgo() {
    closed = true;
    grip().forgo();
  }

  static LossReason reason(Loss loss) {
    return LossReason.valueOf(loss.name());
  }

  /** What to tell one who relies on it, and holds it no more. */
  RuntimeException overException() {
    if (grip().isGivenBack()) {
      return new IllegalMonitorStateException(
          "Lock \"" + lock() + "\" was given back already, by its hold: acquire it anew");
    }
    return lostException();
  }

  LockLostException lostException() {
    LossReason reason = lost().orElse(LossReason.PARTITIONED);
    return new LockLostException(baton.lossOf(this, reason, ""), reason);
  }

  /** What to tell a thread that took it as a Lock, and has yet to unlock it so often. */
  RuntimeException nestedException(int unlocks) {
    if (grip().isGivenBack()) {
      return overException();
    }
    LossReason reason = lost().orElse(LossReason.PARTITIONED);
    String goOn =
        "To go on, call unlock() "
            + (unlocks == 1 ? "once more" : unlocks + " times more")
            + ", then lock() anew. ";
    return new LockLostException(baton.lossOf(this, reason, goOn), reason);
  }

  @Override
  public String toString() {
    return "Hold of \"" + lock() + "\" with fence " + fence() + (isValid() ? "" : ", over");
  }
}
