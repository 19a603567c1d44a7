package io.baton.simulator.run;

/**
 * A promise that a run broke.
 *
 * @param invariant the name of what should have held
 * @param detail one line on what happened instead
 */
public record Violation(String invariant, String detail) {
  /** The name under which requests that are never granted are reported. */
  public static final String LIVENESS = "every request is granted in the end";

  /** Whether a text that a violation was written as names the same promise. */
  public boolean isNamedIn(String text) {
    return text.equals(invariant) || text.startsWith(invariant + ": ");
  }

  @Override
  public String toString() {
    return invariant + ": " + detail;
  }

  /** Ends the step that broke the promise. */
  static final class Broken extends RuntimeException {
    final transient Violation violation;

    Broken(Violation violation) {
      super(violation.toString(), null, false, false);
      this.violation = violation;
    }
  }
}
