package io.baton.simulator.cluster;

import io.baton.algorithms.Algorithm;
import io.baton.member.Letter;
import java.util.HashMap;
import java.util.Map;

/** What locks cost in a run. */
final class Costs {
  private static final long NEVER = -1;

  private final Map<Integer, Long> current = new HashMap<>(); // letters for the last call of each
  private long ofLocks;
  private long ofChanges;
  private long worst;
  private long grants;
  private long waited;
  private long longestWait;
  private long crashedAt = NEVER;
  private long ofLocksAtCrash;
  private long ofChangesAtCrash;
  private long recovery = NEVER;
  private long ofRecovery;

  /** A letter is sent for the first time. */
  void sent(Letter letter) {
    if (letter.body() instanceof Letter.OfLock ofLock) {
      ofLocks++;
      if (ofLock.message().sink() != Algorithm.NIL) {
        worst = Math.max(worst, current.merge(ofLock.message().sink(), 1L, Long::sum));
      }
    } else if (letter.body() instanceof Letter.Recall) {
      ofLocks++;
    } else {
      ofChanges++;
    }
  }

  void called(int site) {
    current.put(site, 0L);
  }

  void granted(long now, long since) {
    grants++;
    waited += now - since;
    longestWait = Math.max(longestWait, now - since);
    if (crashedAt != NEVER && recovery == NEVER) {
      recovery = now - crashedAt;
      ofRecovery = ofLocks - ofLocksAtCrash;
    }
  }

  void crashed(long now) {
    if (crashedAt == NEVER) {
      crashedAt = now;
      ofLocksAtCrash = ofLocks;
      ofChangesAtCrash = ofChanges;
    }
  }

  long grants() {
    return grants;
  }

  double lettersPerGrant() {
    return (double) ofLocks / Math.max(1, grants);
  }

  /** The most letters for one call, its token's return included, recalls left out. */
  long worst() {
    return worst;
  }

  /** In microseconds. */
  double meanWait() {
    return (double) waited / Math.max(1, grants);
  }

  long longestWait() {
    return longestWait;
  }

  /** From the first crash to the next grant, in microseconds; −1: there was none. */
  long recovery() {
    return recovery;
  }

  /** Letters of locks in that time. */
  long lettersOfRecovery() {
    return ofRecovery;
  }

  /** Reports and answers since the first crash. */
  long lettersOfChanges() {
    return ofChanges - ofChangesAtCrash;
  }
}
