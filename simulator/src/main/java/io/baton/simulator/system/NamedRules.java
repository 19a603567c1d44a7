package io.baton.simulator.system;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Names;
import io.baton.algorithms.OpenCube;
import io.baton.algorithms.Rule;
import io.baton.algorithms.SchemeInvariants;
import io.baton.simulator.BadInputException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The behaviour rules that the command line and traces know by name. */
final class NamedRules {
  static final String FORMS =
      "proxy, transit, raymond, last-son, short-cut, gateways, gateways:A-B, proxies:3,5,6 or any";

  private NamedRules() {}

  /** Names the gateways where the wish leaves them open: the edge that halves the tree best. */
  static String withDefaults(String rule, Tree tree) {
    if (!rule.equals("gateways")) {
      return rule;
    }
    if (tree.nodes() < 2) {
      throw new BadInputException("Gateways join two networks: take at least 2 nodes");
    }
    int[] sizes = tree.subtreeSizes();
    int best = NIL;
    for (int i = 0; i < tree.nodes(); i++) {
      if (i != tree.root()
          && (best == NIL
              || Math.abs(2 * sizes[i] - tree.nodes())
                  < Math.abs(2 * sizes[best] - tree.nodes()))) {
        best = i;
      }
    }
    return "gateways:" + Names.of(best) + "-" + Names.of(tree.father(best));
  }

  static Theory find(SystemSpec spec, Chooser chooser) {
    Tree tree = spec.tree();
    String name = spec.rule();
    long n = tree.nodes();
    long anyBound = 2 * n - 1; // Corollary 1: request and token on acyclic paths; the return
    if (name.startsWith("gateways:")) {
      return gateways(name, tree, anyBound);
    }
    if (name.startsWith("proxies:")) {
      return Theory.of(Rule.proxies(proxies(name, tree.nodes())), List.of(), anyBound);
    }
    return switch (name) {
      case "proxy" ->
          Theory.of(
              Rule.ALWAYS_PROXY,
              List.of(SchemeInvariants.sameTree(tree.fathers())),
              n == 1 ? 0 : 2L * tree.height() + 1,
              i -> i == tree.root() ? 0 : 2L * tree.depth(i) + 1);
      case "transit" ->
          Theory.of(
              Rule.ALWAYS_TRANSIT,
              List.of(SchemeInvariants.NO_LOANS),
              n == 1 ? 0 : n,
              i -> i == tree.root() ? 0 : tree.depth(i) + 1L);
      case "raymond" ->
          Theory.of(
              Rule.TRANSIT_IFF_TOKEN_HERE,
              List.of(SchemeInvariants.NO_LOANS, SchemeInvariants.sameEdges(tree.fathers())),
              2L * tree.diameter(),
              i -> 2L * tree.depth(i));
      case "last-son" -> lastSon(tree);
      case "short-cut" -> shortCut(spec, anyBound);
      case "any" -> Theory.of(chooser.anyBehavior(), List.of(), anyBound);
      default -> throw new BadInputException("There is no rule \"" + name + "\": take " + FORMS);
    };
  }

  private static Theory lastSon(Tree tree) {
    int[] fathers = tree.fathers();
    String wrong = OpenCube.whyNot(fathers);
    if (wrong != null) {
      throw new BadInputException(
          "The tree is no open cube (" + wrong + "): take cube or cube:ROOT");
    }
    int pmax = OpenCube.pmax(tree.nodes());
    return Theory.of(
        Rule.lastSon(pmax),
        List.of(SchemeInvariants.QUIESCENT_OPEN_CUBE),
        tree.nodes() == 1 ? 0 : pmax + 2L,
        i -> OpenCube.cost(i, fathers));
  }

  private static Theory shortCut(SystemSpec spec, long bound) {
    PhysicalGraph graph = spec.graph();
    if (graph == null) {
      throw new BadInputException("The rule short-cut needs a physical network: add --graph");
    }
    for (int i = 0; i < spec.nodes(); i++) {
      int father = spec.tree().father(i);
      if (father != NIL && !graph.linked(i, father)) {
        throw new BadInputException(
            String.format(
                "The tree has the edge %s>%s but the graph has no such link: take a tree of links"
                    + " (the default one is)",
                Names.of(i), Names.of(father)));
      }
    }
    return Theory.of(
        Rule.shortCut(graph), List.of(SchemeInvariants.fathersAreLinked(graph)), bound);
  }

  private static Theory gateways(String name, Tree tree, long bound) {
    int[] ends =
        GraphSources.edge(name.substring("gateways:".length()).split("-", -1), tree.nodes(), name);
    int lower = tree.father(ends[0]) == ends[1] ? ends[0] : ends[1];
    int upper = lower == ends[0] ? ends[1] : ends[0];
    if (tree.father(lower) != upper) {
      throw new BadInputException(
          String.format(
              "Gateways %s and %s are no neighbours in the tree: name the two ends of an edge",
              Names.of(ends[0]), Names.of(ends[1])));
    }
    boolean[] below = new boolean[tree.nodes()];
    for (int i = 0; i < tree.nodes(); i++) {
      below[i] = tree.isBelow(i, lower);
    }
    return Theory.of(
        Rule.gateways(lower, upper, Rule.ALWAYS_TRANSIT),
        List.of(SchemeInvariants.onlyGatewaysKnown(below, lower, upper)),
        bound);
  }

  private static BitSet proxies(String name, int nodes) {
    BitSet set = new BitSet(nodes);
    List<String> numbers =
        new ArrayList<>(List.of(name.substring("proxies:".length()).split(",", -1)));
    for (String number : numbers) {
      try {
        int node = Integer.parseInt(number);
        if (node >= 1 && node <= nodes) {
          set.set(node - 1);
          continue;
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw new BadInputException(
          "\"" + number + "\" in the rule is no node: write nodes from 1 to " + nodes);
    }
    return set;
  }
}
