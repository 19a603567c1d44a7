package io.baton.cli;

import io.baton.simulator.run.Listener;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import org.jspecify.annotations.Nullable;

/** Measures the heap that a run needs, once, in the middle of it. */
final class MemoryProbe implements Listener {
  private final long before = used();
  private long exitsLeft;
  private long bytes;

  MemoryProbe(long exitsLeft) {
    this.exitsLeft = exitsLeft;
  }

  long bytes() {
    return bytes;
  }

  @Override
  public @Nullable Violation after(Step step, Stage stage) {
    if (step instanceof Step.Exit && --exitsLeft == 0) {
      bytes = used() - before;
    }
    return null;
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
