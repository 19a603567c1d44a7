package io.baton.simulator.system;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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

    private @Nullable PhysicalGraph makeGraph(long seed) {
      return graph == null ? null : PhysicalGraph.named(graph, nodes, Generator.of(seed, "graph"));
    }
  }

  /** Decides what the wish leaves open; random trees and graphs come from the seed. */
  public static SystemSpec of(Wish wish, long seed) {
    Catalogue.Entry entry = Catalogue.find(wish.algorithm());
    Tree.requireNodes(wish.nodes());
    PhysicalGraph graph = wish.makeGraph(seed);
    Tree tree =
        wish.tree() == null && graph != null
            ? graph.spanningTree(0)
            : Tree.named(
                wish.tree() == null ? defaultTree(entry, wish.rule()) : wish.tree(),
                wish.nodes(),
                Generator.of(seed, "tree"));
    return of(entry.name(), tree, wish.rule(), wish.policy(), graph);
  }

  private static String defaultTree(Catalogue.Entry entry, @Nullable String rule) {
    return "last-son".equals(rule) ? "cube" : entry.defaultTree();
  }

  /** The system on each of the trees of that many nodes that its rule allows; at least one. */
  public static List<SystemSpec> onAllTrees(Wish wish, long seed) {
    PhysicalGraph graph = wish.makeGraph(seed);
    List<SystemSpec> all =
        Tree.all(wish.nodes()).stream()
            .map(tree -> tryOf(wish.algorithm(), tree, wish.rule(), wish.policy(), graph))
            .flatMap(Optional::stream)
            .toList();
    if (all.isEmpty()) {
      of(wish, seed); // says why
      throw new BadInputException("No tree of " + wish.nodes() + " nodes with root 1 fits");
    }
    return all;
  }

  /** A system on a given tree; refused where the rule or the policy does not exist or not fit. */
  public static SystemSpec of(
      String algorithm,
      Tree tree,
      @Nullable String rule,
      @Nullable String policy,
      @Nullable PhysicalGraph graph) {
    Catalogue.Entry entry = Catalogue.find(algorithm);
    if (rule != null && !rule.equals(entry.rule()) && !entry.takesRule()) {
      throw new BadInputException(
          entry.name() + " has its own rule, " + entry.rule() + "; only general takes another");
    }
    SystemSpec spec =
        new SystemSpec(
            entry.name(),
            tree,
            NamedRules.withDefaults(rule == null ? entry.rule() : rule, tree),
            policy == null ? "fifo" : policy,
            graph);
    Catalogue.build(spec, Chooser.FIRST); // refuses what does not fit
    return spec;
  }

  private static Optional<SystemSpec> tryOf(
      String algorithm,
      Tree tree,
      @Nullable String rule,
      @Nullable String policy,
      @Nullable PhysicalGraph graph) {
    try {
      return Optional.of(of(algorithm, tree, rule, policy, graph));
    } catch (BadInputException e) {
      return Optional.empty();
    }
  }

  /** The same system with the first nodes only; empty where they make no such system. */
  public Optional<SystemSpec> withFirst(int nodes) {
    int[] fathers = Arrays.copyOf(tree.fathers(), nodes);
    boolean whole = Arrays.stream(fathers).allMatch(father -> father < nodes);
    return graph == null && whole && tree.root() < nodes
        ? tryOf(algorithm, Tree.of(fathers), rule, policy, null)
        : Optional.empty();
  }

  /** How many nodes the system has. */
  public int nodes() {
    return tree.nodes();
  }
}
