package io.baton.simulator.cluster;

import io.baton.member.Command;
import io.baton.simulator.random.Generator;
import java.util.ArrayList;
import java.util.List;

/**
 * The agreed log as a consensus engine offers it: one order of entries, terms with one leader each,
 * nothing committed without a connected majority of voters. A leader that was deposed may not know
 * it; what it proposes may get lost, or be logged later by another. The voters' disks survive.
 */
final class Consensus {
  private static final long REVIEW = 50_000;
  private static final int NOBODY = -1;

  private record Entry(long term, Command command) {}

  private final Schedule schedule;
  private final List<Site> sites;
  private final int voters; // the first sites
  private final Wires wires;
  private final Generator chance;
  private final List<Entry> log = new ArrayList<>();
  private final long[] believed; // the term in which a voter takes itself for the leader; 0: none
  private final int[] applied; // how many entries a voter has been given since its start
  private final boolean[] busy; // the next one is on its way
  private long term;
  private int leader = NOBODY;
  private long electAt = Long.MAX_VALUE;

  Consensus(
      Schedule schedule,
      List<Site> sites,
      int voters,
      Command.Found found,
      Wires wires,
      Generator chance) {
    this.schedule = schedule;
    this.sites = sites;
    this.voters = voters;
    this.wires = wires;
    this.chance = chance;
    this.believed = new long[voters];
    this.applied = new int[voters];
    this.busy = new boolean[voters];
    log.add(new Entry(0, found));
    schedule.after(1, this::review);
  }

  boolean isVoter(Site site) {
    return site.number < voters;
  }

  int leader() {
    return leader;
  }

  int length() {
    return log.size();
  }

  /** A voter's process begins: it reads the log from its start. */
  void started(int voter) {
    believed[voter] = 0;
    applied[voter] = 0;
    busy[voter] = false;
    if (leader == voter) {
      leader = NOBODY; // it comes back as a follower
    }
  }

  /** Lets another voter be elected, if one can be. */
  void depose() {
    leader = NOBODY;
    electAt = schedule.now() + chance.nextLong(100_000);
  }

  private boolean reaches(int a, int b) {
    return a == b || (sites.get(b).isRunning() && wires.isOpen(a, b) && wires.isOpen(b, a));
  }

  private boolean hasMajority(int voter) {
    int reached = 0;
    for (int other = 0; other < voters; other++) {
      reached += reaches(voter, other) ? 1 : 0;
    }
    return sites.get(voter).isRunning() && 2 * reached > voters;
  }

  private boolean leads(int voter, long itsTerm) {
    return voter == leader && itsTerm == term && hasMajority(voter);
  }

  private void review() {
    if (leader != NOBODY && hasMajority(leader)) {
      electAt = Long.MAX_VALUE;
    } else if (electAt == Long.MAX_VALUE) {
      electAt = schedule.now() + 100_000 + chance.nextLong(400_000);
    } else if (schedule.now() >= electAt) {
      elect();
    }
    for (int voter = 0; voter < voters; voter++) {
      boolean stale = believed[voter] != 0 && believed[voter] < term;
      if (stale && hasMajority(voter) && chance.nextBoolean(0.5)) {
        believed[voter] = 0;
        Site site = sites.get(voter);
        site.perform(() -> site.live().deposed(site.clock()));
      }
      pump(voter);
    }
    schedule.after(REVIEW / 2 + chance.nextLong(REVIEW), this::review);
  }

  private void elect() {
    List<Integer> candidates = new ArrayList<>();
    for (int voter = 0; voter < voters; voter++) {
      if (hasMajority(voter)) {
        candidates.add(voter);
      }
    }
    if (candidates.isEmpty()) {
      return;
    }
    electAt = Long.MAX_VALUE;
    leader = candidates.get(chance.nextInt(candidates.size()));
    term++;
    believed[leader] = term;
    long elected = term;
    Site site = sites.get(leader);
    site.perform(() -> site.live().elected(elected, site.clock()));
  }

  private void tell(int voter, Runnable what) {
    Site site = sites.get(voter);
    int start = site.starts();
    schedule.after(
        wires.delay(),
        () -> {
          if (site.starts() == start) {
            site.perform(what);
          }
        });
  }

  /** A voter that takes itself for the leader proposes an entry. */
  void propose(int voter, Command command) {
    long its = believed[voter];
    schedule.after(
        2 * wires.delay(),
        () -> {
          if (leads(voter, its)) {
            append(command);
          } else if (chance.nextBoolean(0.5)) { // tried again, until somebody leads
            schedule.after(
                chance.nextLong(3_000_000),
                () -> {
                  if (leader != NOBODY && hasMajority(leader)) {
                    append(command);
                  }
                });
          }
        });
  }

  /** Whether the term still stands, from now on. */
  void confirm(int voter, long its, long batch) {
    Site site = sites.get(voter);
    schedule.after(
        2 * wires.delay(),
        () -> {
          if (leads(voter, its)) {
            tell(voter, () -> site.live().confirmed(its, batch, site.clock()));
          }
        });
  }

  private void append(Command command) {
    log.add(new Entry(term, command));
    for (int voter = 0; voter < voters; voter++) {
      pump(voter);
    }
  }

  /** Gives a voter what it has not applied yet, one entry after the other, at its own pace. */
  private void pump(int voter) {
    Site site = sites.get(voter);
    boolean reached = leader != NOBODY && (leader == voter || reaches(leader, voter));
    if (busy[voter] || !site.isUp() || !reached || applied[voter] == log.size()) {
      return;
    }
    int index = applied[voter];
    Entry entry = log.get(index);
    busy[voter] = true;
    int start = site.starts();
    schedule.after(
        wires.delay(),
        () -> {
          if (site.starts() == start) {
            site.perform(
                () -> {
                  busy[voter] = false;
                  applied[voter] = index + 1;
                  site.live().applied(index + 1, entry.term(), entry.command(), site.clock());
                  pump(voter);
                });
          }
        });
  }
}
