package io.baton.simulator.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.MessageBound;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bugs planted in the ring and in the network, the repairs of both papers undone among them. */
class RingAndNetworkMutantsTest {
  private static final String EXCLUSION = "mutual exclusion";
  private static final String PRIORITY = "Property 4.1";
  private static final String ONE_PLACE = "every token is in one place";
  private static final String TWO_TOKENS = "at most one token";
  private static final int SEEDS = 5_000;

  /** A bug, and what must go wrong besides before it shows. */
  record Planted(Mutant mutant, String faults) {
    @Override
    public String toString() {
      return mutant.toString();
    }
  }

  private static Planted ring(String bug, String from, String to, String caughtBy, String faults) {
    return new Planted(new Mutant(Mutant.RING, "", from, to, bug, caughtBy), faults);
  }

  private static Planted network(
      String bug, String from, String to, String caughtBy, String faults) {
    return new Planted(new Mutant(Mutant.NETWORK, "", from, to, bug, caughtBy), faults);
  }

  static Stream<Planted> ringBugs() {
    return Stream.of(
        ring(
            "rule 2: a token with a lower priority is passed on",
            "} else if (wish.inside || copy.before(token)) {",
            "} else if (wish.inside) {",
            EXCLUSION,
            "none"),
        ring(
            "rule 2: a node does not remember the numbers it has seen",
            "hSeqNumSeen = Math.max(hSeqNumSeen, token.seqNum());",
            "",
            PRIORITY,
            "none"),
        ring(
            "rule 3: a queued token is not released",
            "for (RingToken token : queued) {",
            "for (RingToken token : queued.subList(0, 0)) {",
            ONE_PLACE,
            "none"),
        ring(
            "rule 4: entry on any token of one's own (T5)",
            "return token.sameRequest(copy);",
            "return true;",
            EXCLUSION,
            "loss=0.1,duplicate=0.1"),
        ring(
            "rule 4: no token is sent again",
            "pass(copy.again(), effects);",
            "",
            Violation.LIVENESS,
            "loss"),
        ring(
            "rule 4: duplicates are queued",
            "wish.queue.removeIf(other -> other.pid() == token.pid());",
            "",
            "no queue holds two tokens of one node",
            "loss=0.1,duplicate=0.1"),
        ring(
            "rule 5: the token of a dead node is passed on (T6)",
            "if (out.get(token.pid())) {",
            "if (token.pid() < 0) {",
            Violation.LIVENESS,
            "crash=0.02"),
        ring(
            "rule 5: who skips a dead node does not send again what it had sent there",
            "pass(hop.token(), effects);",
            "",
            Violation.LIVENESS,
            "crash=0.02"),
        ring(
            "rule 5: who comes back asks before everybody has taken it in (T6)",
            "awaited.add(neighbour.node());",
            "",
            EXCLUSION,
            "crash=0.05,recover=3"),
        ring(
            "rule 5: who comes back does not learn the numbers in use (T6)",
            "hSeqNumSeen = Math.max(hSeqNumSeen, welcome.hSeqNumSeen());",
            "",
            EXCLUSION,
            "crash=0.05,recover=3"));
  }

  static Stream<Planted> networkBugs() {
    return Stream.of(
        network(
            "A3: a late copy floods the network again",
            "return (known == null || known.stamp().before(stamp))",
            "return (known == null || !stamp.before(known.stamp()))",
            MessageBound.NAME,
            "none"),
        network(
            "A4: the clock stands still at line (A)",
            "clock++; // line (A)",
            "",
            Violation.LIVENESS,
            "none"),
        network(
            "A5: nobody is told when a channel changes",
            "out.send(k, news);",
            "",
            Violation.LIVENESS,
            "cut"),
        network(
            "A6: a handler that waits gives away what it does not have",
            "if (waiting) { // A6",
            "if (i < 0) { // A6",
            Violation.LIVENESS,
            "cut=0.05"),
        network(
            "A7: the token gives up where there is no exit",
            "} else if (here.path().isEmpty()) {",
            "} else if (i >= 0) {",
            Violation.LIVENESS,
            "crash=0.02"),
        network(
            "whoever could not be reached once is never tried again",
            "here = here.after(merged(here.asOf()));",
            "",
            Violation.LIVENESS,
            "cut=0.05"),
        network(
            "a token that the channel gave back is forgotten",
            "route(back.seenBy(i), out);",
            "",
            Violation.LIVENESS,
            "cut=0.05"),
        network(
            "A8: the question is not asked again when another crash becomes known",
            "if (!before.get(0).equals(lives)) {",
            "if (!before.get(0).equals(lives) && census == null) {",
            Violation.LIVENESS,
            "crash=0.05,recover=3"),
        network(
            "A8: a token is made although the last trace leads to somebody alive",
            "lives.get(last.to(), 0) > last.toLife()",
            "lives.get(last.to(), 0) >= last.toLife()",
            TWO_TOKENS,
            "crash,recover"),
        network(
            "A8: an old question is answered by a crash that the others did not know of",
            "|| !open.lives().equals(lives)",
            "",
            TWO_TOKENS,
            "leave=0.02,crash=0.02,recover=3"),
        network(
            "A8: a token is made although some process is missing",
            "return accounted[0] >= all && ",
            "return ",
            TWO_TOKENS,
            "cut=0.05,crash=0.05,recover=3"),
        network(
            "A8: a process answers although the token may be given back to it",
            "open.answers().get(i) == null && !untold",
            "open.answers().get(i) == null",
            TWO_TOKENS,
            "crash=0.02"));
  }

  @ParameterizedTest
  @MethodSource("ringBugs")
  void aBugInTheRingIsCaught(Planted planted) {
    assertThat(isCaught(planted, "ring")).isTrue();
  }

  @ParameterizedTest
  @MethodSource("networkBugs")
  void aBugInTheNetworkIsCaught(Planted planted) {
    assertThat(isCaught(planted, "network")).isTrue();
  }

  /** Who is about to enter before its turn may be noticed before it does. */
  private static boolean fits(String expected, String found) {
    return found.equals(expected) || (expected.equals(EXCLUSION) && found.equals(PRIORITY));
  }

  private static boolean isCaught(Planted planted, String algorithm) {
    Catalogue.NodeMaker maker = planted.mutant().compile();
    Catalogue.Builder builder = (spec, chooser) -> Catalogue.build(spec, chooser, maker);
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of(algorithm, 8), 3, 8, Faults.parse(planted.faults()));
    for (int seed = 1; seed <= SEEDS; seed++) {
      Violation violation = FuzzCases.of(frame, seed).run(builder).violation();
      if (violation != null && fits(planted.mutant().caughtBy(), violation.invariant())) {
        return true;
      }
    }
    return false;
  }
}
