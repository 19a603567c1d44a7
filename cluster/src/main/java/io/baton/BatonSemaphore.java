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
 * first that comes: they are served in their order, and a grant costs no more messages than its own
 * turn and one request for each permit.
 */
public final class BatonSemaphore {
  static final int MOST_PERMITS = 1_000;

  private final BatonLock turn;
  private final List<BatonLock> locks = new ArrayList<>();
  private final String name;
  private volatile int lastTaken; // to begin with it the next time: its token may still be here

  BatonSemaphore(Baton baton, String name, int permits) {
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
    Hold hold = within(Deadline.FOR_EVER);
    if (hold == null) {
      throw new IllegalStateException("Gave up without a limit");
    }
    return hold;
  }

  /** Waits for a permit, for so long at most; zero: takes one only if one is free. */
  @CheckReturnValue
  public Optional<Hold> tryAcquire(Duration limit) throws InterruptedException {
    long nanos = Checks.limit("The limit", limit);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return Optional.ofNullable(nanos == 0 ? free(Deadline.NONE) : within(nanos));
  }

  /** One that nobody has and nobody waits for; no more are tried once the time is over. */
  private @Nullable Hold free(Deadline deadline) throws InterruptedException {
    int first = lastTaken;
    for (int k = 0; k < locks.size() && (k == 0 || !deadline.isOver()); k++) {
      int next = (first + k) % locks.size();
      Optional<Hold> hold = locks.get(next).tryAcquire(Duration.ZERO);
      if (hold.isPresent()) {
        lastTaken = next;
        return hold.get();
      }
    }
    return null;
  }

  private @Nullable Hold within(long nanos) throws InterruptedException {
    Deadline deadline = new Deadline(nanos);
    Hold mine = deadline.acquire(turn);
    if (mine == null) {
      return null;
    }
    try {
      Hold free = free(deadline);
      return free == null && !deadline.isOver() ? firstOf(deadline) : free;
    } finally {
      mine.close();
    }
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
