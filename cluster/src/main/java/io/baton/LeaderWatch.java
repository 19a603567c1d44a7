package io.baton;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks again and again who leads, and tells of each new leader once. */
final class LeaderWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderWatch.class);

  private final Baton baton;
  private final String name;
  private final Consumer<LeaderInfo> listener;
  private final Executor later;
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile boolean closed;
  private long known; // the fence of the last one that was told; by one look after the other

  LeaderWatch(Baton baton, String name, Consumer<LeaderInfo> listener) {
    this.baton = baton;
    this.name = name;
    this.listener = listener;
    this.later =
        CompletableFuture.delayedExecutor(
            Leadership.interval(baton).toNanos(), TimeUnit.NANOSECONDS);
  }

  void start() {
    if (started.compareAndSet(false, true)) {
      look();
    }
  }

  private void look() {
    if (closed || baton.isClosed()) {
      return;
    }
    var unused =
        baton
            .leader(name)
            .thenAccept(this::tell)
            .whenComplete((nothing, failure) -> later.execute(this::look));
  }

  private void tell(Optional<LeaderInfo> leader) {
    if (!closed && leader.isPresent() && leader.get().fence() > known) {
      known = leader.get().fence();
      try {
        listener.accept(leader.get());
      } catch (RuntimeException | Error e) {
        LOG.error("A listener for leaders of \"{}\" failed", name, e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
