package io.baton.simulator.system;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Names;
import io.baton.algorithms.Rule;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The physical network under a system: which nodes have a link. Always connected. */
public final class PhysicalGraph implements Rule.Links {
  private final int[][] neighbours;
  private final int[] @Nullable [] hops; // a row per source, found when first asked for

  private PhysicalGraph(int[][] neighbours) {
    this.neighbours = neighbours;
    this.hops = new int[neighbours.length][];
  }

  /** A graph by its name on the command line, or from the file of that name. */
  public static PhysicalGraph named(String name, int nodes, Generator generator) {
    return of(nodes, GraphSources.edges(name, nodes, generator));
  }

  /** The graph with these links; refused unless it is connected. */
  public static PhysicalGraph of(int nodes, List<int[]> edges) {
    List<SortedSet<Integer>> sets = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      sets.add(new TreeSet<>());
    }
    for (int[] edge : edges) {
      if (edge[0] != edge[1]) {
        sets.get(edge[0]).add(edge[1]);
        sets.get(edge[1]).add(edge[0]);
      }
    }
    int[][] neighbours = new int[nodes][];
    for (int i = 0; i < nodes; i++) {
      neighbours[i] = sets.get(i).stream().mapToInt(Integer::intValue).toArray();
    }
    PhysicalGraph graph = new PhysicalGraph(neighbours);
    for (int i = 0; i < nodes; i++) {
      if (graph.hops(0, i) == NIL) {
        throw new BadInputException(
            "The graph is not connected: no path leads from node 1 to node "
                + Names.of(i)
                + " of "
                + nodes);
      }
    }
    return graph;
  }

  /** Reads links such as {@code 1-2 2-3}. */
  public static PhysicalGraph parse(String links, int nodes) {
    List<int[]> edges = new ArrayList<>();
    for (String word : links.strip().split("\\s+", -1)) {
      edges.add(GraphSources.edge(word.split("-", -1), nodes, word));
    }
    return of(nodes, edges);
  }

  /** The nodes that a node has a link to, in order. */
  public List<Integer> neighbours(int node) {
    return Arrays.stream(neighbours[node]).boxed().toList();
  }

  /** The neighbours of every node. */
  List<List<Integer>> adjacency() {
    return IntStream.range(0, nodes()).mapToObj(this::neighbours).toList();
  }

  /** The most links of a node. */
  int maxDegree() {
    return Arrays.stream(neighbours).mapToInt(row -> row.length).max().orElse(0);
  }

  /** The most links between two nodes, on a shortest path. */
  int diameter() {
    int longest = 0;
    for (int from = 0; from < nodes(); from++) {
      for (int to = 0; to < nodes(); to++) {
        longest = Math.max(longest, hops(from, to));
      }
    }
    return longest;
  }

  /** How many links the graph has. */
  public long links() {
    return Arrays.stream(neighbours).mapToLong(row -> row.length).sum() / 2;
  }

  /** How many nodes the graph has. */
  public int nodes() {
    return neighbours.length;
  }

  @Override
  public boolean linked(int a, int b) {
    return Arrays.binarySearch(neighbours[a], b) >= 0;
  }

  /** The number of links on a shortest path between two nodes. */
  public int hops(int from, int to) {
    int[] row = hops[from];
    if (row == null) {
      row = search(from, new int[nodes()]);
      hops[from] = row;
    }
    return row[to];
  }

  /** The tree of shortest paths to a root; its edges are links. */
  public Tree spanningTree(int root) {
    int[] fathers = new int[nodes()];
    search(root, fathers);
    return Tree.of(fathers);
  }

  /** Breadth first from a node: the distance of every node, and who led to it. */
  private int[] search(int from, int[] fathers) {
    int[] distances = new int[nodes()];
    Arrays.fill(distances, NIL);
    Arrays.fill(fathers, NIL);
    distances[from] = 0;
    ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(from));
    while (!queue.isEmpty()) {
      int node = queue.remove();
      for (int next : neighbours[node]) {
        if (distances[next] == NIL) {
          distances[next] = distances[node] + 1;
          fathers[next] = node;
          queue.add(next);
        }
      }
    }
    return distances;
  }

  /** The links that {@link #parse} reads. */
  @Override
  public String toString() {
    return IntStream.range(0, nodes())
        .boxed()
        .flatMap(
            a ->
                Arrays.stream(neighbours[a])
                    .filter(b -> b > a)
                    .mapToObj(b -> Names.of(a) + "-" + Names.of(b)))
        .collect(Collectors.joining(" "));
  }
}
