package io.baton.cluster;

import io.baton.member.LockState;
import java.util.ArrayList;
import java.util.List;

/**
 * What one member tells of one lock in use.
 *
 * @param member who tells it
 * @param holder the thread that holds it there; empty: none
 * @param since when it was granted, in milliseconds of the wall clock
 * @param threads that wait there, in order
 * @param members whose requests wait there, in order
 * @param fence of the last grant, where the token is there; 0 elsewhere
 */
public record LockReport(
    String member,
    String lock,
    String holder,
    long since,
    List<String> threads,
    List<String> members,
    long fence) {
  private static final int MOST = 100; // of those who wait, the first
  private static final int LONGEST = 64; // letters of a thread's name

  /** The lists are copied. */
  public LockReport {
    threads = List.copyOf(threads);
    members = List.copyOf(members);
  }

  /** What a member itself knows. */
  public static List<LockReport> of(Host host) {
    List<LockReport> reports = new ArrayList<>();
    for (LockState state : host.locks()) {
      Claim claim = (Claim) state.holder();
      Grip holder = claim == null ? null : claim.inUse();
      if (holder == null && state.callers().isEmpty() && state.members().isEmpty()) {
        continue; // it is only kept here
      }
      List<String> threads =
          state.callers().stream()
              .limit(MOST)
              .map(caller -> nameOf(((Claim) caller).thread()))
              .toList();
      reports.add(
          new LockReport(
              host.origin().id(),
              state.lock(),
              holder == null ? "" : nameOf(holder.thread()),
              holder == null ? 0 : holder.since().toEpochMilli(),
              threads,
              state.members().stream().limit(MOST).toList(),
              holder != null ? holder.fence() : state.hasToken() ? state.fence() : 0));
    }
    return reports;
  }

  private static String nameOf(Thread thread) {
    String name = thread.getName();
    return name.isEmpty()
        ? "thread " + thread.getId()
        : name.substring(0, Math.min(name.length(), LONGEST));
  }
}
