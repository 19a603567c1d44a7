package io.baton;

import io.baton.cluster.Blocked;
import io.baton.cluster.Texts;
import java.util.List;

/**
 * Several who wait for each other for ever, unless one gives up or a hold ends by {@link
 * BatonLock#atMost}: each waits for a lock that the next one holds, the last one for a lock of the
 * first. Baton names it, and breaks nothing by itself: end one of the holds, by its owner or by
 * {@link Baton#forceRelease}.
 *
 * @param text the same in words
 */
public record Deadlock(List<Waiter> cycle, String text) {
  /**
   * One of them.
   *
   * @param member where it waits
   * @param owner its thread, or the owner that was named
   * @param lock that it waits for
   * @param fence of the hold that is in its way
   */
  public record Waiter(String member, String owner, String lock, long fence) {}

  /** The list is copied. */
  public Deadlock {
    cycle = List.copyOf(cycle);
  }

  static Deadlock of(List<Blocked> cycle) {
    return new Deadlock(
        cycle.stream()
            .map(step -> new Waiter(step.member(), step.name(), step.lock(), step.fence()))
            .toList(),
        Texts.of(cycle));
  }
}
