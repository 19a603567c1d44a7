package io.baton;

import io.baton.cluster.LockReport;
import io.baton.cluster.LockReports;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A lock, as far as is known where this was asked.
 *
 * @param name its name
 * @param state whether it is held
 * @param holder who holds it
 * @param waiters who waits for it, as nearly in the order in which they are served as is known: the
 *     first hundred of each member, by the first 64 letters of the names of their threads or
 *     owners; of a member that was not asked, only that it waits
 * @param rule by which its token moves
 * @param fence of the last grant; 0 where the token is not at a member that was asked
 */
public record LockInfo(
    String name,
    State state,
    Optional<Holder> holder,
    List<Waiter> waiters,
    TokenRule rule,
    long fence) {
  /** Whether a lock is held. */
  public enum State {
    /** Somebody has it. */
    HELD,
    /** Nobody has it. */
    FREE,
    /**
     * Its token is at no member that told: at one that does not answer or was not asked, or on its
     * way between two.
     */
    UNKNOWN
  }

  /**
   * Who holds a lock.
   *
   * @param thread its name, or the owner that was named
   * @param since by the wall clock of that member
   * @param keptUntil where it was given back already, and is kept from others for a while ({@link
   *     BatonLock#atLeast}): until when, by the wall clock of that member
   * @param note what the holder wants others to read; empty: nothing
   */
  public record Holder(
      String member, String thread, Instant since, Optional<Instant> keptUntil, String note) {}

  /**
   * Who waits for a lock.
   *
   * @param thread its name, or the owner that was named; empty where it is not known
   */
  public record Waiter(String member, String thread) {}

  /** The list is copied. */
  public LockInfo {
    waiters = List.copyOf(waiters);
  }

  /** Puts together what members tell, lock by lock. */
  static List<LockInfo> of(LockReports reports, BatonConfig config) {
    Map<String, List<LockReport>> byName = new LinkedHashMap<>();
    reports.reports().forEach(r -> byName.computeIfAbsent(r.lock(), n -> new ArrayList<>()).add(r));
    List<LockInfo> infos = new ArrayList<>();
    byName.forEach((name, parts) -> infos.add(merge(name, parts, reports, config)));
    return infos;
  }

  /** What is told of one lock. */
  static LockInfo of(String name, LockReports reports, BatonConfig config) {
    return merge(name, reports.reports(), reports, config);
  }

  private static LockInfo merge(
      String name, List<LockReport> parts, LockReports reports, BatonConfig config) {
    boolean token = false;
    LockReport latest = null; // some may have told of an earlier grant
    for (LockReport part : parts) {
      token |= part.token();
      latest = latest == null || part.fence() > latest.fence() ? part : latest;
    }
    Optional<Holder> holder = latest == null ? Optional.empty() : holder(latest);
    long fence = latest == null ? 0 : latest.fence();
    State state = holder.isPresent() ? State.HELD : token ? State.FREE : State.UNKNOWN;
    return new LockInfo(name, state, holder, waiters(parts, reports), config.ruleOf(name), fence);
  }

  private static Optional<Holder> holder(LockReport part) {
    LockReport.Holder there = part.holder();
    return there == null
        ? Optional.empty()
        : Optional.of(
            new Holder(
                part.member(),
                there.name(),
                Instant.ofEpochMilli(there.since()),
                there.keptUntil() == 0
                    ? Optional.empty()
                    : Optional.of(Instant.ofEpochMilli(there.keptUntil())),
                there.note()));
  }

  /** From where the token is, along the queues of members; then the others, by their ids. */
  private static List<Waiter> waiters(List<LockReport> parts, LockReports reports) {
    Map<String, LockReport> byMember = new LinkedHashMap<>();
    Comparator<LockReport> order =
        Comparator.comparing((LockReport part) -> !part.token()).thenComparing(LockReport::member);
    parts.stream().sorted(order).forEach(part -> byMember.putIfAbsent(part.member(), part));
    Set<String> members = new LinkedHashSet<>();
    byMember.keySet().forEach(member -> follow(member, byMember, members));
    List<Waiter> waiters = new ArrayList<>();
    for (String member : members) {
      LockReport part = byMember.get(member);
      if (part != null) {
        part.waiting().forEach(thread -> waiters.add(new Waiter(member, thread)));
      } else if (!reports.answered().contains(member)) { // else nobody waits there any more
        waiters.add(new Waiter(member, ""));
      }
    }
    return waiters;
  }

  private static void follow(String member, Map<String, LockReport> byMember, Set<String> members) {
    LockReport part = byMember.get(member);
    if (members.add(member) && part != null) {
      part.members().forEach(next -> follow(next, byMember, members));
    }
  }
}
