package io.baton.cli;

import io.baton.simulator.run.Listener;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import org.jspecify.annotations.Nullable;

/** Tells a progress bar how many critical sections have ended. */
final class Counter implements Listener {
  private final Progress progress;
  private long exits;

  Counter(Progress progress) {
    this.progress = progress;
  }

  @Override
  public @Nullable Violation after(Step step, Stage stage) {
    if (step instanceof Step.Exit && (++exits & 0xFF) == 0) {
      progress.update(exits);
    }
    return null;
  }
}
