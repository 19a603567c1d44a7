package io.baton;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
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
  private static final long PAUSE_MILLIS = 500; // before one that failed stands again

  private final Baton baton;
  private final String name;
  private final BatonLock lock;
  private final LeaderCallbacks callbacks;
  private final Thread thread;
  private final ReentrantLock guard = new ReentrantLock();
  private final Condition changed = guard.newCondition();
  private final List<Consumer<LeaderInfo>> watchers = new CopyOnWriteArrayList<>();
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
    this.watch = new LeaderWatch(baton, name, leader -> watchers.forEach(w -> w.accept(leader)));
    this.thread = new Thread(this::campaign, "baton-leader-" + name);
    thread.setDaemon(true);
  }

  /** The lock whose holder leads. */
  static String lockOf(String name) {
    Checks.lockName(name);
    return name + "#leader";
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
   * Has this told who leads, now and whenever that changes, on a thread of its own. Members are
   * asked for it five times in a lease, as long as somebody listens.
   */
  public void onNewLeader(Consumer<LeaderInfo> listener) {
    watchers.add(listener);
    watch.start();
  }

  /** Gives the leadership up, where it has it, and stands for election again, behind the others. */
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

  /** This member is about to leave: the leadership ends in order, and there will be no other. */
  void closeWithMember() {
    guard.lock();
    try {
      closed = true;
    } finally {
      guard.unlock();
    }
    watch.close();
    end(LossReason.CLOSED);
  }

  private void end(LossReason reason) {
    guard.lock();
    try {
      if (hold == null || over != null) {
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
        lead(lock.acquire());
      } catch (InterruptedException e) {
        LOG.debug("{} stands for election of \"{}\" no more", baton.id(), name);
      } catch (BatonException e) {
        LOG.debug("{} cannot be elected any more", baton.id(), e);
        return;
      }
    }
  }

  private void lead(Hold mine) throws InterruptedException {
    guard.lock();
    try {
      over = closed ? LossReason.STEPPED_DOWN : null;
      hold = mine;
      working = over == null;
    } finally {
      guard.unlock();
    }
    boolean failed = false;
    boolean elected = over == null;
    if (elected) {
      mine.onLost(this::end);
      LOG.info("{} leads \"{}\" with fence {}", baton.id(), name, mine.fence());
      failed = !works();
      awaitEnd(failed);
    }
    try {
      if (elected) {
        revoke(mine);
      }
    } finally {
      hold = null;
      mine.close();
    }
    if (failed && !isClosed()) {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private boolean works() {
    Hold mine = hold;
    try {
      callbacks.onElected(mine == null ? 0 : mine.fence());
      return true;
    } catch (InterruptedException e) {
      return !isLeader(); // that is how it was told to end
    } catch (Throwable e) { // logged; the leadership is given up
      LOG.error("{} resigns the leadership of \"{}\": its callback failed", baton.id(), name, e);
      return false;
    }
  }

  /** Waits until the term of office ends; no interrupt comes from here any more afterwards. */
  private void awaitEnd(boolean failed) {
    guard.lock();
    try {
      working = false;
      Thread.interrupted(); // it was meant for the callback
      if (failed && over == null) {
        over = LossReason.STEPPED_DOWN;
      }
      while (over == null) {
        changed.awaitUninterruptibly();
      }
      Thread.interrupted();
    } finally {
      guard.unlock();
    }
  }

  private void revoke(Hold mine) {
    LossReason reason = mine.lost().orElse(over == null ? LossReason.STEPPED_DOWN : over);
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
