package io.baton.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.run.Faults;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.Tree;
import io.baton.simulator.trace.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs planted into the general scheme: each is found by exploring three or four nodes, and by
 * fuzzing. Leaving out {@code lender := nil} at (19) is no bug: a lender is set anew before each
 * critical section, and who is not root is not its own.
 */
class SchemeMutantsTest {
  static Stream<Mutant> mutants() {
    return Stream.of(
        mutant(
            "a proxy forgets for whom it asks, as one scan has it",
            "",
            "mandator = j;",
            "mandator = i;",
            "a_tree is a rooted tree"),
        mutant(
            "the root has no lender",
            "",
            "father == NIL ? i : NIL;",
            "NIL;",
            "every message goes to another node"),
        mutant(
            "the queue is served once only",
            "",
            "while (!asked && !waiting.isEmpty())",
            "if (!asked && !waiting.isEmpty())",
            "nobody waits on a node that is not asked"),
        mutant(
            "the exit loses its 'not i', as one scan has it",
            "",
            "if (lender != i) {",
            "if (lender != NIL) {",
            "every message goes to another node"),
        mutant(
            "who returns the token keeps it too",
            "(3)",
            "tokenHere = false;",
            "",
            "at most one token"),
        mutant(
            "the exit leaves the node busy",
            "(4)",
            "asked = false;",
            "",
            "a_tree is a rooted tree"),
        mutant("a proxy does not count as busy", "(5)", "asked = true;", "", "Property 3"),
        mutant(
            "who lends the token keeps it too",
            "(6)",
            "tokenHere = false;",
            "",
            "at most one token"),
        mutant("who gives the token up stays its lender", "(8)", "lender = NIL;", "", "Property 2"),
        mutant(
            "who gives the token up keeps it too",
            "(9)",
            "tokenHere = false;",
            "",
            "at most one token"),
        mutant(
            "a transit node asks for itself",
            "(10)",
            "out.send(father, request);",
            "out.send(father, own);",
            "a_tree is a rooted tree"),
        mutant(
            "a transit node does not turn to the requester", "", "father = j;", "", "Property 3"),
        mutant(
            "the return of a loan leaves the lender busy",
            "(12)",
            "asked = false;",
            "",
            "every request is granted in the end"),
        mutant("the new root keeps its father", "(13)", "father = NIL;", "", "Property 2"),
        mutant(
            "a borrower does not learn the way to the lender",
            "(14)",
            "father = k;",
            "",
            "a_tree is a rooted tree"),
        mutant("a borrower keeps the token", "", "lender = j;", "lender = i;", "Property 2"),
        mutant(
            "a proxy stays busy after its mandate",
            "(15)",
            "asked = false;",
            "",
            "a_tree is a rooted tree"),
        mutant(
            "a proxy that becomes the lender keeps its father",
            "(16)",
            "father = NIL;",
            "",
            "Property 2"),
        mutant(
            "a proxy lends without saying so",
            "(17)",
            "new Token(i,",
            "new Token(NIL,",
            "a_tree is a rooted tree"),
        mutant(
            "a proxy names itself lender of a borrowed token",
            "(18)",
            "send(mandator, token)",
            "send(mandator, new Token(i, token.sink(), cargo))",
            "Property 1"),
        mutant(
            "a proxy does not learn the way to the lender",
            "before (18)",
            "father = k;",
            "",
            "a_tree is a rooted tree"),
        mutant(
            "a proxy turned transit does not learn the way to the lender",
            "before (21)",
            "father = k;",
            "",
            "a_tree is a rooted tree"),
        mutant(
            "a proxy turned transit does not turn to its mandator",
            "(19)",
            "father = mandator;",
            "",
            "a_tree is a rooted tree"),
        mutant(
            "a proxy keeps the token it passes on",
            "(22)",
            "tokenHere = false;",
            "",
            "at most one token"),
        mutant(
            "the token loses its cargo",
            "",
            "cargo = token.cargo();",
            "",
            "the token carries what the last holder left"));
  }

  private static Mutant mutant(String bug, String line, String from, String to, String caughtBy) {
    return new Mutant(Mutant.SCHEME, line, from, to, bug, caughtBy);
  }

  private static Catalogue.Builder builder(Mutant mutant) {
    Catalogue.NodeMaker maker = mutant.compile();
    return (spec, chooser) -> Catalogue.build(spec, chooser, maker);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaughtByTheExplorerWithAShortTrace(Mutant mutant) {
    Catalogue.Builder builder = builder(mutant);
    Exploration found = explore(builder);
    assertThat(found.violation()).isNotNull();
    assertThat(found.violation().invariant()).isEqualTo(mutant.caughtBy());
    assertThat(found.trace()).isNotNull();
    assertThat(found.trace().lines()).hasSizeBetween(2, 15);
    assertThat(Replay.of(found.trace(), builder).mismatch()).isNull();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaughtByTheFuzzerAndMadeShort(Mutant mutant) {
    Catalogue.Builder builder = builder(mutant);
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of("general", 8), 2, 8, Faults.NONE);
    Fuzzer.Outcome outcome = new Fuzzer(frame, builder).run(1, 100, seeds -> {});
    assertThat(outcome.failures()).isPositive();
    assertThat(outcome.first()).isNotNull();
    assertThat(outcome.first().trace().lines()).hasSizeLessThan(100);
    assertThat(Replay.of(outcome.first().trace(), builder).mismatch()).isNull();
  }

  @Test
  void theSchemeItselfIsNot() {
    assertThat(explore(Catalogue::build).violation()).isNull();
  }

  private static Exploration explore(Catalogue.Builder builder) {
    List<Exploration> all = new ArrayList<>();
    for (Tree tree : Tree.all(3)) {
      for (int requests = 1; requests <= 2; requests++) {
        SystemSpec spec = new SystemSpec("general", tree, "any", "fifo", null);
        all.add(new Explorer(spec, builder, requests, false).run(1_000_000, n -> {}));
      }
    }
    for (Tree tree : Tree.all(4)) {
      SystemSpec spec = new SystemSpec("general", tree, "any", "fifo", null);
      if (all.stream().allMatch(exploration -> exploration.violation() == null)) {
        all.add(new Explorer(spec, builder, 1, false).run(1_000_000, n -> {}));
      }
    }
    return all.stream()
        .filter(exploration -> exploration.violation() != null)
        .findFirst()
        .orElse(all.get(0));
  }
}
