package io.baton.simulator.trace;

import io.baton.simulator.random.Distribution.Constant;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Simulation;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.SystemSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plays a trace: step by step as it is written and comparing every change, or, where it has no
 * steps, as a run that makes them.
 *
 * @param lines the steps played, as this build performs them
 * @param violation what they broke, or null
 * @param mismatch where the trace and this build differ, in one line; null where they agree
 */
public record Replay(
    List<TraceLine> lines, @Nullable Violation violation, @Nullable String mismatch) {

  /** Plays a trace. */
  public static Replay of(Trace trace, Catalogue.Builder builder) {
    return trace.lines().isEmpty() ? run(trace, builder) : follow(trace, builder);
  }

  /** Every message takes one unit of time, every critical section ten. */
  private static Replay run(Trace trace, Catalogue.Builder builder) {
    SystemSpec spec = trace.system();
    Recorder recorder = new Recorder(Chooser.FIRST, false);
    RunConfig config =
        new RunConfig(
            1,
            trace.script(),
            trace.script().users().size(),
            new Constant(10 * Ticks.PER_UNIT),
            new Delay(new Constant(Ticks.PER_UNIT), false),
            false,
            Faults.NONE,
            RunConfig.Checking.EVERY_EVENT);
    RunResult result =
        new Simulation(builder.build(spec, recorder), spec.graph(), config).listen(recorder).run();
    return new Replay(recorder.lines(), result.violation(), null);
  }

  private static Replay follow(Trace trace, Catalogue.Builder builder) {
    Playback playback = new Playback(trace.system(), builder);
    Violation violation = null;
    String mismatch = null;
    for (int k = 0; k < trace.lines().size() && violation == null && mismatch == null; k++) {
      TraceLine line = trace.lines().get(k);
      Step step = playback.find(line.step());
      if (step == null) {
        mismatch =
            String.format(
                "Step %d, \"%s\", cannot happen here; in transit: %s",
                k + 1, line.step(), playback.inTransit());
      } else {
        violation = playback.perform(step, line.choices());
        TraceLine played = playback.lines().get(k);
        if (!played.changes().equals(line.changes()) || !played.choices().equals(line.choices())) {
          mismatch =
              String.format("Step %d differs: written \"%s\", played \"%s\"", k + 1, line, played);
        } else if (violation != null && k + 1 < trace.lines().size()) {
          mismatch = String.format("Step %d already breaks %s", k + 1, violation);
        }
      }
    }
    if (mismatch == null && violation == null) {
      if (trace.violation() != null) {
        violation = playback.drain();
      } else if (!playback.inTransit().isEmpty()) {
        mismatch = "The trace ends with messages in transit: " + playback.inTransit();
      }
    }
    if (mismatch == null) {
      mismatch = compare(trace.violation(), violation);
    }
    return new Replay(playback.lines(), violation, mismatch);
  }

  private static @Nullable String compare(@Nullable String expected, @Nullable Violation found) {
    String actual = found == null ? null : found.toString();
    if (expected == null ? actual == null : expected.equals(actual)) {
      return null;
    }
    return String.format(
        "The trace should break %s, but it breaks %s",
        expected == null ? "nothing" : "\"" + expected + "\"",
        actual == null ? "nothing" : "\"" + actual + "\"");
  }
}
