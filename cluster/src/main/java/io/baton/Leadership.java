package io.baton;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One candidate for the leadership of a name, of which there is at most one leader in the cluster:
 * whoever holds its lock. It stands for election again and again until it is closed.
 */
public final class Leadership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
  private static final String SUFFIX = "#leader";
  private static final long PAUSE_MILLIS = 500; // before one that resigned stands again

  private final Baton baton;
  private final String name;
  private final BatonLock lock;
  private final LeaderCallbacks callbacks;
  private final Thread thread;
  private final ReentrantLock guard = new ReentrantLock();
  private final Condition changed = guard.newCondition();
  private final LeaderWatch watch;

  // Changed under the guard.
  private volatile @Nullable LossReason over; // why the present term of office ends; null: not yet
  private boolean working; // the callback may be interrupted
  private boolean closed;

  private volatile @Nullable Hold hold; // while it leads

  Leadership(Baton baton, String name, LeaderCallbacks callbacks) {
    this.baton = baton;
    this.name = name;
    this.lock = baton.lock(lockOf(name));
    this.callbacks = callbacks;
    this.watch = new LeaderWatch(baton, name);
    this.thread = new Thread(this::campaign, "baton-leader-" + name);
    thread.setDaemon(true);
  }

  /** The lock whose holder leads. */
  static String lockOf(String name) {
    Checks.name("a leadership", name, SUFFIX);
    return name + SUFFIX;
  }

  void start() {
    thread.start();
  }

  /** What is led. */
  public String name() {
    return name;
  }

  /** Whether this candidate leads at this instant; see {@link Hold#isValid}. */
  public boolean isLeader() {
    Hold mine = hold;
    return mine != null && over == null && mine.isValid();
  }

  /** Who leads, this candidate or another; empty where nobody is known to. */
  @CheckReturnValue
  public CompletableFuture<Optional<LeaderInfo>> leader() {
    return baton.leader(name);
  }

  /**
   * Has this told who leads, now and when somebody else does, until this candidature is closed: see
   * {@link Baton#onNewLeader}. That this candidate leads is told at once.
   */
  public void onNewLeader(Consumer<LeaderInfo> listener) {
    Objects.requireNonNull(listener);
    watch.add(listener);
  }

  /**
   * Gives the leadership up, where it has it. Half a second later it stands for election again,
   * behind the others.
   */
  public void stepDown() {
    end(LossReason.STEPPED_DOWN);
  }

  /**
   * Ends the candidature. Where it leads, {@link LeaderCallbacks#onRevoked} has returned before
   * another is elected; this does not wait for it.
   */
  @Override
  public void close() {
    guard.lock();
    try {
      closed = true;
    } finally {
      guard.unlock();
    }
    watch.close();
    baton.endLeadership(this);
    end(LossReason.STEPPED_DOWN);
    if (hold == null) {
      thread.interrupt();
    }
  }

  /**
   * This member is about to leave: the leadership ends in order, and there will be no other. Where
   * the leader itself closes its member, in a callback, nobody can wait until that has returned: it
   * leads no more at once.
   */
  void closeWithMember() {
    guard.lock();
    try {
      closed = true;
    } finally {
      guard.unlock();
    }
    watch.close();
    end(LossReason.CLOSED);
    Hold mine = hold;
    if (mine != null && Thread.currentThread() == thread) {
      mine.close();
      ended();
    }
  }

  private void end(LossReason reason) {
    guard.lock();
    try {
      end(hold, reason);
    } finally {
      guard.unlock();
    }
  }

  /** Ends the term of office with this hold, unless it is over. */
  private void end(@Nullable Hold of, LossReason reason) {
    guard.lock();
    try {
      if (of == null || of != hold || over != null) {
        return;
      }
      over = reason;
      changed.signalAll();
      if (working) {
        thread.interrupt();
      }
    } finally {
      guard.unlock();
    }
  }

  private boolean isClosed() {
    guard.lock();
    try {
      return closed;
    } finally {
      guard.unlock();
    }
  }

  private void campaign() {
    while (!isClosed()) {
      try {
        if (!lead(lock.acquire())) {
          TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
      } catch (InterruptedException e) {
        LOG.debug("{} stands for election of \"{}\" no more", baton.id(), name);
      } catch (BatonException e) {
        LOG.debug("{} cannot be elected any more", baton.id(), e);
        return;
      } catch (RuntimeException | Error e) { // of memory, perhaps
        LOG.error("{} stands for election of \"{}\" once more", baton.id(), name, e);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
      }
    }
  }

  /** Leads as long as it has the lock; false where it gave that up by itself. */
  private boolean lead(Hold mine) {
    boolean elected = false;
    boolean resigned = false;
    try {
      elected = begin(mine);
      if (elected) {
        resigned = !works(mine);
        resigned |= awaitEnd(resigned) == LossReason.STEPPED_DOWN;
      }
    } finally {
      try {
        if (elected) {
          revoke(mine);
        }
      } finally {
        try {
          mine.close();
        } finally {
          ended();
        }
      }
    }
    return !resigned;
  }

  private void ended() {
    guard.lock();
    try {
      hold = null;
      changed.signalAll();
    } finally {
      guard.unlock();
    }
  }

  /** Waits until this candidate leads no more, not beyond an instant. */
  void awaitRevoked(long end) {
    boolean interrupted = false;
    guard.lock();
    try {
      long rest = end - System.nanoTime();
      while (hold != null && rest > 0) {
        try {
          rest = changed.awaitNanos(rest);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      guard.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether a term of office begins: it does not where this was closed meanwhile. */
  private boolean begin(Hold mine) {
    guard.lock();
    try {
      if (closed) {
        return false;
      }
      over = null;
      hold = mine;
      working = true;
    } finally {
      guard.unlock();
    }
    mine.onLost(reason -> end(mine, reason));
    watch.elected(new LeaderInfo(baton.id(), mine.fence(), mine.since()));
    LOG.info("{} leads \"{}\" with fence {}", baton.id(), name, mine.fence());
    return true;
  }

  private boolean works(Hold mine) {
    try {
      callbacks.onElected(mine.fence());
      return true;
    } catch (InterruptedException e) {
      return over != null; // that is how it was told to end
    } catch (Throwable e) { // logged; the leadership is given up
      LOG.error("{} resigns the leadership of \"{}\": its callback failed", baton.id(), name, e);
      return false;
    }
  }

  /** Waits until the term of office ends; no interrupt comes from here any more afterwards. */
  private LossReason awaitEnd(boolean resigned) {
    guard.lock();
    try {
      working = false;
      if (resigned && over == null) {
        over = LossReason.STEPPED_DOWN;
      }
      LossReason reason = over;
      while (reason == null) {
        changed.awaitUninterruptibly();
        reason = over;
      }
      Thread.interrupted(); // it was meant for the callback
      return reason;
    } finally {
      guard.unlock();
    }
  }

  private void revoke(Hold mine) {
    LossReason ended = over;
    LossReason reason = mine.lost().orElse(ended == null ? LossReason.STEPPED_DOWN : ended);
    LOG.info("{} leads \"{}\" no more: {}", baton.id(), name, reason);
    try {
      callbacks.onRevoked(reason);
    } catch (Throwable e) { // logged; it leads no more anyway
      LOG.error("A callback of the leadership of \"{}\" at {} failed", name, baton.id(), e);
    }
    Thread.interrupted();
  }

  /** How often it is asked who leads. */
  static Duration interval(Baton baton) {
    return Duration.ofNanos(baton.host().origin().settings().lease() / 5);
  }

  @Override
  public String toString() {
    return "Leadership of \"" + name + "\" at " + baton.id() + (isLeader() ? ", leads" : "");
  }
}
