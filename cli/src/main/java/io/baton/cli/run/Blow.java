package io.baton.cli.run;

import io.baton.algorithms.Names;
import io.baton.simulator.BadInputException;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What is to happen to the process of a node, some time after the run has begun.
 *
 * @param restart whether it is started again; else it is killed
 */
public record Blow(int node, long millis, boolean restart) {
  private static final String KILL = "--kill";
  private static final String RESTART = "--restart";

  /** All blows of a run, in order of time; each written as {@code NODE@MILLIS}. */
  public static List<Blow> parse(List<String> kills, List<String> restarts, int nodes) {
    List<Blow> blows = new ArrayList<>();
    kills.forEach(text -> blows.add(parse(text, KILL, nodes)));
    restarts.forEach(text -> blows.add(parse(text, RESTART, nodes)));
    blows.sort(Comparator.comparingLong(Blow::millis));
    for (int node = 0; node < nodes; node++) {
      requireTurns(node, blows);
    }
    return List.copyOf(blows);
  }

  private static Blow parse(String text, String option, int nodes) {
    try {
      String[] words = text.split("@", -1);
      int node = Integer.parseInt(words[0]);
      if (words.length == 2 && node >= 1 && node <= nodes) {
        return new Blow(node - 1, Integer.parseUnsignedInt(words[1]), option.equals(RESTART));
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException(
        String.format(
            "%s %s cannot be: write a node from 1 to %d and milliseconds, as in 3@500",
            option, text, nodes));
  }

  /** A process is killed, restarted, killed again … */
  private static void requireTurns(int node, List<Blow> blows) {
    boolean up = true;
    for (Blow blow : blows) {
      if (blow.node() == node) {
        if (up == blow.restart()) {
          throw new BadInputException(
              String.format(
                  "Node %s is %s at %d ms, but its process is %s then",
                  Names.of(node),
                  up ? "restarted" : "killed",
                  blow.millis(),
                  up ? "still there" : "gone already"));
        }
        up = !up;
      }
    }
  }

  /** Refuses what an algorithm does not offer. */
  public static void requireOffered(List<Blow> blows, SystemSpec system) {
    Catalogue.Entry entry = Catalogue.find(system.algorithm());
    boolean comesBack = entry.timed() || entry.survives() || system.ring().acks();
    if (!comesBack && blows.stream().anyMatch(Blow::restart)) {
      throw new BadInputException(
          system.algorithm() + " cannot bring a node back: leave --restart away");
    }
  }
}
