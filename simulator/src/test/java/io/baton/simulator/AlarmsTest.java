package io.baton.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.Message;
import io.baton.algorithms.State;
import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Recorder;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Alarms, with an algorithm that hesitates: it enters 9 ticks after it is asked to. */
class AlarmsTest {
  private enum Bell implements Alarm {
    HESITATE
  }

  /** A lock that one node uses alone. */
  private static final class Hesitant implements Algorithm {
    private record Calls(int count, long cargo) implements State {
      @Override
      public List<Variable> variables() {
        return List.of(new Variable("calls", Integer.toString(count)));
      }
    }

    private int calls;
    private long cargo;

    @Override
    public void enter(Effects out) {
      calls++;
      out.setAlarm(Bell.HESITATE, 5);
      out.setAlarm(Bell.HESITATE, 9); // moves it
    }

    @Override
    public void exit(long newCargo, Effects out) {
      cargo = newCargo;
    }

    @Override
    public void receive(int from, Message message, Effects out) {
      throw new IllegalStateException("nobody writes");
    }

    @Override
    public void alarm(Alarm alarm, Effects out) {
      out.grant(cargo);
    }

    @Override
    public State capture() {
      return new Calls(calls, cargo);
    }

    @Override
    public void restore(State state) {
      calls = ((Calls) state).count();
      cargo = ((Calls) state).cargo();
    }
  }

  private static final SystemSpec SPEC = SystemSpec.of(SystemSpec.Wish.of("general", 1), 1);
  private static final Catalogue.Builder HESITANT =
      (spec, chooser) ->
          new LockSystem(1, i -> new Hesitant(), List.of(), List.of(), Long.MAX_VALUE, null);

  private static Experiment experiment() {
    return new Experiment(
        SPEC,
        new RunConfig(
            1,
            new Workload.Closed(Distribution.parse("const:1")),
            3,
            Distribution.parse("const:1"),
            Delay.parse("const:1"),
            false,
            Faults.NONE,
            RunConfig.Checking.EVERY_EVENT));
  }

  @Test
  void anAlarmRingsOnceAtTheTimeItWasMovedTo() {
    RunResult result = experiment().run(HESITANT);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().criticalSections()).isEqualTo(3);
    assertThat(result.measures().waiting().percentile(1)).isEqualTo(9);
    assertThat(result.measures().waiting().max()).isEqualTo(9);
  }

  @Test
  void anAlarmIsPartOfATraceAndOfItsReplay() {
    Recorder recorder = experiment().record(HESITANT).recorder();
    assertThat(recorder.lines().get(1).step()).isEqualTo("alarm 1 HESITATE");
    Trace trace = Trace.of(SPEC, recorder.lines(), null);
    Replay replay = Replay.of(Trace.parse(trace.toString(), "trace"), HESITANT);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.lines()).hasSize(9);
  }

  @Test
  void theExplorerLetsAnAlarmRingAtAnyMoment() {
    Exploration all = new Explorer(SPEC, HESITANT, 2, false).run(100, states -> {});
    assertThat(all.violation()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(all.states()).isEqualTo(7);
  }
}
