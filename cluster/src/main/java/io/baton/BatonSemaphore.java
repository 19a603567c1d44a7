package io.baton;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * So many permits for the whole cluster; one whose holder dies is free again.
 *
 * <p>Each permit is a lock, {@code name#1} and so on, and can be lost as a lock can. Who waits
 * takes the lock {@code name#turn} first, so that one at a time asks for all permits and takes the
 * first that comes: they are served in the order in which a lock serves them, and a grant costs its
 * turn, a try of the permit taken last, and a request for each permit where that one is not free.
 *
 * <p>All members need the same number of permits. One that opened it with another while it could
 * not ask the others is refused at its next call that can.
 */
public final class BatonSemaphore {
  static final int MOST_PERMITS = 1_000;

  private final Baton baton;
  private final BatonLock turn;
  private final List<BatonLock> locks = new ArrayList<>();
  private final String name;
  private volatile int lastTaken; // to begin with it the next time: its token may still be here

  BatonSemaphore(Baton baton, String name, int permits) {
    this.baton = baton;
    this.name = name;
    this.turn = baton.lock(turnOf(name));
    for (int k = 1; k <= permits; k++) {
      locks.add(baton.lock(name + "#" + k));
    }
  }

  /** The lock that tells whose turn it is. */
  static String turnOf(String name) {
    return name + "#turn";
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** How many permits there are. */
  public int permits() {
    return locks.size();
  }

  /**
   * Waits for a permit.
   *
   * @throws InterruptedException if the thread is interrupted before
   * @throws BatonClosedException if this member leaves the cluster before
   */
  @CheckReturnValue
  public Hold acquire() throws InterruptedException {
    baton.checkPermits(name, permits(), Deadline.FOR_EVER);
    Hold hold = within(new Deadline(Deadline.FOR_EVER));
    if (hold == null) {
      throw new IllegalStateException("Gave up without a limit");
    }
    return hold;
  }

  /**
   * Waits for a permit, for so long at most, a few messages at least; zero: takes one only if one
   * is free, which takes a fifth of the lease for each permit whose member does not answer. (One
   * may be free and not be had where somebody with a limit is just taking the first that comes.)
   */
  @CheckReturnValue
  public Optional<Hold> tryAcquire(Duration limit) throws InterruptedException {
    long nanos = Checks.limit("The limit", limit);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Deadline deadline = new Deadline(nanos);
    baton.checkPermits(name, permits(), nanos);
    return Optional.ofNullable(nanos == 0 ? free() : within(deadline));
  }

  /** One that nobody has and nobody waits for. */
  private @Nullable Hold free() throws InterruptedException {
    int first = lastTaken;
    for (int k = 0; k < locks.size(); k++) {
      int next = (first + k) % locks.size();
      Optional<Hold> hold = locks.get(next).tryAcquire(Duration.ZERO);
      if (hold.isPresent()) {
        lastTaken = next;
        return hold.get();
      }
    }
    return null;
  }

  private @Nullable Hold within(Deadline deadline) throws InterruptedException {
    Hold mine = deadline.acquire(turn);
    if (mine == null) {
      return null;
    }
    Hold taken;
    try {
      taken = deadline.isForEver() ? lastTaken() : null; // which may take a while to fail
      if (taken == null && !deadline.isOver()) {
        taken = firstOf(deadline);
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      mine.close();
      throw e;
    }
    try {
      mine.close();
      return taken;
    } catch (Error e) { // of this thread's stack
      if (taken != null) {
        taken.close();
      }
      throw e;
    }
  }

  /** The permit that was taken last, if it is free: its token may be near. */
  private @Nullable Hold lastTaken() throws InterruptedException {
    return locks.get(lastTaken).tryAcquire(Duration.ZERO).orElse(null);
  }

  /** The first permit that comes. */
  private @Nullable Hold firstOf(Deadline deadline) throws InterruptedException {
    CompletableFuture<Hold> first = new CompletableFuture<>();
    List<CompletableFuture<Hold>> wishes = new ArrayList<>(locks.size());
    boolean taken = false;
    try {
      for (BatonLock lock : locks) {
        CompletableFuture<Hold> wish = lock.acquireAsync();
        wishes.add(wish);
        var unused = wish.whenComplete((hold, failure) -> arrive(first, hold, failure));
      }
      Hold hold = deadline.await(first);
      taken = true;
      lastTaken = Integer.parseInt(hold.lock().substring(name.length() + 1)) - 1;
      return hold;
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new BatonException("Cannot take a permit of \"" + name + "\"", e);
    } finally {
      if (!taken && !first.cancel(false) && !first.isCompletedExceptionally()) {
        first.join().close(); // it came just as this gave up
      }
      wishes.forEach(wish -> wish.cancel(false));
    }
  }

  private static void arrive(
      CompletableFuture<Hold> first, @Nullable Hold hold, @Nullable Throwable failure) {
    if (hold == null) {
      first.completeExceptionally(Objects.requireNonNull(failure));
    } else if (!first.complete(hold)) {
      hold.close();
    }
  }

  @Override
  public String toString() {
    return "BatonSemaphore \"" + name + "\" with " + permits() + " permits";
  }
}
