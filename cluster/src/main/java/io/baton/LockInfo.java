package io.baton;

import io.baton.cluster.LockReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A lock that is in use, as far as is known where this was asked.
 *
 * @param name its name
 * @param holder who holds it
 * @param waiters who waits for it: the threads of each member in their order, the first hundred, by
 *     the first 64 letters of their names; after them members whose requests are known and whose
 *     threads are not
 * @param rule by which its token moves
 * @param fence of the last grant; 0 where the token is not at a member that was asked
 */
public record LockInfo(
    String name, Optional<Holder> holder, List<Waiter> waiters, TokenRule rule, long fence) {
  /**
   * Who holds a lock.
   *
   * @param since by the wall clock of that member
   */
  public record Holder(String member, String thread, Instant since) {}

  /**
   * Who waits for a lock.
   *
   * @param thread empty where it is not known
   */
  public record Waiter(String member, String thread) {}

  /** The list is copied. */
  public LockInfo {
    waiters = List.copyOf(waiters);
  }

  /** Puts together what members tell, lock by lock. */
  static List<LockInfo> of(List<LockReport> reports, BatonConfig config) {
    Map<String, List<LockReport>> byName = new LinkedHashMap<>();
    reports.forEach(r -> byName.computeIfAbsent(r.lock(), name -> new ArrayList<>()).add(r));
    List<LockInfo> infos = new ArrayList<>();
    byName.forEach((name, parts) -> infos.add(merge(name, parts, config.ruleOf(name))));
    return infos;
  }

  private static LockInfo merge(String name, List<LockReport> parts, TokenRule rule) {
    Optional<Holder> holder = Optional.empty();
    List<Waiter> waiters = new ArrayList<>();
    long fence = 0;
    for (LockReport part : parts) {
      if (!part.holder().isEmpty()) {
        Instant since = Instant.ofEpochMilli(part.since());
        holder = Optional.of(new Holder(part.member(), part.holder(), since));
      }
      part.threads().forEach(thread -> waiters.add(new Waiter(part.member(), thread)));
      fence = Math.max(fence, part.fence());
    }
    for (LockReport part : parts) {
      for (String member : part.members()) {
        if (waiters.stream().noneMatch(waiter -> waiter.member().equals(member))) {
          waiters.add(new Waiter(member, ""));
        }
      }
    }
    return new LockInfo(name, holder, waiters, rule, fence);
  }
}
