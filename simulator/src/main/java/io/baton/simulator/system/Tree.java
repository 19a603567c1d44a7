package io.baton.simulator.system;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Names;
import io.baton.algorithms.OpenCube;
import io.baton.simulator.BadInputException;
import io.baton.simulator.TextFiles;
import io.baton.simulator.random.Generator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/** The tree a system starts with: every node's father, nil for the root. */
public final class Tree {
  /** The largest number of nodes of a system. */
  public static final int MAX_NODES = 1 << 24;

  private static final int MAX_NODES_OF_ALL = 6;
  private static final String FORMS =
      "star, line, binary, balanced:K, cube, cube:ROOT, random, or a file of chains such as 4>2>1 3>1";

  private final int[] fathers;
  private final int[] depths;
  private final int root;

  private Tree(int[] fathers) {
    this.fathers = fathers;
    this.depths = new int[fathers.length];
    this.root = findRoot();
    findDepths();
  }

  /** The tree with these fathers; refused unless it is one tree with one root. */
  public static Tree of(int... fathers) {
    return new Tree(fathers.clone());
  }

  /** Every node below the one before. */
  public static Tree line(int nodes) {
    requireNodes(nodes);
    return new Tree(fill(nodes, i -> i - 1));
  }

  /** A tree by its name on the command line, or from the file of that name. */
  public static Tree named(String name, int nodes, Generator generator) {
    requireNodes(nodes);
    if (name.contains(">")) {
      return sized(parse(name), nodes, "The tree");
    }
    if (name.startsWith("balanced:")) {
      return balanced(parameter(name, "K of 1 or more", Integer.MAX_VALUE), nodes);
    }
    if (name.startsWith("cube:")) {
      return cube(parameter(name, "a root from 1 to " + nodes, nodes) - 1, nodes);
    }
    return switch (name) {
      case "star" -> new Tree(fill(nodes, i -> 0));
      case "line" -> line(nodes);
      case "binary" -> balanced(2, nodes);
      case "cube" -> cube(0, nodes);
      case "random" -> random(nodes, generator);
      default -> fromFile(name, nodes);
    };
  }

  /** Every tree of that many nodes whose root is the first; there are n^(n-2), so few nodes. */
  public static List<Tree> all(int nodes) {
    requireNodes(nodes);
    if (nodes > MAX_NODES_OF_ALL) {
      throw new BadInputException(
          "All trees of " + nodes + " nodes are too many: take at most " + MAX_NODES_OF_ALL);
    }
    List<Tree> trees = new ArrayList<>();
    int[] fathers = new int[nodes];
    fathers[0] = NIL;
    addAll(fathers, 1, trees);
    return trees;
  }

  private static void addAll(int[] fathers, int from, List<Tree> trees) {
    if (from == fathers.length) {
      if (leadsToRoot(fathers)) {
        trees.add(Tree.of(fathers));
      }
      return;
    }
    for (int father = 0; father < fathers.length; father++) {
      fathers[from] = father;
      addAll(fathers, from + 1, trees);
    }
  }

  private static boolean leadsToRoot(int[] fathers) {
    for (int start = 0; start < fathers.length; start++) {
      int node = start;
      for (int step = 0; step < fathers.length && node != 0; step++) {
        node = fathers[node];
      }
      if (node != 0) {
        return false;
      }
    }
    return true;
  }

  /** Refuses a number of nodes that no system can have. */
  public static void requireNodes(long nodes) {
    if (nodes < 1 || nodes > MAX_NODES) {
      throw new BadInputException(
          "A system of " + nodes + " nodes cannot be: take 1 to " + MAX_NODES);
    }
  }

  private static int[] fill(int nodes, IntUnaryOperator father) {
    int[] fathers = new int[nodes];
    Arrays.setAll(fathers, i -> i == 0 ? NIL : father.applyAsInt(i));
    return fathers;
  }

  private static Tree balanced(int degree, int nodes) {
    return new Tree(fill(nodes, i -> (i - 1) / degree));
  }

  private static Tree cube(int root, int nodes) {
    int[] fathers = new int[nodes];
    Arrays.setAll(fathers, i -> OpenCube.father(i, root));
    return new Tree(fathers);
  }

  /** The number behind the colon of a tree's name. */
  private static int parameter(String name, String form, int max) {
    try {
      int number = Integer.parseInt(name.substring(name.indexOf(':') + 1));
      if (number >= 1 && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException("\"" + name + "\" is no tree: write " + form + " after the colon");
  }

  private static Tree random(int nodes, Generator generator) {
    int[] order = new int[nodes];
    Arrays.setAll(order, i -> i);
    generator.shuffle(order);
    int[] fathers = new int[nodes];
    for (int k = 0; k < nodes; k++) {
      fathers[order[k]] = k == 0 ? NIL : order[generator.nextInt(k)];
    }
    return new Tree(fathers);
  }

  private static Tree fromFile(String name, int nodes) {
    Path file = Path.of(name);
    if (!Files.exists(file)) {
      throw new BadInputException("\"" + name + "\" is neither a tree nor a file: take " + FORMS);
    }
    String text = TextFiles.read(file, "tree");
    String chains =
        text.lines().map(line -> line.replaceFirst("#.*", "")).collect(Collectors.joining(" "));
    return sized(parse(chains), nodes, "The tree in " + name);
  }

  private static Tree sized(Tree tree, int nodes, String what) {
    if (tree.nodes() != nodes) {
      throw new BadInputException(
          String.format(
              "%s has %d nodes, not %d: say --nodes %d", what, tree.nodes(), nodes, tree.nodes()));
    }
    return tree;
  }

  /** Reads chains such as {@code 4>2>1 3>1}: the father of 4 is 2, that of 2 and of 3 is 1. */
  public static Tree parse(String chains) {
    List<String> words = Arrays.stream(chains.strip().split("\\s+", -1)).toList();
    int nodes =
        words.stream()
            .flatMap(word -> Arrays.stream(word.split(">", -1)))
            .mapToInt(Tree::number)
            .max()
            .orElse(0);
    requireNodes(nodes);
    int[] fathers = new int[nodes];
    boolean[] named = new boolean[nodes];
    Arrays.fill(fathers, NIL);
    for (String word : words) {
      int son = NIL;
      for (String part : word.split(">", -1)) {
        int node = number(part) - 1;
        named[node] = true;
        if (son != NIL) {
          if (fathers[son] != NIL && fathers[son] != node) {
            throw new BadInputException(
                String.format(
                    "The tree gives node %s two fathers, %s and %s: give it one",
                    Names.of(son), Names.of(fathers[son]), Names.of(node)));
          }
          fathers[son] = node;
        }
        son = node;
      }
    }
    for (int i = 0; i < nodes; i++) {
      if (!named[i]) {
        throw new BadInputException(
            "The tree has a node " + nodes + " but no node " + Names.of(i) + ": name them all");
      }
    }
    return new Tree(fathers);
  }

  private static int number(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= MAX_NODES) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException(
        "\"" + text + "\" in the tree is no node: write chains of numbers such as 4>2>1 3>1");
  }

  private int findRoot() {
    int found = NIL;
    for (int i = 0; i < fathers.length; i++) {
      if (fathers[i] == NIL) {
        if (found != NIL) {
          throw new BadInputException(
              "The tree has two roots, " + Names.of(found) + " and " + Names.of(i) + ": leave one");
        }
        found = i;
      }
    }
    if (found == NIL) {
      throw new BadInputException(
          "The tree has a cycle and no root: leave one node without father");
    }
    return found;
  }

  private void findDepths() {
    int[] path = new int[fathers.length];
    boolean[] known = new boolean[fathers.length];
    known[root] = true;
    for (int start = 0; start < fathers.length; start++) {
      int length = 0;
      int node = start;
      while (!known[node]) {
        if (length == path.length) {
          throw new BadInputException(
              "The tree has a cycle through node "
                  + Names.of(node)
                  + ": every node must lead to "
                  + Names.of(root));
        }
        path[length++] = node;
        node = fathers[node];
      }
      while (length > 0) {
        int lower = path[--length];
        depths[lower] = depths[node] + 1;
        known[lower] = true;
        node = lower;
      }
    }
  }

  /** How many nodes the tree has. */
  public int nodes() {
    return fathers.length;
  }

  /** The father of a node; nil for the root. */
  public int father(int node) {
    return fathers[node];
  }

  /** Every node's father. */
  public int[] fathers() {
    return fathers.clone();
  }

  /** The node without a father. */
  public int root() {
    return root;
  }

  /** The number of edges between a node and the root. */
  public int depth(int node) {
    return depths[node];
  }

  /** The number of edges between the root and the node farthest from it. */
  public int height() {
    return Arrays.stream(depths).max().orElse(0);
  }

  /** The number of edges between the two nodes farthest apart. */
  public int diameter() {
    int[] heights = new int[nodes()];
    int diameter = 0;
    for (int node : deepestFirst()) {
      int father = fathers[node];
      if (father != NIL) {
        int reach = heights[node] + 1;
        diameter = Math.max(diameter, heights[father] + reach);
        heights[father] = Math.max(heights[father], reach);
      }
    }
    return diameter;
  }

  /** The sons of the edges of the tree, and how many nodes are below each, itself included. */
  public int[] subtreeSizes() {
    int[] sizes = new int[nodes()];
    for (int node : deepestFirst()) {
      sizes[node]++;
      if (fathers[node] != NIL) {
        sizes[fathers[node]] += sizes[node];
      }
    }
    return sizes;
  }

  private int[] deepestFirst() {
    int[] starts = new int[height() + 2];
    for (int depth : depths) {
      starts[starts.length - 1 - depth]++;
    }
    for (int k = 1; k < starts.length; k++) {
      starts[k] += starts[k - 1];
    }
    int[] order = new int[nodes()];
    for (int i = 0; i < nodes(); i++) {
      order[starts[starts.length - 2 - depths[i]]++] = i;
    }
    return order;
  }

  /** Whether a node is in the subtree below another, itself included. */
  public boolean isBelow(int node, int ancestor) {
    int walk = node;
    while (walk != NIL && walk != ancestor) {
      walk = fathers[walk];
    }
    return walk == ancestor;
  }

  /** The chains that {@link #parse} reads. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    boolean[] hasSon = new boolean[nodes()];
    for (int father : fathers) {
      if (father != NIL) {
        hasSon[father] = true;
      }
    }
    boolean[] written = new boolean[nodes()];
    for (int leaf = 0; leaf < nodes(); leaf++) {
      if (!hasSon[leaf]) {
        text.append(text.isEmpty() ? "" : " ").append(Names.of(leaf));
        int node = leaf;
        while (fathers[node] != NIL && !written[node]) {
          written[node] = true;
          node = fathers[node];
          text.append('>').append(Names.of(node));
        }
      }
    }
    return text.toString();
  }
}
