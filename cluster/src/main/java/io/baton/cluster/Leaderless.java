package io.baton.cluster;

import org.jspecify.annotations.Nullable;

/**
 * When the log of a voter is to be opened once more since nobody leads, though a majority is
 * connected: Ratis gives up an election for good where it could not write its vote or start a
 * thread, and tells nobody. Where that does not help, twice as much later each time. On the loop.
 */
final class Leaderless {
  private static final int MOST_DOUBLINGS = 6;

  private final long patience; // in nanoseconds
  private @Nullable Long since;
  private int restarts;

  Leaderless(long patience) {
    this.patience = patience;
  }

  /** Whether it is time, as it now is, in nanoseconds. */
  boolean isDue(boolean leaderless, long now) {
    if (!leaderless) {
      since = null;
      restarts = 0;
    } else if (since == null) {
      since = now;
    } else if (now - since > patience << Math.min(restarts, MOST_DOUBLINGS)) {
      since = null;
      restarts++;
      return true;
    }
    return false;
  }
}
