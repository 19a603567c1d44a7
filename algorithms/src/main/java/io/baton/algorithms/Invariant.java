package io.baton.algorithms;

import org.jspecify.annotations.Nullable;

/**
 * A named condition on every reachable instant of a system.
 *
 * @param name as a reader knows it: "mutual exclusion", "Property 2"
 */
public record Invariant(String name, Check check) {
  /** Finds what is wrong with an instant. */
  @FunctionalInterface
  public interface Check {
    /** Says in one line what is wrong, or null where the condition holds. */
    @Nullable String violation(Snapshot snapshot);
  }

  /** Says in one line what is wrong, or null where the condition holds. */
  public @Nullable String violation(Snapshot snapshot) {
    return check.violation(snapshot);
  }
}
