package io.baton.cluster;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that end with the process, each with a name that tells whose it is. */
final class Threads {
  private Threads() {}

  static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      int number = count.incrementAndGet();
      Thread thread = new Thread(task, number == 1 ? name : name + "-" + number);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** As many as are needed, so that no callback waits for another. */
  static ExecutorService forCallbacks(String id) {
    return Executors.newCachedThreadPool(named("baton-callback-" + id));
  }
}
