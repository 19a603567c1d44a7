package io.baton.simulator.trace;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Distribution.Constant;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Simulation;
import io.baton.simulator.run.Stage;
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
 * @param fathers every node's father at the end, nil for a root, down where it is down; empty where
 *     nodes have none
 * @param late messages that took longer than δ, where the algorithm counts on it
 * @param violation what they broke, or null
 * @param mismatch where the trace and this build differ, in one line; null where they agree
 */
public record Replay(
    List<TraceLine> lines,
    List<String> fathers,
    int late,
    @Nullable Violation violation,
    @Nullable String mismatch) {

  /** Plays a trace and compares. */
  public static Replay of(Trace trace, Catalogue.Builder builder) {
    return trace.lines().isEmpty() ? run(trace, builder) : follow(trace, builder);
  }

  /** The trace with the same steps, and what they change in this build. */
  public static Trace renew(Trace trace, Catalogue.Builder builder) {
    if (trace.lines().isEmpty()) {
      Replay replay = run(trace, builder);
      return trace.with(replay.lines(), replay.violation());
    }
    Playback playback = new Playback(trace.system(), builder);
    Violation violation = null;
    for (int k = 0; k < trace.lines().size() && violation == null; k++) {
      TraceLine line = trace.lines().get(k);
      violation = playback.advance(line);
      if (violation == null && !playback.canPlay(line)) {
        throw new BadInputException(
            "The trace cannot be renewed: " + impossible(k, line, playback));
      }
      violation = violation == null ? playback.play(line) : violation;
    }
    if (violation == null && !playback.canGoOn() && trace.violation() == null) {
      throw new BadInputException("The trace ends too early: " + playback.whatGoesOn());
    }
    List<TraceLine> soFar = playback.lines();
    violation = violation == null ? playback.drain() : violation;
    boolean endless = violation != null && violation.invariant().equals(Violation.LIVENESS);
    return trace.with(endless ? soFar : playback.lines(), violation);
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
    Fathers fathers = new Fathers();
    RunResult result =
        new Simulation(builder.build(spec, recorder), spec.graph(), config)
            .listen(recorder)
            .listen(fathers)
            .run();
    return new Replay(recorder.lines(), fathers.atTheEnd, 0, result.violation(), null);
  }

  /** Looks at the tree after every step. */
  private static final class Fathers implements Listener {
    private List<String> atTheEnd = List.of();

    @Override
    public @Nullable Violation after(Step step, Stage stage) {
      atTheEnd = Playback.fathers(stage);
      return null;
    }
  }

  private static Replay outcome(
      Playback playback, @Nullable Violation violation, @Nullable String mismatch) {
    return new Replay(playback.lines(), playback.fathers(), playback.late(), violation, mismatch);
  }

  private static Replay follow(Trace trace, Catalogue.Builder builder) {
    Playback playback = new Playback(trace.system(), builder);
    if (!trace.stepsFitScript()) {
      return outcome(playback, null, "The script and the steps let different nodes enter");
    }
    Violation violation = null;
    for (int k = 0; k < trace.lines().size(); k++) {
      TraceLine line = trace.lines().get(k);
      Step step = playback.find(line.step());
      if (step == null) {
        return outcome(playback, violation, impossible(k, line, playback));
      }
      long time = line.timeOr(playback.now());
      String overdue = playback.overdue(time, step);
      if (overdue != null) {
        return outcome(
            playback, null, String.format("Step %d, \"%s\": %s", k + 1, line.step(), overdue));
      }
      violation = playback.perform(time, step, line.choices());
      TraceLine played = playback.last();
      if (!played.changes().equals(line.changes()) || !played.choices().equals(line.choices())) {
        return outcome(
            playback,
            violation,
            String.format(
                "Step %d differs: written \"%s\", played \"%s\" (--write renews it)",
                k + 1, line, played));
      }
      if (violation != null && k + 1 < trace.lines().size()) {
        return outcome(
            playback,
            violation,
            String.format("Step %d of %d breaks a promise", k + 1, trace.lines().size()));
      }
    }
    if (violation == null && trace.violation() == null && !playback.isAtRest()) {
      return outcome(playback, null, "The trace ends too early: " + playback.whatGoesOn());
    }
    Replay soFar = outcome(playback, violation, null);
    if (violation == null) {
      violation = playback.drain(); // nothing is left, or it goes on without end
    }
    return new Replay(
        soFar.lines(),
        soFar.fathers(),
        soFar.late(),
        violation,
        compare(trace.violation(), violation));
  }

  private static String impossible(int k, TraceLine line, Playback playback) {
    return String.format(
        "Step %d, \"%s\", cannot happen here: %s", k + 1, line.step(), playback.whatGoesOn());
  }

  /** Compares the names of what is broken; how it is put may differ. */
  private static @Nullable String compare(@Nullable String expected, @Nullable Violation found) {
    if (expected == null ? found == null : found != null && found.isNamedIn(expected)) {
      return null;
    }
    return String.format(
        "The trace should break %s, but it breaks %s",
        expected == null ? "nothing" : "\"" + expected + "\"",
        found == null ? "nothing" : "\"" + found + "\"");
  }
}
