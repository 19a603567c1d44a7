package io.baton.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.FreshEach;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Playback;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** [RING]: rules 1 to 5. */
class RingTest {
  private static SystemSpec ring(String algorithm, int nodes, SystemSpec.RingWish how) {
    return SystemSpec.of(new SystemSpec.Wish(algorithm, nodes, null, null, null, null, how), 1);
  }

  private static SystemSpec acknowledged(int nodes) {
    return ring("ring", nodes, new SystemSpec.RingWish(1, null, null, true));
  }

  private static RunConfig config(Workload workload, long sections) {
    return new RunConfig(
        1,
        workload,
        sections,
        Distribution.parse("exp:1"),
        Delay.parse("uniform:0.5..1.5"),
        false,
        Faults.NONE,
        RunConfig.Checking.EVERY_EVENT);
  }

  @ParameterizedTest
  @CsvSource({"1,clockwise", "2,clockwise", "5,clockwise", "5,anticlockwise", "12,anticlockwise"})
  void aCriticalSectionCostsExactlyNMessages(int nodes, String direction) {
    SystemSpec spec = ring("ring", nodes, new SystemSpec.RingWish(1, direction, null, null));
    RunConfig config = config(new Workload.Script(List.of()), 0);
    FreshEach result =
        FreshEach.run(Catalogue.build(spec, Chooser.FIRST), null, config, done -> {});
    assertThat(result.violation()).isNull();
    long each = nodes == 1 ? 0 : nodes; // T4: not N - 1
    assertThat(result.perNode()).allMatch(cost -> cost == each);
  }

  @Test
  void tokensTravelInTheDirectionThatWasChosen() {
    SystemSpec spec = ring("ring", 3, new SystemSpec.RingWish(1, "anticlockwise", null, null));
    Playback playback = new Playback(spec, Catalogue::build);
    Plays.play(playback, "enter 2", "2 -> 1 token(1,2)", "1 -> 3 token(1,2)");
    assertThat(playback.inTransit()).containsExactly("3 -> 2 token(1,2)");
  }

  @Test
  void severalResourcesAreHeldAtOnceAndEachByOne() {
    SystemSpec spec = ring("ring", 6, new SystemSpec.RingWish(3, null, null, null));
    int[] most = {0};
    Listener counter =
        new Listener() {
          @Override
          public @Nullable Violation after(Step step, Stage stage) {
            int inside = 0;
            for (int node = 0; node < stage.nodes(); node++) {
              for (int resource = 0; resource < stage.resources(); resource++) {
                inside += stage.inside(node, resource) ? 1 : 0;
              }
            }
            most[0] = Math.max(most[0], inside);
            return null;
          }
        };
    Workload busy = new Workload.Closed(Distribution.parse("const:0"));
    RunResult result = new Experiment(spec, config(busy, 500)).run(Catalogue::build, counter);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().messagesPerCs().max()).isEqualTo(6);
    assertThat(most[0]).isEqualTo(3);
  }

  @Test
  void severalProcessesOfANodeTakeTurns() {
    SystemSpec spec = ring("ring", 3, SystemSpec.RingWish.OPEN);
    Workload.Script script =
        new Workload.Script(
            List.of(
                new Workload.Script.Arrival(0, 1),
                new Workload.Script.Arrival(1, 1),
                new Workload.Script.Arrival(2, 1)));
    RunResult result = new Experiment(spec, config(script, 3)).run(Catalogue::build);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().criticalSections()).isEqualTo(3);
    assertThat(result.measures().messages()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource({"3,2,1", "4,1,1", "3,1,2"})
  void everyScheduleOfASmallRingIsSafeAndLive(int nodes, int requests, int resources) {
    SystemSpec spec = ring("ring", nodes, new SystemSpec.RingWish(resources, null, null, null));
    Exploration found =
        new Explorer(spec, Catalogue::build, requests, false).run(2_000_000, states -> {});
    assertThat(found.violation()).isNull();
    assertThat(found.complete()).isTrue();
  }

  /** T1. */
  @Test
  void theLiteralRingComesToAStandstillFromFiveNodesOn() {
    SystemSpec four = ring("ring-literal", 4, SystemSpec.RingWish.OPEN);
    Exploration small = new Explorer(four, Catalogue::build, 1, true).run(2_000_000, states -> {});
    assertThat(small.violation()).isNull();
    assertThat(small.complete()).isTrue();
    SystemSpec five = ring("ring-literal", 5, SystemSpec.RingWish.OPEN);
    Exploration found = new Explorer(five, Catalogue::build, 1, true).run(2_000_000, states -> {});
    assertThat(found.violation()).extracting(Violation::invariant).isEqualTo(Violation.LIVENESS);
    assertThat(found.trace()).isNotNull();
    Trace golden = Trace.read(Path.of("../traces/ring-literal-t1.trace"));
    assertThat(found.trace().lines()).isEqualTo(golden.lines());
  }

  @Test
  void withTwoResourcesTheLiteralRingComesToAStandstillFromThreeNodesOn() {
    Trace golden = Trace.read(Path.of("../traces/ring-literal-t1-two-resources.trace"));
    Replay replay = Replay.of(golden, Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.violation()).extracting(Violation::invariant).isEqualTo(Violation.LIVENESS);
  }

  private static Fuzzer.Outcome fuzz(String faults, int nodes, int seeds) {
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of("ring", nodes), 2, nodes, Faults.parse(faults));
    return new Fuzzer(frame, Catalogue::build).run(1, seeds, done -> {});
  }

  /** The time-outs of these runs go from a hundredth of a round on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "loss=0.05",
        "duplicate=0.2",
        "loss=0.1,duplicate=0.1",
        "crash",
        "crash,recover",
        "crash=0.05,recover=3",
        "loss,duplicate,crash,recover"
      })
  void hundredsOfFaultedSeedsBreakNothing(String faults) {
    Fuzzer.Outcome outcome = fuzz(faults, 8, 100);
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
  }

  /** T6: rule 5 needs a detector that does not err. */
  @Test
  void aLiveNodeThatIsTakenForDeadLetsTwoIn() {
    FuzzCases.Frame frame =
        new FuzzCases.Frame(
            new SystemSpec.Wish(
                "ring", 8, null, null, null, null, new SystemSpec.RingWish(1, null, "20", true)),
            3,
            8,
            Faults.parse("suspect=0.02"));
    boolean twoInside = false;
    for (int seed = 1; seed <= 200; seed++) {
      Violation violation = unchecked(FuzzCases.of(frame, seed)).run(Catalogue::build).violation();
      twoInside |= violation != null && violation.invariant().equals("mutual exclusion");
    }
    assertThat(twoInside).isTrue();
  }

  /** Without the invariants, which notice who is about to enter before its turn. */
  private static Experiment unchecked(Experiment experiment) {
    RunConfig config = experiment.config();
    return new Experiment(
        experiment.system(),
        new RunConfig(
            config.seed(),
            config.workload(),
            config.criticalSections(),
            config.hold(),
            config.delay(),
            config.fifo(),
            config.faults(),
            RunConfig.Checking.OFF));
  }

  @Test
  void aHolderThatDiesInsideWithATokenInItsQueueIsSkippedAndTheTokenSentAgain() {
    Playback playback = new Playback(acknowledged(4), Catalogue::build);
    Plays.play(playback, "enter 2", "enter 3", "3 -> 4 token(1,3)", "4 -> 1 token(1,3)");
    Plays.play(playback, "1 -> 2 token(1,3)", "2 -> 3 token(1,2)", "3 -> 4 token(1,2)");
    Plays.play(
        playback, "4 -> 1 token(1,2)", "1 -> 2 token(1,2)", "crash 2", "lost 3 2", "lost 1 2");
    assertThat(playback.inTransit()).contains("1 -> 3 token(1,3)", "3 -> 4 token(1,3,resend)");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2", "3");
  }

  @Test
  void theTokenOfADeadNodeIsTakenOffTheRing() {
    Playback playback = new Playback(acknowledged(4), Catalogue::build);
    Plays.play(
        playback, "enter 2", "2 -> 3 token(1,2)", "crash 2", "lost 1 2", "lost 3 2", "lost 4 2");
    Plays.play(playback, "3 -> 4 token(1,2)", "4 -> 3 ack(1,2)");
    assertThat(playback.inTransit()).isEmpty();
  }

  @Test
  void twoNeighboursThatDieAtOnceAreBothSkipped() {
    Playback playback = new Playback(acknowledged(4), Catalogue::build);
    Plays.play(playback, "enter 1", "1 -> 2 token(1,1)", "crash 2", "crash 3");
    Plays.play(playback, "lost 1 2", "lost 4 2", "lost 1 3", "lost 4 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("1");
  }

  @Test
  void aNodeThatDiesWhileItsTokenIsHeldElsewhereDelaysNobody() {
    Playback playback = new Playback(acknowledged(3), Catalogue::build);
    Plays.play(
        playback, "enter 1", "enter 3", "3 -> 1 token(1,3)", "crash 3", "lost 1 3", "lost 2 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("1");
    assertThat(playback.inTransit()).isEmpty();
  }

  @Test
  void aNodeThatComesBackAsksAfterAllThatHappenedMeanwhile() {
    Playback playback = new Playback(acknowledged(3), Catalogue::build);
    Plays.play(playback, "crash 3", "lost 1 3", "lost 2 3", "enter 1", "recover 3");
    Plays.play(playback, "found 1 3", "found 2 3", "enter 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("1", "3");
  }

  /** Else 4, which skipped the newcomer, takes the numbers in use to its grave. */
  @Test
  void aNodeThatComesBackAsksEverybodyAnewWhenOneDiesMeanwhile() {
    Playback playback = new Playback(acknowledged(4), Catalogue::build);
    Plays.play(playback, "crash 1", "lost 2 1", "lost 3 1", "lost 4 1", "recover 1", "found 2 1");
    Plays.play(playback, "found 3 1", "1 -> 2 join", "1 -> 3 join", "2 -> 1 welcome(0)");
    Plays.play(playback, "3 -> 1 welcome(0)", "enter 2", "enter 3", "3 -> 4 token(1,3)");
    Plays.play(playback, "4 -> 2 token(1,3)", "2 -> 3 token(1,2)", "3 -> 4 token(1,2)");
    Plays.play(playback, "4 -> 2 token(1,2)", "crash 4", "lost 1 4", "enter 1");
    assertThat(playback.inTransit())
        .contains("1 -> 2 join(1)", "1 -> 3 join(1)")
        .noneMatch(message -> message.contains("token(1,1)"));
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2", "3", "1");
  }

  /** Node 2 hears of neither the coming nor the going, and yet must send its token again. */
  @Test
  void whoWasNotToldThatANodeCameBackIsToldThatItDiedAgain() {
    Playback playback = new Playback(acknowledged(3), Catalogue::build);
    Plays.play(playback, "crash 1", "lost 2 1", "lost 3 1", "recover 1", "found 3 1");
    Plays.play(playback, "enter 2", "2 -> 3 token(1,2)", "3 -> 1 token(1,2)");
    Plays.play(playback, "1 -> 3 ack(1,2)", "3 -> 2 ack(1,2)", "crash 1", "lost 3 1");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2");
  }

  @Test
  void whatARingDoesNotHaveIsRefused() {
    assertThatThrownBy(() -> ring("ring", 3, new SystemSpec.RingWish(0, null, null, null)))
        .isInstanceOf(BadInputException.class)
        .hasMessage("0 resources cannot be: take 1 to 100");
    assertThatThrownBy(() -> ring("ring", 3, new SystemSpec.RingWish(1, "up", null, null)))
        .hasMessage("There is no direction \"up\": take clockwise or anticlockwise");
    assertThatThrownBy(() -> ring("ring", 3, new SystemSpec.RingWish(1, null, "soon", null)))
        .hasMessage("\"soon\" is no time-out: write units of time such as 2.5, or none");
    assertThatThrownBy(() -> ring("raymond", 3, new SystemSpec.RingWish(2, null, null, null)))
        .hasMessageStartingWith("raymond is no ring");
  }

  @Test
  void aTraceSaysHowTheRingIsSetUp() {
    SystemSpec spec = ring("ring", 4, new SystemSpec.RingWish(2, "anticlockwise", "2.5", true));
    Trace trace = Trace.of(spec, List.of(), null);
    assertThat(trace.toString())
        .contains("nodes 4", "resources 2", "direction anticlockwise", "timeout 2.5", "acks yes");
    assertThat(Trace.parse(trace.toString(), "trace").system().ring()).isEqualTo(spec.ring());
    assertThat(spec.ring().timeout()).isEqualTo(Ticks.ofUnits(2.5));
    assertThat(Replay.of(trace, Catalogue::build).mismatch()).isNull();
  }
}
