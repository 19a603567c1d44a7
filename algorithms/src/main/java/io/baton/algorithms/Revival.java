package io.baton.algorithms;

import java.util.List;

/**
 * What a node is told when it comes back after a crash.
 *
 * @param life how often it has crashed before: the one number that outlives a crash
 * @param neighbours whom it has a channel to now
 */
public record Revival(int life, List<Neighbour> neighbours) {
  /**
   * The other end of a channel.
   *
   * @param life how often it has crashed before
   */
  public record Neighbour(int node, int life) {}
}
