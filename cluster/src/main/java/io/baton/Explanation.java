package io.baton;

import java.util.List;

/**
 * Why a lock is not granted to this member.
 *
 * @param lock who has it and who waits for it
 * @param before who waits for it and comes before the last that waits at this member; where nobody
 *     does, all who wait
 * @param obstacles what else is in the way: no lease, no majority, an epoch that begins
 * @param text the same in words
 */
public record Explanation(
    LockInfo lock, List<LockInfo.Waiter> before, List<String> obstacles, String text) {
  /** The lists are copied. */
  public Explanation {
    before = List.copyOf(before);
    obstacles = List.copyOf(obstacles);
  }

  static Explanation of(LockInfo lock, List<String> obstacles, String member) {
    List<LockInfo.Waiter> all = lock.waiters();
    int last = all.size();
    for (int k = 0; k < all.size(); k++) {
      last = all.get(k).member().equals(member) ? k : last;
    }
    List<LockInfo.Waiter> before = all.subList(0, last);
    return new Explanation(lock, before, obstacles, text(lock, before, obstacles));
  }

  private static String text(LockInfo lock, List<LockInfo.Waiter> before, List<String> obstacles) {
    StringBuilder text = new StringBuilder("Lock \"").append(lock.name()).append("\" ");
    switch (lock.state()) {
      case HELD -> lock.holder().ifPresent(holder -> text.append(heldBy(holder, lock.fence())));
      case FREE -> text.append("is free");
      default -> text.append("may be held or not: no member that answered has its token");
    }
    if (!before.isEmpty()) {
      text.append("; before it is the turn of this member come ");
      for (int k = 0; k < before.size(); k++) {
        LockInfo.Waiter waiter = before.get(k);
        text.append(k == 0 ? "" : ", ")
            .append(waiter.thread().isEmpty() ? "" : waiter.thread() + " of ")
            .append(waiter.member());
      }
    }
    obstacles.forEach(obstacle -> text.append("; ").append(obstacle));
    return text.append('.').toString();
  }

  private static String heldBy(LockInfo.Holder holder, long fence) {
    String note = holder.note().isEmpty() ? "" : " (" + holder.note() + ")";
    if (holder.keptUntil().isPresent()) {
      return "was given back by %s of %s%s, who keeps it from others until %s, with fence %d"
          .formatted(
              holder.thread(), holder.member(), note, holder.keptUntil().orElseThrow(), fence);
    }
    return "is held by %s of %s%s since %s with fence %d"
        .formatted(holder.thread(), holder.member(), note, holder.since(), fence);
  }

  @Override
  public String toString() {
    return text;
  }
}
