package io.baton.cluster;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs what it is given one after the other, in the order in which it was added. */
final class InOrder {
  private static final Logger LOG = LoggerFactory.getLogger(InOrder.class);
  private static final int MANY = 10_000;

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger called = new AtomicInteger(); // while it runs
  private final Consumer<Runnable> threads;

  /**
   * Nothing to run yet.
   *
   * @param threads where things run
   */
  InOrder(Consumer<Runnable> threads) {
    this.threads = threads;
  }

  /** Whether not so much waits that what may be left out should be. */
  boolean hasRoom() {
    return waiting.get() < MANY;
  }

  /** Accepts a task, which {@link #go} will run; never waits. */
  void add(Runnable task) {
    tasks.add(task);
    waiting.incrementAndGet();
  }

  /** Has run what was added. */
  void go() {
    if (called.getAndIncrement() == 0) {
      try {
        threads.accept(this::runAll);
      } catch (RuntimeException | Error e) { // of memory, perhaps: the next one begins
        called.set(0);
        throw e;
      }
    }
  }

  private void runAll() {
    int seen = called.get();
    while (seen != 0) {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        waiting.decrementAndGet();
        run(task);
      }
      seen = called.addAndGet(-seen);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      complain(e);
    }
  }

  private static void complain(Throwable failure) {
    try {
      LOG.error("What was to be told failed", failure);
    } catch (RuntimeException | Error e) {
      // There is not even memory to say so; the rest is told all the same.
    }
  }
}
