package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.run.Faults;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that say which system. */
final class SystemOptions {
  @Option(
      names = "--algorithm",
      completionCandidates = Candidates.Algorithms.class,
      paramLabel = "NAME",
      description = "Which algorithm; 'baton algorithms' lists them. sim also takes all.")
  @Nullable String algorithm;

  @Option(
      names = "--tree",
      completionCandidates = Candidates.Trees.class,
      paramLabel = "TREE",
      description =
          "The tree to begin with: star, line, binary, balanced:K, cube, cube:ROOT, random, or a file of"
              + " chains such as 4>2>1 3>1. Each algorithm has its default.")
  @Nullable String tree;

  @Option(
      names = "--rule",
      completionCandidates = Candidates.Rules.class,
      paramLabel = "RULE",
      description =
          "For general (default any): proxy, transit, raymond, last-son, short-cut (with --graph), gateways,"
              + " gateways:A-B, proxies:3,5,6 or any (either behaviour, at any time).")
  @Nullable String rule;

  @Option(
      names = "--policy",
      completionCandidates = Candidates.Policies.class,
      paramLabel = "POLICY",
      description =
          "Which waiting request a node serves next: fifo (the default), lift (its own first) or any.")
  @Nullable String policy;

  @Option(
      names = "--graph",
      completionCandidates = Candidates.Graphs.class,
      paramLabel = "GRAPH",
      description =
          "The physical network: ring, complete, grid, tree, random, small-world, scale-free, or a"
              + " GraphML or edge-list file. Messages take a delay per hop.")
  @Nullable String graph;

  @Option(
      names = "--resources",
      paramLabel = "COUNT",
      description = "ring: how many resources there are to wish for at once. Default: 1.")
  @Nullable Integer resources;

  @Option(
      names = "--direction",
      completionCandidates = Candidates.Directions.class,
      paramLabel = "WAY",
      description = "ring: clockwise (the default) or anticlockwise.")
  @Nullable String direction;

  @Option(
      names = "--timeout",
      paramLabel = "T",
      description =
          "ring: after how long a token is sent again. Default: none; 4 per node where messages are"
              + " lost.")
  @Nullable String timeout;

  @Option(
      names = "--acks",
      description =
          "ring: acknowledge each hop, as rule 5 needs; without saying so where nodes crash.")
  boolean acks;

  /** The algorithm, which must be given. */
  String name() {
    if (algorithm == null) {
      throw new BadInputException("Missing required option: '--algorithm=NAME'");
    }
    return algorithm;
  }

  /** The system, in a world where this may go wrong. */
  SystemSpec.Wish wish(int nodes, Faults faults) {
    boolean ring = Catalogue.find(name()).ring();
    String byDefault = ring && faults.has(Faults.Kind.LOSS) ? Integer.toString(4 * nodes) : null;
    Boolean acknowledged =
        (acks || (ring && (faults.crashes() || faults.has(Faults.Kind.SUSPECT))))
            ? Boolean.TRUE
            : null;
    return new SystemSpec.Wish(
        name(),
        nodes,
        tree,
        rule,
        policy,
        graph,
        new SystemSpec.RingWish(
            resources, direction, timeout == null ? byDefault : timeout, acknowledged));
  }
}
