package io.baton.cluster;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs what it is given one after the other, in the order in which it was added. */
final class InOrder {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger open = new AtomicInteger();
  private final Consumer<Runnable> threads;

  /**
   * Nothing to run yet.
   *
   * @param threads where things run; one that fails must not throw there
   */
  InOrder(Consumer<Runnable> threads) {
    this.threads = threads;
  }

  /** Accepts a task, which {@link #go} will run; never waits. */
  void add(Runnable task) {
    tasks.add(task);
  }

  /** Has run what was added. */
  void go() {
    if (open.getAndIncrement() == 0) {
      threads.accept(this::runAll);
    }
  }

  private void runAll() {
    int seen = open.get();
    while (seen != 0) {
      Runnable task = tasks.poll();
      if (task != null) {
        try {
          task.run();
        } catch (RuntimeException | Error e) {
          threads.accept(
              () -> {
                throw e; // there it is logged
              });
        }
      } else {
        seen = open.addAndGet(-seen);
      }
    }
  }
}
