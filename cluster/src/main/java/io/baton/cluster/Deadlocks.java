package io.baton.cluster;

import io.baton.cluster.LockReport.Holder;
import io.baton.cluster.LockReport.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether who has waited for long waits for itself: from the lock that it waits for to
 * its holder, from there to what that one waits for, and so on, until it comes back or to an end.
 *
 * <p>What members tell was so at different moments. So a circle counts only where it is found twice
 * in a row with the same wishes and fences: then every step of it was there between the two walks,
 * and all of them at once.
 */
final class Deadlocks {
  private static final Logger LOG = LoggerFactory.getLogger(Deadlocks.class);
  private static final int LONGEST = 64; // owners that one walk comes to
  private static final int MOST = 16; // walks begun in one look

  private final Host host;
  private final Function<String, CompletableFuture<LockReports>> gather; // about one lock
  private final Duration after;
  private final Set<Claim> walking = ConcurrentHashMap.newKeySet();
  private final Set<Claim> looked = new HashSet<>(); // by one look after the other
  private final Set<Claim> found = ConcurrentHashMap.newKeySet();
  private final Consumer<List<Blocked>> listener;

  /**
   * A watch over those who wait at a member.
   *
   * @param after how long somebody has to wait before it is looked at
   */
  Deadlocks(
      Host host,
      Function<String, CompletableFuture<LockReports>> gather,
      Duration after,
      Consumer<List<Blocked>> listener) {
    this.host = host;
    this.gather = gather;
    this.after = after;
    this.listener = listener;
  }

  /** Looks at those who have waited for long, all of them in turn. */
  void look() {
    found.removeIf(claim -> !claim.isWaiting());
    looked.removeIf(claim -> !claim.isWaiting());
    List<Claim> waiting = new ArrayList<>(host.waitingFor(after.toNanos()));
    waiting.removeAll(found);
    waiting.removeAll(walking);
    if (looked.containsAll(waiting)) {
      looked.clear();
    }
    waiting.removeAll(looked);
    for (Claim claim : waiting.subList(0, Math.min(MOST, waiting.size()))) {
      looked.add(claim);
      walking.add(claim);
      try {
        walk(claim);
      } catch (RuntimeException | Error e) { // of memory, perhaps
        walking.remove(claim);
        throw e;
      }
    }
  }

  private void walk(Claim claim) {
    Wait first = new Wait(claim.lock(), claim.asked());
    Walker start =
        new Walker(host.origin().id(), LockReport.ownerOf(claim), LockReport.nameOf(claim));
    var unused =
        goOn(new Walk(start), start, List.of(), first)
            .thenCompose(
                once ->
                    once.isEmpty()
                        ? CompletableFuture.completedFuture(once)
                        : goOn(new Walk(start), start, List.of(), first)
                            .thenApply(twice -> twice.equals(once) ? once : List.<Blocked>of()))
            .whenComplete(
                (cycle, failure) -> {
                  if (cycle != null && !cycle.isEmpty() && claim.isWaiting()) {
                    found.add(claim);
                    LOG.warn("{}: {}", host.origin().id(), Texts.of(cycle));
                    listener.accept(cycle);
                  }
                  walking.remove(claim);
                });
  }

  private record Walker(String member, String owner, String name) {
    boolean is(Walker other) {
      return member.equals(other.member) && owner.equals(other.owner);
    }
  }

  /** From where a walk began, and whom it has come to: to nobody twice. */
  private static final class Walk {
    private final Walker start;
    private final Set<String> seen = new HashSet<>();

    Walk(Walker start) {
      this.start = start;
    }

    /** Whether it is worth while to go on from there. */
    synchronized boolean goesOnFrom(Walker next) {
      return seen.size() < LONGEST && seen.add(next.member() + ' ' + next.owner());
    }
  }

  /** From one who waits on to where it began; empty: it does not come back there. */
  private CompletableFuture<List<Blocked>> goOn(
      Walk walk, Walker waiter, List<Blocked> path, Wait wait) {
    return gather
        .apply(wait.lock())
        .thenCompose(
            reports -> {
              for (LockReport report : reports.reports()) {
                Holder holder = report.holder();
                if (holder != null && !holder.owner().isEmpty()) {
                  List<Blocked> longer = new ArrayList<>(path);
                  longer.add(
                      new Blocked(
                          waiter.member(),
                          waiter.owner(),
                          waiter.name(),
                          wait.lock(),
                          wait.wish(),
                          report.fence()));
                  Walker next = new Walker(report.member(), holder.owner(), holder.name());
                  if (next.is(walk.start)) {
                    return CompletableFuture.completedFuture(longer);
                  } else if (walk.goesOnFrom(next)) {
                    return anyOf(walk, next, longer, holder.waitsFor());
                  }
                }
              }
              return CompletableFuture.completedFuture(List.<Blocked>of());
            });
  }

  /** The first of these ways that comes back. */
  private CompletableFuture<List<Blocked>> anyOf(
      Walk walk, Walker waiter, List<Blocked> path, List<Wait> ways) {
    if (ways.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return goOn(walk, waiter, path, ways.get(0))
        .thenCompose(
            cycle ->
                cycle.isEmpty()
                    ? anyOf(walk, waiter, path, ways.subList(1, ways.size()))
                    : CompletableFuture.completedFuture(cycle));
  }
}
