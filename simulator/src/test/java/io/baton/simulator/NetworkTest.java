package io.baton.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.PhysicalGraph;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Playback;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** [NET]: §4, §6 and §7. */
class NetworkTest {
  private static SystemSpec on(String algorithm, int nodes, String links) {
    PhysicalGraph graph = PhysicalGraph.parse(links, nodes);
    return SystemSpec.of(
        algorithm, graph.spanningTree(0), null, null, graph, SystemSpec.RingWish.OPEN);
  }

  private static RunResult run(String algorithm, String graph, String think, long sections) {
    SystemSpec.Wish wish = new SystemSpec.Wish(algorithm, 9, null, null, null, graph);
    RunConfig config =
        new RunConfig(
            3,
            new Workload.Closed(Distribution.parse(think)),
            sections,
            Distribution.parse("const:0.5"),
            Delay.parse("uniform:0.5..1.5"),
            false,
            Faults.NONE,
            RunConfig.Checking.EVERY_EVENT);
    return new Experiment(SystemSpec.of(wish, 3), config).run(Catalogue::build);
  }

  /** §6; the bounds of requests and hops are checked of every request on the way. */
  @ParameterizedTest
  @CsvSource({
    "complete, 9", // exactly n
    "tree, 16", // at most n - 1 + d
    "ring, 18", // at most 2n
    "random, 34", // at most 2e + n - 1
    "grid, 32",
    "scale-free, 40",
    "small-world, 45"
  })
  void aRequestCostsWhatTheoryAllows(String graph, long most) {
    RunResult result = run("network", graph, "exp:20", 400);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().criticalSections()).isEqualTo(400);
    assertThat(result.measures().messagesPerCs().max()).isLessThanOrEqualTo(most);
  }

  @Test
  void onACompleteGraphARequestCostsNothingOrN() {
    RunResult result = run("network", "complete", "exp:20", 400);
    assertThat(result.measures().messages() % 9).isZero();
    assertThat(result.measures().messagesPerCs().max()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource({"3, 1-2 2-3 1-3, 1, 1 2 3", "4, 1-2 2-3 3-4 1-4, 1, 2 3 4"})
  void everyScheduleOfASmallNetworkIsSafeAndLive(
      int nodes, String links, int requests, String askers) {
    Exploration found =
        new Explorer(
                on("network", nodes, links),
                Catalogue::build,
                node -> List.of(askers.split(" ", -1)).contains("" + (node + 1)) ? requests : 0,
                false,
                0,
                0)
            .run(2_000_000, states -> {});
    assertThat(found.violation()).isNull();
    assertThat(found.complete()).isTrue();
  }

  /** A1. */
  @Test
  void theLiteralOrderStarvesWhoHasALateName() {
    RunResult literal = run("network-literal", "complete", "const:0", 600);
    RunResult mended = run("network", "complete", "const:0", 600);
    assertThat(mended.measures().longestBypass()).isLessThan(20);
    assertThat(literal.measures().longestBypass()).isGreaterThan(300);
    assertThat(literal.measures().fairness()).isLessThan(0.5);
    assertThat(mended.measures().fairness()).isGreaterThan(0.95);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cut",
        "crash",
        "crash,recover",
        "cut=0.05,crash=0.02,recover=3",
        "absent,leave",
        "absent,leave,cut,crash,recover"
      })
  void hundredsOfFaultedSeedsBreakNothing(String faults) {
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of("network", 8), 2, 8, Faults.parse(faults));
    Fuzzer.Outcome outcome = new Fuzzer(frame, Catalogue::build).run(1, 250, done -> {});
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
  }

  private static Playback play(String algorithm, int nodes, String links, String... steps) {
    Playback playback = new Playback(on(algorithm, nodes, links), Catalogue::build);
    Plays.play(playback, steps);
    return playback;
  }

  /** A5: the paper's own request does not reach node 3, which the first channel promised it. */
  @Test
  void aRequestReachesWhomAFailedChannelWasToTakeItTo() {
    Playback playback =
        play("network", 3, "1-2 2-3 1-3", "enter 2", "cut 2 3", "2 -> 1 req(2,0)", "lost 2 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2");
    assertThat(playback.lines().toString()).contains("req_array3={2:0");
  }

  /** §7.1.1 (2): the token finds another exit when the channel on its path is gone. */
  @Test
  void theTokenFindsAnotherExit() {
    Playback playback =
        play("network", 4, "1-2 2-3 3-4 1-4", "enter 2", "2 -> 1 req(2,0)", "cut 1 2");
    Plays.play(playback, "lost 1 2"); // gives the token back
    assertThat(playback.inTransit()).anyMatch(message -> message.startsWith("1 -> 4 token"));
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2");
    assertThat(playback.lines()).noneMatch(line -> line.step().startsWith("mend"));
  }

  /** §7.1.1 (1): no exit is left; whoever can be reached goes first, the other after the mend. */
  @Test
  void whoIsCutOffIsServedWhenTheChannelIsBack() {
    Playback playback =
        play("network", 3, "1-2 2-3", "enter 3", "3 -> 2 req(3,0)", "2 -> 1 req(3,0)", "cut 2 3");
    Plays.play(playback, "lost 2 3", "lost 3 2", "enter 2");
    assertThat(playback.drain()).isNull(); // mends when nothing else is left
    assertThat(Plays.entered(playback)).containsExactly("2", "3");
  }

  /** §7.1.2: the owner crashes and comes back; all have answered; a new token is made. */
  @Test
  void aTokenThatDiedWithItsOwnerIsMadeAnewWhenAllAreAccountedFor() {
    Playback playback = play("network", 3, "1-2 2-3 1-3", "crash 1", "enter 2", "enter 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactlyInAnyOrder("2", "3");
    assertThat(playback.lines()).anyMatch(line -> line.step().equals("recover 1"));
  }

  @Test
  void aTokenThatDiedWithItsOwnerIsMadeAnewWhenTheOwnerIsKnownToBeDead() {
    Playback playback = play("network", 3, "1-2 2-3 1-3", "gone 1", "enter 2", "enter 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactlyInAnyOrder("2", "3");
  }

  /** A8. */
  @Test
  void aMajorityAloneMakesASecondTokenAndTheMendedRuleDoesNot() {
    Trace trace = Trace.read(Path.of("../traces/network-majority-a8.trace"));
    Replay literal = Replay.of(trace, Catalogue::build);
    assertThat(literal.mismatch()).isNull();
    assertThat(literal.violation()).hasToString("at most one token: 2 tokens");
    Playback mended = play("network", 3, "1-2 2-3 1-3", "cut 1 2", "lost 2 1", "lost 1 2");
    Plays.play(mended, "enter 2", "enter 3");
    assertThat(mended.drain()).isNull();
    assertThat(Plays.entered(mended)).containsExactlyInAnyOrder("2", "3");
  }

  /** §7.2. */
  @Test
  void aNodeThatLeavesForcesTheTokenOut() {
    Playback playback = play("network", 3, "1-2 2-3 1-3", "leave 1");
    assertThat(playback.inTransit()).containsExactly("1 -> 2 token({1:0},2)");
    Plays.play(playback, "1 -> 2 token({1:0},2)", "gone 1", "enter 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("3");
  }

  @Test
  void aTraceSaysWhoHasTheTokenAndWhichChannelsThereAre() {
    PhysicalGraph graph = PhysicalGraph.parse("1-2 2-3", 3);
    SystemSpec spec =
        SystemSpec.of(
            "network", graph.spanningTree(2), null, null, graph, SystemSpec.RingWish.OPEN);
    String text = Trace.of(spec, List.of(), null).toString();
    assertThat(text).contains("token 3", "graph 1-2 2-3");
    assertThat(Trace.parse(text, "trace").toString()).isEqualTo(text);
  }

  /** The token that it handed to one who had left is under way back to it. */
  @Test
  void whoLeavesWaitsForWhatComesBackToIt() {
    Playback playback = play("network", 3, "1-2 2-3 1-3", "enter 2", "2 -> 1 req(2,0)");
    Plays.play(playback, "1 -> 2 token({1:1},2)", "leave 2", "leave 1", "gone 1", "exit 2");
    assertThat(playback.find("gone 2")).isNull();
    Plays.play(playback, "lost 2 1");
    assertThat(playback.drain()).isNull();
    Plays.play(playback, "gone 2", "lost 3 2", "enter 3");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2", "3");
  }

  @Test
  void whoAsksAgainAfterItGaveTheTokenAwayToLeaveIsServed() {
    Playback playback = play("network", 2, "1-2", "enter 2", "2 -> 1 req(2,0)");
    Plays.play(playback, "1 -> 2 token({1:1},2)", "leave 2", "exit 2", "enter 2");
    assertThat(playback.drain()).isNull();
    assertThat(Plays.entered(playback)).containsExactly("2", "2");
  }

  /** Seed 197: the last two were both told to leave, and neither could. */
  @Test
  void somebodyAlwaysStays() {
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of("network", 5), 3, 5, Faults.parse("leave=0.05"));
    Fuzzer.Outcome outcome = new Fuzzer(frame, Catalogue::build).run(100, 200, done -> {});
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
  }
}
