package io.baton;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Until when something may take that is done in several steps. */
final class Deadline {
  /** As many nanoseconds as there can be: it is never over. */
  static final long FOR_EVER = Long.MAX_VALUE;

  private final long start = System.nanoTime();
  private final long nanos;

  Deadline(long nanos) {
    this.nanos = nanos;
  }

  /** How many nanoseconds are left; none where it is over. */
  long rest() {
    return nanos == FOR_EVER ? FOR_EVER : Math.max(0, nanos - (System.nanoTime() - start));
  }

  boolean isForEver() {
    return nanos == FOR_EVER;
  }

  boolean isOver() {
    return rest() == 0;
  }

  /** Takes a lock; null: the time is over. */
  @Nullable Hold acquire(BatonLock lock) throws InterruptedException {
    if (nanos > 0 && isOver()) {
      return null;
    }
    return nanos == FOR_EVER
        ? lock.acquire()
        : lock.tryAcquire(Duration.ofNanos(rest())).orElse(null);
  }

  <T> T await(CompletableFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return nanos == FOR_EVER ? future.get() : future.get(rest(), TimeUnit.NANOSECONDS);
  }
}
