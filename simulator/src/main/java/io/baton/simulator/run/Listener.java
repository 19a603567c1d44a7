package io.baton.simulator.run;

import org.jspecify.annotations.Nullable;

/** Is told what happens in a run, as it happens. */
public interface Listener {
  /** A step is about to be performed. */
  default void before(long time, Step step, Stage stage) {}

  /** A node sent a message during the step. */
  default void sent(Step.Delivery delivery) {}

  /** A node entered the critical section during the step. */
  default void granted(int node, int resource) {}

  /**
   * The step is done.
   *
   * @return what it broke in the eyes of this listener, or null
   */
  default @Nullable Violation after(Step step, Stage stage) {
    return null;
  }
}
