package io.baton.simulator.run;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a run.
 *
 * @param stuck requests that were made and not granted by the end
 * @param violation what the run broke, and where it was stopped; null where all held
 * @param duration virtual time of its last step
 * @param events steps performed
 * @param healed null where nothing crashed, or the algorithm does not survive that
 */
public record RunResult(
    Measures measures,
    long stuck,
    @Nullable Violation violation,
    long duration,
    long events,
    @Nullable Healed healed) {
  /**
   * How a system was found after crashes.
   *
   * @param rounds how often every node that was up had to ask until the tree looked as it should
   * @param worstCost the messages of the costliest request before that, in rounds in which they ask
   *     one at a time
   */
  public record Healed(int rounds, long worstCost) {}

  /** As a number of rounds: more than were tried. */
  public static final int NEVER = Integer.MAX_VALUE;

  /** How many promises were broken: a run stops at the first. */
  public int violations() {
    return violation == null ? 0 : 1;
  }
}
