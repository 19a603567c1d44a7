package io.baton.cli;

import java.io.PrintWriter;

/** A bar on standard error, where that is a terminal ({@code ./baton} finds out and tells). */
final class Progress implements AutoCloseable {
  private static final int WIDTH = 30;
  private static final long PAUSE_NANOS = 100_000_000;

  private final PrintWriter err;
  private final String what;
  private final long total; // 0: unknown
  private final boolean shown = Boolean.getBoolean("baton.progress");
  private long lastShown = System.nanoTime();
  private boolean dirty;

  Progress(PrintWriter err, String what, long total) {
    this.err = err;
    this.what = what;
    this.total = total;
  }

  boolean isShown() {
    return shown;
  }

  /** So much is done. */
  synchronized void update(long done) {
    long now = System.nanoTime();
    if (!shown || now - lastShown < PAUSE_NANOS) {
      return;
    }
    lastShown = now;
    dirty = true;
    if (total == 0) {
      err.printf("\r%,d %s ", done, what);
    } else {
      int full = (int) Math.min(WIDTH, WIDTH * done / total);
      err.printf(
          "\r[%s%s] %,d of %,d %s ", "#".repeat(full), ".".repeat(WIDTH - full), done, total, what);
    }
    err.flush();
  }

  @Override
  public synchronized void close() {
    if (dirty) {
      err.print("\r" + " ".repeat(WIDTH + 60) + "\r");
      err.flush();
    }
  }
}
