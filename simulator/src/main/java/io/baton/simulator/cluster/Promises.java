package io.baton.simulator.cluster;

import io.baton.simulator.run.Violation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What must hold whatever goes wrong, checked as it happens; the first breach is kept. */
final class Promises {
  static final String UNIQUE = "fences are unique";
  static final String STORE = "a store that checks fences never goes back to an older holder";
  static final String ONE_TOKEN = "one token per lock and epoch";
  static final String RISING = "fences rise in the order of grants";
  static final String ALONE = "no two holds overlap";
  static final String TOLD = "who loses a lock is told before the next grant";
  static final String SERVED = "once the faults stop, every request is granted in time";
  static final String FOUNDED = "in a cluster just founded nobody is granted before a lease";
  static final String FORCED = "a forced release ends the hold it names and no other";
  static final String IN_TURN = "first come, first served, and others get their turn";
  static final String FREE = "a free lock is won by one of those who try";
  static final String PATIENT = "nobody tries for longer than a fifth of a lease";
  static final String ANSWERED = "without faults, whoever tries is answered";
  static final String LIMITED = "a hold ends when its time is over, and not before";
  static final String KNOWN = "nobody is told of a state that cannot follow a committed one";
  static final String ONE_LEADER = "one leader per term";
  static final String AGREED = "one state per version, and none before one that was agreed on";
  static final String LET_GO = "who leaves is let go";
  static final String ALIVE = "no member fails";
  static final String BUSY = "nobody is busy for ever";
  static final String PLAIN = "without faults, the messages of the plain algorithm";
  static final String LOCAL = "a loan ends only when somebody asks";

  /** One hold, as its user sees it. */
  static final class Hold {
    final String lock;
    final Site site;
    final int start;
    final long fence;
    long restsUntil = Long.MAX_VALUE; // its holder is done; by the clock of its site

    Hold(String lock, Site site, long fence) {
      this.lock = lock;
      this.site = site;
      this.start = site.starts();
      this.fence = fence;
    }

    @Override
    public String toString() {
      return lock + " with fence " + Long.toHexString(fence);
    }
  }

  private final boolean withinDrift;
  private final Map<String, Set<Long>> given = new HashMap<>();
  private final Map<String, Long> highest = new HashMap<>();
  private final Map<String, Set<Hold>> open = new HashMap<>();
  private final Map<String, Hold> written = new HashMap<>(); // who wrote last
  private final Map<String, Long> storeFence = new HashMap<>();
  private @Nullable Violation violation;
  private long grants;

  Promises(boolean withinDrift) {
    this.withinDrift = withinDrift;
  }

  @Nullable Violation violation() {
    return violation;
  }

  long grants() {
    return grants;
  }

  void broken(String promise, String how) {
    if (violation == null) {
      violation = new Violation(promise, how);
    }
  }

  void granted(Hold hold) {
    grants++;
    if (!given.computeIfAbsent(hold.lock, l -> new HashSet<>()).add(hold.fence)) {
      broken(UNIQUE, hold + " was granted twice");
    }
    Set<Hold> holds = open.computeIfAbsent(hold.lock, l -> new HashSet<>());
    if (withinDrift) {
      Long before = highest.put(hold.lock, hold.fence);
      if (before != null && before >= hold.fence) {
        broken(RISING, hold + " was granted after " + Long.toHexString(before));
      }
      for (Hold other : holds) {
        check(hold, other);
      }
    }
    holds.add(hold);
  }

  /** A hold that was neither released nor lost is over only where its process is. */
  private void check(Hold hold, Hold other) {
    boolean alive = other.site.isUp() && other.site.starts() == other.start;
    boolean over = other.site.isStopped() && !isValid(other);
    over |= alive && other.site.clock() >= other.restsUntil;
    if (alive && !over) {
      broken(
          other.site.isStopped() || isValid(other) ? ALONE : TOLD,
          String.format(
              "%s holds %s, and %s is granted %s", other.site.id, other, hold.site.id, hold));
    }
  }

  private static boolean isValid(Hold hold) {
    return hold.site.live().heldUntil() > hold.site.clock()
        && hold.site.live().heldUntil() != Long.MAX_VALUE;
  }

  /** Whether a hold goes on at a process that runs. */
  boolean isOpen(String lock, long fence) {
    return open.getOrDefault(lock, Set.of()).stream()
        .anyMatch(
            hold ->
                hold.fence == fence
                    && hold.site.isRunning()
                    && hold.site.starts() == hold.start
                    && hold.site.clock() < hold.restsUntil
                    && isValid(hold));
  }

  /** Released, or told to be lost. */
  void ended(Hold hold) {
    Set<Hold> holds = open.get(hold.lock);
    if (holds != null) {
      holds.remove(hold);
    }
  }

  /** A holder, of now or of long ago, writes to a store that checks fences. */
  void write(Hold hold) {
    if (hold.fence < storeFence.getOrDefault(hold.lock, 0L)) {
      return; // refused
    }
    storeFence.put(hold.lock, hold.fence);
    Hold last = written.put(hold.lock, hold);
    if (last != null && last != hold && last.fence == hold.fence) {
      broken(STORE, "two holders write with " + hold);
    }
  }

  /** At most one process has the token of a lock in an epoch. */
  void checkTokens(Site acted, List<Site> sites, List<String> locks) {
    if (!acted.isUp()) {
      return;
    }
    for (String lock : locks) {
      if (!acted.live().hasToken(lock)) {
        continue;
      }
      long epoch = acted.live().view().epoch();
      for (Site other : sites) {
        if (other != acted
            && other.isUp()
            && other.live().hasToken(lock)
            && other.live().view().epoch() == epoch) {
          broken(
              ONE_TOKEN,
              String.format("%s in epoch %d: %s and %s", lock, epoch, acted.id, other.id));
        }
      }
    }
  }
}
