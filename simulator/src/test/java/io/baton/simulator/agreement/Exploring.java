package io.baton.simulator.agreement;

import io.baton.agreement.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Explorations by name, for the tests of voters sound and planted. */
public final class Exploring {
  private static final int LENGTH = 200;
  private static final Configuration ABC = Configuration.of("a", "b", "c");
  private static final Configuration ABD = Configuration.of("a", "b", "d");
  private static final Configuration ADE = Configuration.of("a", "d", "e");
  private static final List<Configuration> EXCHANGES = List.of(ABC, ABD, ADE);
  private static final List<String> TWO = List.of("a", "b");
  private static final List<String> THREE = List.of("a", "b", "c");

  /** Small enough to be visited whole within a test. */
  static final Map<String, Bounds> WHOLE =
      Map.of(
          "restarts",
          new Bounds(ABC, List.of(), 2, 1, 1, TWO, 0, true, false, true),
          "strays",
          new Bounds(ABC, List.of(), 1, 2, 1, TWO, 0, false, true, true),
          "exchange",
          new Bounds(ABC, List.of(ABD), 2, 2, 1, List.of("a"), 0, false, false, true));

  /** Too large for that: there one walks by chance. */
  static final Map<String, Bounds> LARGE =
      Map.of(
          "elections",
          new Bounds(ABC, List.of(), 3, 5, 2, THREE, 0, false, true, false),
          "restarts",
          new Bounds(ABC, List.of(), 3, 4, 2, TWO, 0, true, false, false),
          "exchanges",
          new Bounds(ABC, EXCHANGES, 3, 6, 1, THREE, 0, false, false, false),
          "questions",
          new Bounds(ABC, List.of(), 2, 2, 1, TWO, 2, false, false, false));

  private Exploring() {}

  static Outcome explore(String bounds) {
    return new AgreementExplorer(Objects.requireNonNull(WHOLE.get(bounds)))
        .run(Integer.MAX_VALUE, states -> {});
  }

  static Outcome walk(String bounds, long firstSeed, long lastSeed) {
    return new AgreementWalks(Objects.requireNonNull(LARGE.get(bounds)), LENGTH)
        .run(firstSeed, lastSeed);
  }

  /** The promise that some walks break first, and with which seed; empty: none do. */
  public static String firstBroken(String bounds, long firstSeed, long lastSeed) {
    Outcome outcome = walk(bounds, firstSeed, lastSeed);
    long seed = firstSeed + outcome.states() - 1;
    return outcome.broken() == null ? "" : outcome.broken() + " (seed " + seed + ")";
  }
}
