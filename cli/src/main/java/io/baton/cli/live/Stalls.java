package io.baton.cli.live;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when this machine gives its processes no time: no lease can be renewed meanwhile, and to
 * lose it then is right.
 */
public final class Stalls {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

  private volatile long longest; // written by the thread alone, but for the beginning

  /** Looks from now on. */
  public Stalls() {
    Thread thread = new Thread(this::watch, "stalls");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    while (true) {
      long before = System.nanoTime();
      LockSupport.parkNanos(PAUSE);
      longest = Math.max(longest, System.nanoTime() - before - PAUSE);
    }
  }

  /** Forgets what was. */
  public void begin() {
    longest = 0;
  }

  /** The longest since then, in milliseconds. */
  public long longestMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longest);
  }
}
