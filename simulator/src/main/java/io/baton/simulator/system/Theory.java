package io.baton.simulator.system;

import io.baton.algorithms.Invariant;
import io.baton.algorithms.Rule;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a system, and the rule it runs.
 *
 * @param invariants what holds besides what holds of every system of the algorithm
 * @param freshCost what one request of a node costs, alone in the initial system; null: unknown
 */
record Theory(
    Rule rule,
    List<Invariant> invariants,
    LockSystem.Cost cost,
    LockSystem.@Nullable Flood flood,
    @Nullable IntToLongFunction freshCost) {
  /** For algorithms outside the general scheme. */
  static final Rule NO_RULE =
      (i, j) -> {
        throw new IllegalStateException("This algorithm has no behaviours to choose from");
      };

  /** A rule under which a request costs up to a bound. */
  static Theory of(Rule rule, List<Invariant> invariants, long most) {
    return of(rule, invariants, most, null);
  }

  /** The same where the cost of each node's first request is known. */
  static Theory of(
      Rule rule, List<Invariant> invariants, long most, @Nullable IntToLongFunction freshCost) {
    return new Theory(rule, invariants, LockSystem.Cost.upTo(most), null, freshCost);
  }
}
