package io.baton.cluster;

import io.baton.cluster.LockReport.Holder;
import io.baton.cluster.LockReport.Wait;
import java.time.Duration;
import java.util.ArrayList;
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
  private static final int LONGEST = 64; // steps
  private static final int MOST = 16; // walks begun in one look

  private final Host host;
  private final Function<String, CompletableFuture<LockReports>> gather; // about one lock
  private final Duration after;
  private final Set<Claim> walking = ConcurrentHashMap.newKeySet();
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

  /** Looks at those who have waited for long. */
  void look() {
    found.removeIf(claim -> !claim.isWaiting());
    int begun = 0;
    for (Claim claim : host.waitingFor(after.toNanos())) {
      if (begun < MOST && !found.contains(claim) && walking.add(claim)) {
        begun++;
        walk(claim);
      }
    }
  }

  private void walk(Claim claim) {
    Wait first = new Wait(claim.lock(), claim.asked());
    Walker start =
        new Walker(host.origin().id(), LockReport.ownerOf(claim), LockReport.nameOf(claim));
    var unused =
        goOn(start, start, List.of(), first)
            .thenCompose(
                once ->
                    once.isEmpty()
                        ? CompletableFuture.completedFuture(once)
                        : goOn(start, start, List.of(), first)
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

  /** From one who waits on to where it began; empty: it does not come back there. */
  private CompletableFuture<List<Blocked>> goOn(
      Walker start, Walker waiter, List<Blocked> path, Wait wait) {
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
                  return next.is(start)
                      ? CompletableFuture.completedFuture(longer)
                      : anyOf(start, next, longer, holder.waitsFor());
                }
              }
              return CompletableFuture.completedFuture(List.<Blocked>of());
            });
  }

  /** The first of these ways that comes back. */
  private CompletableFuture<List<Blocked>> anyOf(
      Walker start, Walker waiter, List<Blocked> path, List<Wait> ways) {
    boolean seen =
        path.stream()
            .anyMatch(
                step ->
                    step.member().equals(waiter.member()) && step.owner().equals(waiter.owner()));
    if (seen || ways.isEmpty() || path.size() >= LONGEST) {
      return CompletableFuture.completedFuture(List.of());
    }
    return goOn(start, waiter, path, ways.get(0))
        .thenCompose(
            cycle ->
                cycle.isEmpty()
                    ? anyOf(start, waiter, path, ways.subList(1, ways.size()))
                    : CompletableFuture.completedFuture(cycle));
  }
}
