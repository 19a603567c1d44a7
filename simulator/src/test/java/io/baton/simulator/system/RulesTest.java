package io.baton.simulator.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.algorithms.Behavior;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Rule;
import io.baton.algorithms.SchemeState;
import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of [GS] §4.2. */
class RulesTest {
  private static Fuzzer.Outcome fuzz(
      String rule, @Nullable String graph, Catalogue.Builder builder) {
    SystemSpec.Wish wish = new SystemSpec.Wish("general", 12, null, rule, null, graph);
    return new Fuzzer(new FuzzCases.Frame(wish, 4, 12, Faults.NONE), builder)
        .run(1, 150, seeds -> {});
  }

  @ParameterizedTest
  @CsvSource({"ring", "complete", "tree", "random", "small-world", "scale-free"})
  void shortCutsKeepEveryFatherAPhysicalNeighbour(String graph) {
    Fuzzer.Outcome outcome = fuzz("short-cut", graph, Catalogue::build);
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
  }

  @Test
  void withoutTheLinkTestAFatherIsSoonNoNeighbour() {
    Rule reckless = (i, j) -> i.father() < 0 ? Behavior.PROXY : Behavior.TRANSIT;
    Fuzzer.Outcome outcome =
        fuzz(
            "short-cut",
            "ring",
            (spec, chooser) ->
                Catalogue.build(
                    spec,
                    chooser,
                    (i, system, rule, policy) ->
                        new GeneralScheme(i, system.tree().father(i), reckless, policy)));
    assertThat(outcome.failures()).isPositive();
    assertThat(outcome.first()).isNotNull();
    assertThat(outcome.first().violation().invariant())
        .isEqualTo("every father is a physical neighbour");
  }

  @Test
  void gatewaysAreAllThatEitherNetworkKnowsOfTheOther() {
    Fuzzer.Outcome outcome = fuzz("gateways", null, Catalogue::build);
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
    Exploration all =
        new Explorer(
                SystemSpec.of(
                    new SystemSpec.Wish("general", 4, "line", "gateways:3-2", null, null), 1),
                Catalogue::build,
                1,
                false)
            .run(1_000_000, states -> {});
    assertThat(all.complete()).isTrue();
    assertThat(all.violation()).isNull();
  }

  @Test
  void butALenderIsKnownAcrossTheBorder() {
    boolean[] crossed = {false};
    Listener watch =
        new Listener() {
          @Override
          public @Nullable Violation after(Step step, Stage stage) {
            SchemeState state = (SchemeState) stage.state(5);
            crossed[0] |= state.lender() == 0; // node 6 of one network owes node 1 of the other
            return null;
          }
        };
    SystemSpec paper =
        new SystemSpec("general", Tree.parse("6>5>4>1 2>1 3>1"), "gateways:4-1", "fifo", null);
    RunConfig config =
        new RunConfig(
            1,
            new Workload.Closed(Distribution.parse("exp:20")),
            50,
            Distribution.parse("const:1"),
            Delay.parse("const:1"),
            false,
            Faults.NONE,
            RunConfig.Checking.EVERY_EVENT);
    assertThat(new Experiment(paper, config).run(Catalogue::build, watch).violation()).isNull();
    assertThat(crossed[0]).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"gateways, ", "short-cut, random", "'proxies:2,3', "})
  void aNodeThatIsAlwaysProxyStaysRootForGood(String rule, @Nullable String graph) {
    Set<Integer> roots = new LinkedHashSet<>(); // that lend the token
    Listener watch =
        new Listener() {
          @Override
          public @Nullable Violation after(Step step, Stage stage) {
            for (int i = 0; i < stage.nodes(); i++) {
              SchemeState state = (SchemeState) stage.state(i);
              if (state.lender() == i && state.asked() && !state.tokenHere()) {
                roots.add(i);
              }
            }
            return null;
          }
        };
    SystemSpec.Wish wish = new SystemSpec.Wish("general", 9, null, rule, null, graph);
    Experiment experiment = FuzzCases.of(new FuzzCases.Frame(wish, 9, 9, Faults.NONE), 9);
    assertThat(experiment.run(Catalogue::build, watch).measures().criticalSections())
        .isGreaterThan(20);
    assertThat(roots).hasSize(1);
  }

  @Test
  void aUserWritesARuleInALine() {
    Rule evenNodesLend = (i, j) -> i.id() % 2 == 0 ? Behavior.PROXY : Behavior.TRANSIT;
    Fuzzer.Outcome outcome =
        fuzz(
            "any",
            null,
            (spec, chooser) ->
                Catalogue.build(
                    spec,
                    chooser,
                    (i, system, rule, policy) ->
                        new GeneralScheme(i, system.tree().father(i), evenNodesLend, policy)));
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
  }

  @Test
  void theDefaultGatewaysHalveTheTree() {
    SystemSpec spec =
        SystemSpec.of(new SystemSpec.Wish("general", 8, "line", "gateways", null, null), 1);
    assertThat(spec.rule()).isEqualTo("gateways:5-4");
  }

  @ParameterizedTest
  @CsvSource({
    "greedy, There is no rule",
    "short-cut, add --graph",
    "gateways:1-4, no neighbours",
    "gateways:1-x, no link",
    "'proxies:2,9', no node",
    "proxies:, no node"
  })
  void aRuleThatDoesNotFitIsRefusedWithTheReason(String rule, String reason) {
    assertThatThrownBy(
            () -> SystemSpec.of(new SystemSpec.Wish("general", 4, "line", rule, null, null), 1))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void aRuleForAnAlgorithmThatHasItsOwnIsRefused() {
    assertThatThrownBy(
            () -> SystemSpec.of(new SystemSpec.Wish("raymond", 4, null, "proxy", null, null), 1))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("its own rule");
  }

  @Test
  void aTreeThatIsNotMadeOfLinksIsRefused() {
    assertThatThrownBy(
            () ->
                SystemSpec.of(
                    new SystemSpec.Wish("general", 6, "star", "short-cut", null, "ring"), 1))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("no such link");
  }
}
