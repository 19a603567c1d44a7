package io.baton.simulator.system;

import io.baton.algorithms.RingSetup;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import io.baton.simulator.random.Ticks;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which system to build: an algorithm with its tree, rule, policy and physical graph. Everything
 * that a name left open has been decided, so that the same value always builds the same system.
 *
 * @param tree the initial tree; of a ring just the nodes, of a network the shortest paths to the
 *     node that has the token
 * @param rule the behaviour rule; only {@code general} leaves a choice
 * @param graph the physical network; null: every pair of nodes has a link
 * @param ring how the ring is set up; plain where there is none
 */
public record SystemSpec(
    String algorithm,
    Tree tree,
    String rule,
    String policy,
    @Nullable PhysicalGraph graph,
    RingSetup ring) {
  /** A system that is no ring. */
  public SystemSpec(
      String algorithm, Tree tree, String rule, String policy, @Nullable PhysicalGraph graph) {
    this(algorithm, tree, rule, policy, graph, RingWish.OPEN.setup(tree.nodes()));
  }

  /** How a ring is wished for; null where a default will do. */
  public record RingWish(
      @Nullable Integer resources,
      @Nullable String direction,
      @Nullable String timeout,
      @Nullable Boolean acks) {
    /** Everything is left open. */
    public static final RingWish OPEN = new RingWish(null, null, null, null);

    /** The most resources that a ring takes. */
    public static final int MAX_RESOURCES = 100;

    /** Decides what is open: one resource, clockwise, nothing fails. */
    public RingSetup setup(int nodes) {
      int count = resources == null ? 1 : resources;
      if (count < 1 || count > MAX_RESOURCES) {
        throw new BadInputException(count + " resources cannot be: take 1 to " + MAX_RESOURCES);
      }
      return new RingSetup(nodes, count, anticlockwise(), ticks(), acks != null && acks);
    }

    private boolean anticlockwise() {
      String way = direction == null ? "clockwise" : direction;
      if (!way.equals("clockwise") && !way.equals("anticlockwise")) {
        throw new BadInputException(
            "There is no direction \"" + way + "\": take clockwise or anticlockwise");
      }
      return way.equals("anticlockwise");
    }

    private long ticks() {
      try {
        long ticks = timeout == null || timeout.equals("none") ? 0 : Ticks.parse(timeout);
        if (ticks >= 0) {
          return ticks;
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw new BadInputException(
          "\"" + timeout + "\" is no time-out: write units of time such as 2.5, or none");
    }
  }

  /** What a person asked for, by name; null where a default will do. */
  public record Wish(
      String algorithm,
      int nodes,
      @Nullable String tree,
      @Nullable String rule,
      @Nullable String policy,
      @Nullable String graph,
      RingWish ring) {
    /** What is no ring. */
    public Wish(
        String algorithm,
        int nodes,
        @Nullable String tree,
        @Nullable String rule,
        @Nullable String policy,
        @Nullable String graph) {
      this(algorithm, nodes, tree, rule, policy, graph, RingWish.OPEN);
    }

    /** Just an algorithm and a size. */
    public static Wish of(String algorithm, int nodes) {
      return new Wish(algorithm, nodes, null, null, null, null);
    }

    private @Nullable PhysicalGraph makeGraph(long seed) {
      String name = graph == null && Catalogue.find(algorithm).network() ? "random" : graph;
      return name == null ? null : PhysicalGraph.named(name, nodes, Generator.of(seed, "graph"));
    }
  }

  /** Decides what the wish leaves open; random trees and graphs come from the seed. */
  public static SystemSpec of(Wish wish, long seed) {
    Catalogue.Entry entry = Catalogue.find(wish.algorithm());
    Tree.requireNodes(wish.nodes());
    if (!entry.tree() && wish.tree() != null) {
      throw new BadInputException(entry.name() + " has no tree to choose");
    }
    PhysicalGraph graph = wish.makeGraph(seed);
    Tree tree =
        wish.tree() == null && graph != null
            ? graph.spanningTree(0)
            : Tree.named(
                wish.tree() == null ? defaultTree(entry, wish.rule()) : wish.tree(),
                wish.nodes(),
                Generator.of(seed, "tree"));
    return of(entry.name(), tree, wish.rule(), wish.policy(), graph, wish.ring());
  }

  private static String defaultTree(Catalogue.Entry entry, @Nullable String rule) {
    return "last-son".equals(rule) ? "cube" : entry.defaultTree();
  }

  /** The system on each of the trees of that many nodes that its rule allows; at least one. */
  public static List<SystemSpec> onAllTrees(Wish wish, long seed) {
    PhysicalGraph graph = wish.makeGraph(seed);
    List<SystemSpec> all =
        Tree.all(wish.nodes()).stream()
            .map(
                tree ->
                    tryOf(wish.algorithm(), tree, wish.rule(), wish.policy(), graph, wish.ring()))
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
      @Nullable PhysicalGraph graph,
      RingWish ring) {
    Catalogue.Entry entry = Catalogue.find(algorithm);
    if (!ring.equals(RingWish.OPEN) && !entry.ring()) {
      throw new BadInputException(
          entry.name() + " is no ring: it has no resources, direction, time-out or acks to set");
    }
    if (!entry.tree() && policy != null) {
      throw new BadInputException(entry.name() + " has no policy to choose");
    }
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
            graph,
            ring.setup(tree.nodes()));
    Catalogue.build(spec, Chooser.FIRST); // refuses what does not fit
    return spec;
  }

  private static Optional<SystemSpec> tryOf(
      String algorithm,
      Tree tree,
      @Nullable String rule,
      @Nullable String policy,
      @Nullable PhysicalGraph graph,
      RingWish ring) {
    try {
      return Optional.of(of(algorithm, tree, rule, policy, graph, ring));
    } catch (BadInputException e) {
      return Optional.empty();
    }
  }

  /** The same system with the first nodes only; empty where they make no such system. */
  public Optional<SystemSpec> withFirst(int nodes) {
    int[] fathers = Arrays.copyOf(tree.fathers(), nodes);
    boolean whole = Arrays.stream(fathers).allMatch(father -> father < nodes);
    return graph == null && whole && tree.root() < nodes
        ? tryOf(algorithm, Tree.of(fathers), rule, policy, null, ringWish())
        : Optional.empty();
  }

  private RingWish ringWish() {
    return Catalogue.find(algorithm).ring()
        ? new RingWish(
            ring.resources(),
            ring.anticlockwise() ? "anticlockwise" : "clockwise",
            Ticks.text(ring.timeout()),
            ring.acks())
        : RingWish.OPEN;
  }

  /** How many nodes the system has. */
  public int nodes() {
    return tree.nodes();
  }
}
