package io.baton.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.RepairCost;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrashesTest {
  private static Experiment experiment(
      String algorithm, int nodes, String think, String faults, long seed) {
    return new Experiment(
        SystemSpec.of(SystemSpec.Wish.of(algorithm, nodes), seed),
        new RunConfig(
            seed,
            new Workload.Closed(Distribution.parse(think)),
            200,
            Distribution.parse("const:0.5"),
            Delay.parse("uniform:0..1"),
            false,
            Faults.parse(faults),
            Checking.EVERY_EVENT));
  }

  @Test
  void aCrashBreaksAnAlgorithmThatKnowsNone() {
    Fuzzer.Outcome outcome =
        new Fuzzer(
                new FuzzCases.Frame(
                    SystemSpec.Wish.of("naimi-trehel", 8), 3, 8, Faults.parse("crash=0.05")),
                Catalogue::build)
            .run(1, 60, seeds -> {});
    assertThat(outcome.first()).isNotNull();
    assertThat(outcome.first().violation().invariant()).isEqualTo(Violation.LIVENESS);
    Trace trace = outcome.first().trace();
    assertThat(trace.lines()).hasSizeLessThan(15).anyMatch(l -> l.step().startsWith("crash "));
    assertThat(Replay.of(Trace.parse(trace.toString(), "x"), Catalogue::build).mismatch()).isNull();
  }

  @Test
  void whatIsInTransitTowardsACrashedNodeIsLostAndSoIsItsUser() {
    String text =
        """
        algorithm raymond
        tree 3>2>1
        ----
        enter 3                 asked3 mandator3=3
        enter 2                 asked2 mandator2=2
        crash 2
        crash 3
        2 -> 1  request(2)      !tokenHere1 father1=2 lender1=nil
        1 -> 2  token(nil)
        end
        """;
    Replay replay = Replay.of(Trace.parse(text, "x"), Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.violation()).isNull(); // the token is lost, but nobody is left to wait
    String toTheDead = text.replace("2 -> 1  request(2)  ", "3 -> 2  request(3)  ");
    assertThat(Replay.of(Trace.parse(toTheDead, "x"), Catalogue::build).mismatch())
        .contains("cannot happen here");
  }

  @Test
  void crashesAndRecoveriesHappenAndAreRecorded() {
    List<String> seen = new ArrayList<>();
    Listener watch =
        new Listener() {
          @Override
          public @Nullable Violation after(Step step, Stage stage) {
            if (step instanceof Step.Crash || step instanceof Step.Recover) {
              assertThat(stage.isUp(step.node())).isEqualTo(step instanceof Step.Recover);
              seen.add(step.getClass().getSimpleName());
            }
            return null;
          }
        };
    for (int seed = 1; seed <= 5; seed++) {
      experiment("open-cube-literal", 16, "exp:200", "crash=0.01,recover=20", seed)
          .run(Catalogue::build, watch);
    }
    assertThat(seen).contains("Crash", "Recover");
  }

  @Test
  void withoutFailuresAndUnderLightLoadTheLiteralTextIsTheOpenCube() {
    for (int seed = 1; seed <= 5; seed++) {
      RunResult literal =
          experiment("open-cube-literal", 16, "exp:2000", "none", seed).run(Catalogue::build);
      RunResult cube = experiment("open-cube", 16, "exp:2000", "none", seed).run(Catalogue::build);
      assertThat(literal.violation()).isNull();
      assertThat(literal.measures().messages()).isEqualTo(cube.measures().messages());
    }
  }

  @Test
  void withoutFailuresAndUnderLightLoadTheRepairedAlgorithmIsTheOpenCube() {
    for (int seed = 1; seed <= 5; seed++) {
      RunResult repaired =
          experiment("open-cube-ft", 16, "exp:2000", "none", seed).run(Catalogue::build);
      RunResult cube = experiment("open-cube", 16, "exp:2000", "none", seed).run(Catalogue::build);
      assertThat(repaired.violation()).isNull();
      assertThat(repaired.measures().messagesByKind()).isEqualTo(cube.measures().messagesByKind());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "none",
        "crash",
        "crash,recover",
        "crash=0.1,recover=2",
        "crash,burst=0.25,recover",
        "crash,burst=1,recover=30"
      })
  void theRepairedAlgorithmIsSafeAndLiveAndHeals(String faults) {
    Fuzzer.Outcome outcome =
        new Fuzzer(
                new FuzzCases.Frame(
                    SystemSpec.Wish.of("open-cube-ft", 64), 2, 64, Faults.parse(faults)),
                Catalogue::build)
            .run(1, 150, seeds -> {});
    assertThat(outcome.first()).isNull();
    long crashed = outcome.aftermath().runs().values().stream().mapToLong(Long::longValue).sum();
    long neverInShape = outcome.aftermath().runs().getOrDefault(RunResult.NEVER, 0L);
    if (!faults.equals("none")) {
      assertThat(crashed).isGreaterThan(80);
      assertThat(neverInShape).isLessThan(crashed / 20);
    }
  }

  @Test
  void theLiteralTextFailsUnderLoadEvenWithoutFailures() {
    Fuzzer.Outcome outcome =
        new Fuzzer(
                new FuzzCases.Frame(
                    SystemSpec.Wish.of("open-cube-literal", 16), 2, 16, Faults.NONE),
                Catalogue::build)
            .run(1, 100, seeds -> {});
    assertThat(outcome.failures()).isBetween(20L, 80L);
  }

  @Test
  void aNodeComesBackOnlyWhereTheAlgorithmOffersIt() {
    assertThatThrownBy(() -> experiment("raymond", 4, "exp:20", "crash,recover", 1))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("cannot bring a node back");
  }

  @Test
  void theSameSeedCrashesTheSameNodes() {
    Experiment one = experiment("open-cube-literal", 16, "exp:50", "crash,recover", 3);
    assertThat(one.record(Catalogue::build).recorder().lines())
        .isEqualTo(one.record(Catalogue::build).recorder().lines());
  }

  private static Exploration explore(String algorithm, int nodes, int requests, int crashes) {
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of(algorithm, nodes), 1);
    return new Explorer(spec, Catalogue::build, node -> requests, false, crashes, crashes)
        .run(1_000_000, states -> {});
  }

  @Test
  void everyScheduleOfTwoNodesWithACrashAndARecoveryIsSafeAndLive() {
    Exploration twice = explore("open-cube-ft", 2, 2, 1);
    assertThat(twice.violation()).isNull();
    assertThat(twice.complete()).isTrue();
    assertThat(twice.states()).isGreaterThan(100_000);
    assertThat(explore("open-cube-ft", 3, 1, 0).complete()).isTrue();
  }

  @Test
  void theExplorerFindsWhatIsWrongWithTheLiteralTextAtTwoNodes() {
    Exploration once = explore("open-cube-literal", 2, 1, 1);
    assertThat(once.violation()).isNotNull();
    assertThat(once.violation().invariant()).isEqualTo("at most one token");
    assertThat(once.trace()).isNotNull();
    assertThat(once.trace().lines()).hasSize(8);
    Replay replay = Replay.of(Trace.parse(once.trace().toString(), "x"), Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.late()).isZero();
  }

  @Test
  void aFailureOfTheLiteralTextIsMadeShortWithinDelta() {
    Fuzzer.Outcome outcome =
        new Fuzzer(
                new FuzzCases.Frame(
                    SystemSpec.Wish.of("open-cube-literal", 4),
                    2,
                    4,
                    Faults.parse("crash,recover")),
                Catalogue::build)
            .run(1, 60, seeds -> {});
    assertThat(outcome.first()).isNotNull();
    Trace trace = outcome.first().trace();
    Replay replay = Replay.of(Trace.parse(trace.toString(), "x"), Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.late()).isZero();
  }

  @Test
  void aFailureCostsAboutAsMuchAsThePaperSays() {
    RepairCost cost = new RepairCost();
    RunResult result =
        experiment("open-cube-ft", 32, "exp:2000", "every=500,recover=250", 1)
            .run(Catalogue::build, cost);
    assertThat(result.violation()).isNull();
    RepairCost.Count count = cost.atTheEnd();
    assertThat(count.failures()).isBetween(20L, 40L);
    assertThat((double) count.messages() / count.failures()).isBetween(2.0, 40.0);
    assertThat(cost.cycles().size()).isEqualTo((int) count.failures() - 1);
  }
}
