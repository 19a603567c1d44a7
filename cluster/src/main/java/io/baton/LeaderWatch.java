package io.baton;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks again and again who leads, and tells each listener once of each leader, on threads for
 * callbacks.
 */
public final class LeaderWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderWatch.class);

  /** One who wants to know. */
  private static final class Watcher {
    private final Consumer<LeaderInfo> listener;
    private long known; // the fence of the last one it was told of

    Watcher(Consumer<LeaderInfo> listener) {
      this.listener = listener;
    }

    synchronized void tell(LeaderInfo leader) {
      if (leader.fence() > known) {
        known = leader.fence();
        try {
          listener.accept(leader);
        } catch (Throwable e) { // the others are told all the same
          LOG.error("A listener for leaders failed", e);
        }
      }
    }
  }

  private final Baton baton;
  private final String name;
  private final long interval;
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile boolean closed;

  LeaderWatch(Baton baton, String name) {
    this.baton = baton;
    this.name = name;
    this.interval = Leadership.interval(baton).toNanos();
  }

  /** Begins to look with the first one. */
  void add(Consumer<LeaderInfo> listener) {
    watchers.add(new Watcher(listener));
    if (started.compareAndSet(false, true)) {
      look();
    }
  }

  /** The candidate of this member leads: that need not be asked for. */
  void elected(LeaderInfo leader) {
    if (!watchers.isEmpty()) {
      baton.host().callBack(() -> tell(Optional.of(leader)));
    }
  }

  private void look() {
    if (closed || baton.isClosed()) {
      return;
    }
    try {
      var unused =
          baton
              .leader(name)
              .thenAcceptAsync(this::tell, baton.host()::callBack)
              .whenComplete((nothing, failure) -> lookLater());
    } catch (RuntimeException | Error e) { // of memory, perhaps
      lookLater();
      throw e;
    }
  }

  private void lookLater() {
    baton.host().callBackIn(interval, this::look);
  }

  private void tell(Optional<LeaderInfo> leader) {
    if (!closed) {
      leader.ifPresent(info -> watchers.forEach(watcher -> watcher.tell(info)));
    }
  }

  /** The listeners hear nothing more, but for what is being told just now. */
  @Override
  public void close() {
    closed = true;
  }
}
