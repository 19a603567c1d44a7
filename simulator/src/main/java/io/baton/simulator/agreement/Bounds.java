package io.baton.simulator.agreement;

import io.baton.agreement.Configuration;
import java.util.List;
import java.util.TreeSet;

/**
 * How far an exploration goes.
 *
 * @param founding who votes to begin with
 * @param others which other configurations a leader may publish
 * @param terms the highest term
 * @param versions how many versions are published after the first
 * @param values how many different states a leader may choose from
 * @param candidates who may be asked for to be voted for
 * @param questions how often a leader asks whether its term stands
 * @param restarts whether voters restart, after and in the middle of a write
 * @param stray whether votes arrive at candidates other than the one they name
 * @param prunes whether messages are forgotten that have done what they can; a bug may lie just
 *     there, so planted ones are looked for without it
 */
public record Bounds(
    Configuration founding,
    List<Configuration> others,
    int terms,
    int versions,
    int values,
    List<String> candidates,
    int questions,
    boolean restarts,
    boolean stray,
    boolean prunes) {

  /** Copies the lists. */
  public Bounds {
    others = List.copyOf(others);
    candidates = List.copyOf(candidates);
  }

  /** Everybody who votes at some time. */
  public List<String> nodes() {
    TreeSet<String> nodes = new TreeSet<>(founding.voters());
    others.forEach(other -> nodes.addAll(other.voters()));
    nodes.addAll(candidates);
    return List.copyOf(nodes);
  }
}
