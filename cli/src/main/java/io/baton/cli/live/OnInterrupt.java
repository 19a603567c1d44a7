package io.baton.cli.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;

/** What is to be put in order where the process is asked to end before it is done (Ctrl-C). */
public final class OnInterrupt {
  /** Some work. */
  public interface Work<T> {
    /** Does it. */
    T run() throws IOException, InterruptedException;
  }

  /** What puts things in order. */
  public interface Cleaning {
    /** Does it. */
    void run() throws IOException, InterruptedException;
  }

  private OnInterrupt() {}

  /**
   * Does some work, and where the process is asked to end meanwhile, the cleaning. There is nothing
   * to report then: this does not return.
   */
  public static <T> T clean(Cleaning cleaning, Work<T> work)
      throws IOException, InterruptedException {
    Thread hook = new Thread(() -> clean(cleaning), "on-interrupt");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return work.run();
    } finally {
      remove(hook);
    }
  }

  private static void clean(Cleaning cleaning) {
    try {
      cleaning.run();
    } catch (IOException | UncheckedIOException e) {
      System.err.println("baton: could not put everything in order: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void remove(Thread hook) throws InterruptedException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      new CountDownLatch(1).await(); // the process is ending
    }
  }
}
