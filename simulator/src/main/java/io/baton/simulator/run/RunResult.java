package io.baton.simulator.run;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a run.
 *
 * @param stuck requests that were made and not granted by the end
 * @param violation what the run broke, and where it was stopped; null where all held
 * @param duration virtual time of its last step
 * @param events steps performed
 */
public record RunResult(
    Measures measures, long stuck, @Nullable Violation violation, long duration, long events) {
  /** How many promises were broken: a run stops at the first. */
  public int violations() {
    return violation == null ? 0 : 1;
  }
}
