package io.baton;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
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
    Hold hold = within(Long.MAX_VALUE);
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
    return Optional.ofNullable(nanos == 0 ? atOnce() : within(nanos));
  }

  /** One that nobody has and nobody waits for. */
  private @Nullable Hold atOnce() throws InterruptedException {
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

  private @Nullable Hold within(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    Hold mine =
        nanos == Long.MAX_VALUE
            ? turn.acquire()
            : turn.tryAcquire(Duration.ofNanos(nanos)).orElse(null);
    if (mine == null) {
      return null;
    }
    try (mine) {
      Hold free = atOnce();
      long rest = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - start);
      return free == null && rest > 0 ? firstOf(rest) : free;
    }
  }

  /** The first permit that comes. */
  private @Nullable Hold firstOf(long nanos) throws InterruptedException {
    CompletableFuture<Hold> first = new CompletableFuture<>();
    List<CompletableFuture<Hold>> wishes = new ArrayList<>();
    try {
      for (BatonLock lock : locks) {
        CompletableFuture<Hold> wish = lock.acquireAsync();
        wishes.add(wish);
        var unused =
            wish.whenComplete(
                (hold, failure) -> {
                  if (hold == null) {
                    first.completeExceptionally(failure);
                  } else if (!first.complete(hold)) {
                    hold.close();
                  }
                });
      }
      return nanos == Long.MAX_VALUE ? first.get() : first.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return first.cancel(false) ? null : first.join();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new BatonException("Cannot take a permit of \"" + name + "\"", e);
    } finally {
      if (!first.isDone()) { // interrupted: one that has come meanwhile is given back
        var unused = first.cancel(false);
      }
      wishes.forEach(wish -> wish.cancel(false));
    }
  }

  @Override
  public String toString() {
    return "BatonSemaphore \"" + name + "\" with " + permits() + " permits";
  }
}
