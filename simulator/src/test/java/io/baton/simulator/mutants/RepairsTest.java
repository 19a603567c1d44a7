package io.baton.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.Experiment;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import io.baton.simulator.trace.TraceLine;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The repairs of [OC] §5, each undone: without it some seed breaks a promise. */
class RepairsTest {
  private static final String TWO_TOKENS = "at most one token";
  private static final List<String> TWO_INSIDE =
      List.of("mutual exclusion", "the token carries what the last holder left");
  private static final String NO_TREE = "one root and no father cycle";

  private static final int SEEDS = 200;

  /**
   * A repair undone.
   *
   * @param from the first seed to try; one that fails comes soon after
   */
  record Undone(Mutant mutant, String faults, int from, int minNodes, int maxNodes) {
    @Override
    public String toString() {
      return mutant.toString();
    }
  }

  private static Undone undone(
      String bug, String from, String to, String caughtBy, String faults, int firstSeed) {
    return new Undone(
        new Mutant(Mutant.CUBE, "", from, to, bug, caughtBy), faults, firstSeed, 4, 24);
  }

  static Stream<Undone> repairs() {
    return Stream.of(
        undone(
            "census: a token is made without waiting for objections",
            "out.setAlarm(Timer.PHASE, 3 * delta);",
            "out.setAlarm(Timer.PHASE, 0);",
            TWO_TOKENS,
            "crash,recover",
            1),
        undone(
            "watch: who gets the token after it was asked does not object",
            "watchers.add(from);",
            "",
            TWO_TOKENS,
            "crash=0.02,recover=3",
            1),
        undone(
            "claim: of two that ask everybody neither gives way",
            "conclude(from, true, out);",
            "",
            TWO_TOKENS,
            "crash,recover",
            1),
        undone(
            "lender: who has lent the token does not object",
            "tokenHere || hasLent()",
            "tokenHere",
            TWO_TOKENS,
            "crash,recover",
            1),
        undone(
            "silence: who comes back takes any token at once",
            "out.setAlarm(Timer.SILENCE, 2 * delta);",
            "out.setAlarm(Timer.SILENCE, 0);",
            Violation.LIVENESS,
            "crash=0.1,recover=2",
            1),
        undone(
            "unexpected: a loan that nobody waits for is kept",
            "if (j != NIL && !isExpected(token)) {",
            "if (j != NIL && i < 0) {",
            TWO_TOKENS,
            "none",
            1),
        undone(
            "match: a loan serves whomever the node asks for now",
            "&& loan.sink() == source",
            "",
            TWO_TOKENS,
            "none",
            1),
        undone(
            "enquiry: the lender does not wait for a token on its way home",
            "out.setAlarm(Timer.ENQUIRY, 2 * delta);",
            "out.setAlarm(Timer.ENQUIRY, delta);",
            TWO_TOKENS,
            "none",
            1),
        undone(
            "patience: the delay before a suspicion stays what it was",
            "patience = Math.min(MOST_PATIENCE, patience + 1);",
            "",
            Violation.LIVENESS,
            "none",
            1),
        undone(
            "firm: a request that was passed on may be refused",
            "passOn(new Request(j, request.sink(), true), out);",
            "passOn(request, out);",
            NO_TREE,
            "crash,recover",
            1),
        undone(
            "firm: a request at the root may be refused",
            "here.root(), true, out);",
            "here.root(), false, out);",
            Violation.LIVENESS,
            "none",
            3500),
        undone(
            "census: the search goes on and on",
            "if (suspicions <= SEARCHES) {",
            "if (i >= 0) {",
            Violation.LIVENESS,
            "none",
            1),
        undone(
            "unexpected: who returns a loan keeps its father",
            "father = j; // who",
            "// who",
            NO_TREE,
            "crash,recover",
            1),
        new Undone(
            new Mutant(
                Mutant.CUBE,
                "",
                "!loan.relays().contains(i)",
                "i >= 0",
                "relays: a loan passes a proxy twice",
                NO_TREE),
            "crash,recover",
            7_150,
            2,
            64),
        new Undone(
            new Mutant(
                Mutant.CUBE,
                "",
                "return longestLoan();",
                "return j == source ? 2 * delta + e : longestLoan();",
                "relays: a loan to the source itself is missed sooner than any other",
                TWO_TOKENS),
            "none",
            1_950,
            8,
            40),
        undone(
            "census: a node asks itself",
            "here.root() == i ? from : here.root()",
            "here.root()",
            "every message goes to another node",
            "crash=0.02,recover=3",
            1250),
        undone(
            "enquiry: a node asks itself",
            "if (source != i) {",
            "if (i >= 0) {",
            "every message goes to another node",
            "crash=0.1,recover=2",
            250),
        undone(
            "round: a loan that comes round to its lender is returned to it",
            "token.lender() == i ? NIL : token.lender();",
            "token.lender();",
            "every message goes to another node",
            "none",
            1),
        undone(
            "kept: who comes back waits for the request of its former life",
            "test.asks() && ",
            "",
            Violation.LIVENESS,
            "crash,recover",
            1));
  }

  private static FuzzCases.Frame frame(Undone undone) {
    return new FuzzCases.Frame(
        SystemSpec.Wish.of("open-cube-ft", undone.maxNodes()),
        undone.minNodes(),
        undone.maxNodes(),
        Faults.parse(undone.faults()));
  }

  @ParameterizedTest
  @MethodSource("repairs")
  void withoutARepairAPromiseIsBroken(Undone undone) {
    Catalogue.NodeMaker maker = undone.mutant().compile();
    Catalogue.Builder builder = (spec, chooser) -> Catalogue.build(spec, chooser, maker);
    boolean found = false;
    for (int seed = undone.from(); !found && seed < undone.from() + SEEDS; seed++) {
      Violation violation = FuzzCases.of(frame(undone), seed).run(builder).violation();
      found = violation != null && isCaught(undone.mutant().caughtBy(), violation.invariant());
    }
    assertThat(found).isTrue();
  }

  @Test
  void aClaimerThatDoesNotHeedTheTokenItSeesMakesAnother() {
    Mutant mutant =
        new Mutant(
            Mutant.CUBE,
            "",
            "conclude(j, true, out); // who has seen the token",
            "// who has seen the token",
            "claim: who sees the token goes on claiming",
            TWO_TOKENS);
    Catalogue.NodeMaker maker = mutant.compile();
    Trace trace = Trace.read(Path.of("../traces/open-cube-ft-claim.trace"));
    Replay replay = Replay.of(trace, (spec, chooser) -> Catalogue.build(spec, chooser, maker));
    assertThat(replay.mismatch()).isNotNull();
    Trace written = Trace.parse(sparse(trace), "sparse");
    assertThat(Replay.renew(written, Catalogue::build).violation()).isNull();
    assertThat(
            Replay.renew(written, (spec, chooser) -> Catalogue.build(spec, chooser, maker))
                .violation())
        .startsWith(mutant.caughtBy());
  }

  /**
   * All messages take δ and the critical sections are short: then the lender enquires about a loan
   * that is still on its way over more proxies than an open cube has.
   */
  @Test
  void aLoanThatGoesOverTooManyProxiesIsMissedTooSoon() {
    Mutant mutant =
        new Mutant(
            Mutant.CUBE,
            "",
            "&& (mandator == i || loan.relays().size() < pmax - 1)",
            "",
            "relays: a loan goes over any number of proxies",
            TWO_TOKENS);
    Catalogue.NodeMaker maker = mutant.compile();
    Experiment slow =
        slow(
            FuzzCases.of(
                new FuzzCases.Frame(
                    SystemSpec.Wish.of("open-cube-ft", 64),
                    16,
                    64,
                    Faults.parse("crash=0.02,recover=3")),
                8_316));
    assertThat(slow.run(Catalogue::build).violation()).isNull();
    Violation violation =
        slow.run((spec, chooser) -> Catalogue.build(spec, chooser, maker)).violation();
    assertThat(violation).isNotNull();
    assertThat(violation.invariant()).isEqualTo(mutant.caughtBy());
  }

  private static Experiment slow(Experiment drawn) {
    RunConfig config = drawn.config();
    return new Experiment(
        drawn.system(),
        new RunConfig(
            config.seed(),
            config.workload(),
            config.criticalSections(),
            new Distribution.Uniform(0, Ticks.PER_UNIT / 5),
            new Delay(new Distribution.Constant(Ticks.PER_UNIT), false),
            false,
            config.faults(),
            config.checking()));
  }

  /** The steps that do not happen by themselves, or not at that time. */
  private static String sparse(Trace trace) {
    List<String> told =
        List.of(
            "enter",
            "exit",
            "crash",
            "recover",
            "1 -> 17 token(1)",
            "21 -> 17 census",
            "17 -> 21 token(1)",
            "21 -> 1 token(nil)");
    List<TraceLine> lines =
        trace.lines().stream()
            .filter(line -> told.stream().anyMatch(line.step()::startsWith))
            .filter(line -> line.timeOr(0) <= 212 * Ticks.PER_UNIT)
            .toList();
    return Trace.of(trace.system(), lines, null).toString();
  }

  /** Two tokens may also be noticed by what they lead to. */
  private static boolean isCaught(String expected, String found) {
    return found.equals(expected) || (expected.equals(TWO_TOKENS) && TWO_INSIDE.contains(found));
  }

  /** Repairs of the shape: no promise needs them, but the cube comes back less often without. */
  static Stream<Mutant> repairsOfTheShape() {
    return Stream.of(
        shape("a second son is not sent to the first", "sons[d] != NIL && ", "i < 0 && "),
        shape("a second son is sent away again and again", " && sentAway != j", ""),
        shape("a misplaced node is not told", "misplaced = true;", ""),
        shape(
            "a search begins above the node's power",
            "phase = d;",
            "phase = d == 1 && !recovering ? Math.min(power() + 1, pmax) : d;"),
        shape(
            "nobody says that a request waits here",
            "if (test.asks() && (mandator == j || hasWaiting(j))) {",
            "if (i < 0) {"));
  }

  private static Mutant shape(String bug, String from, String to) {
    return new Mutant(Mutant.CUBE, "", from, to, bug, "");
  }

  private static double inShapeByRoundThree(Catalogue.Builder builder) {
    SortedMap<Integer, Long> rounds =
        new Fuzzer(
                new FuzzCases.Frame(
                    SystemSpec.Wish.of("open-cube-ft", 48), 32, 48, Faults.parse("crash,recover")),
                builder)
            .run(1, 200, seeds -> {})
            .aftermath()
            .runs();
    long all = rounds.values().stream().mapToLong(Long::longValue).sum();
    long early = rounds.headMap(4).values().stream().mapToLong(Long::longValue).sum();
    return (double) early / all;
  }

  private static double repaired; // measured once

  @BeforeAll
  static void measure() {
    repaired = inShapeByRoundThree(Catalogue::build);
  }

  @ParameterizedTest
  @MethodSource("repairsOfTheShape")
  void withoutARepairOfTheShapeTheCubeComesBackLessOften(Mutant mutant) {
    Catalogue.NodeMaker maker = mutant.compile();
    double without = inShapeByRoundThree((spec, chooser) -> Catalogue.build(spec, chooser, maker));
    assertThat(without).isLessThan(repaired);
  }
}
