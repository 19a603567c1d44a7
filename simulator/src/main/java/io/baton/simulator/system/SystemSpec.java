package io.baton.simulator.system;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which system to build: an algorithm with its tree, rule, policy and physical graph. Everything
 * that a name left open has been decided, so that the same value always builds the same system.
 *
 * @param rule the behaviour rule; only {@code general} leaves a choice
 * @param graph the physical network; null: every pair of nodes has a link
 */
public record SystemSpec(
    String algorithm, Tree tree, String rule, String policy, @Nullable PhysicalGraph graph) {

  /** What a person asked for, by name; null where a default will do. */
  public record Wish(
      String algorithm,
      int nodes,
      @Nullable String tree,
      @Nullable String rule,
      @Nullable String policy,
      @Nullable String graph) {
    /** Just an algorithm and a size. */
    public static Wish of(String algorithm, int nodes) {
      return new Wish(algorithm, nodes, null, null, null, null);
    }
  }

  /** Decides what the wish leaves open; random trees and graphs come from the seed. */
  public static SystemSpec of(Wish wish, long seed) {
    Catalogue.Entry entry = Catalogue.find(wish.algorithm());
    Tree.requireNodes(wish.nodes());
    if (wish.rule() != null && !entry.takesRule()) {
      throw new BadInputException(
          entry.name() + " has its own rule; --rule goes with --algorithm general");
    }
    String rule = wish.rule() == null ? entry.rule() : wish.rule();
    PhysicalGraph graph =
        wish.graph() == null
            ? null
            : PhysicalGraph.named(wish.graph(), wish.nodes(), Generator.of(seed, "graph"));
    Tree tree;
    if (wish.tree() != null) {
      tree = Tree.named(wish.tree(), wish.nodes(), Generator.of(seed, "tree"));
    } else if (graph != null) {
      tree = graph.spanningTree(0);
    } else {
      tree = Tree.named(entry.defaultTree(), wish.nodes(), Generator.of(seed, "tree"));
    }
    String policy = wish.policy() == null ? "fifo" : wish.policy();
    SystemSpec spec =
        new SystemSpec(entry.name(), tree, NamedRules.withDefaults(rule, tree), policy, graph);
    spec.validate();
    return spec;
  }

  /** Refuses a rule or a policy that does not exist or does not fit the tree and the graph. */
  public void validate() {
    Catalogue.build(this, Chooser.FIRST);
  }

  /** The same system on another tree of as many nodes. */
  public SystemSpec withTree(Tree other) {
    SystemSpec spec = new SystemSpec(algorithm, other, rule, policy, graph);
    spec.validate();
    return spec;
  }

  /** The same system with the first nodes only; null where they make no such system. */
  public @Nullable SystemSpec withFirst(int nodes) {
    try {
      return graph == null ? withTree(Tree.of(Arrays.copyOf(tree.fathers(), nodes))) : null;
    } catch (BadInputException | IndexOutOfBoundsException e) {
      return null;
    }
  }

  /** How many nodes the system has. */
  public int nodes() {
    return tree.nodes();
  }
}
