package io.baton.simulator.system;

import io.baton.simulator.BadInputException;
import io.baton.simulator.TextFiles;
import io.baton.simulator.random.Generator;
import io.baton.simulator.random.GeneratorAsRandom;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jgrapht.Graph;
import org.jgrapht.generate.BarabasiAlbertGraphGenerator;
import org.jgrapht.generate.CompleteGraphGenerator;
import org.jgrapht.generate.GnmRandomGraphGenerator;
import org.jgrapht.generate.GraphGenerator;
import org.jgrapht.generate.GridGraphGenerator;
import org.jgrapht.generate.PruferTreeGenerator;
import org.jgrapht.generate.RingGraphGenerator;
import org.jgrapht.generate.WattsStrogatzGraphGenerator;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.SimpleGraph;
import org.jgrapht.nio.graphml.GraphMLImporter;
import org.jgrapht.util.SupplierUtil;

/** Where physical graphs come from: JGraphT's generators, GraphML files, edge lists. */
final class GraphSources {
  private static final String FORMS =
      "ring, complete, grid, tree, random, small-world, scale-free, or a GraphML or edge-list file";

  private static final int MAX_NODES = 1 << 16;
  private static final int MAX_COMPLETE = 2048;

  private GraphSources() {}

  /** The links of a graph by its name on the command line, as pairs of nodes from 0. */
  static List<int[]> edges(String name, int nodes, Generator generator) {
    if (nodes > MAX_NODES || (name.equals("complete") && nodes > MAX_COMPLETE)) {
      throw new BadInputException(
          String.format(
              "A graph of %d nodes is too large: take at most %d, complete %d",
              nodes, MAX_NODES, MAX_COMPLETE));
    }
    Random random = new GeneratorAsRandom(generator);
    switch (name) {
      case "ring", "complete", "tree", "random", "grid", "small-world", "scale-free" -> {
        if (nodes < 4) {
          return generate(new CompleteGraphGenerator<>(nodes)); // all that is connected and small
        }
      }
      default -> {
        return fromFile(name, nodes);
      }
    }
    return switch (name) {
      case "ring" -> generate(new RingGraphGenerator<>(nodes));
      case "complete" -> generate(new CompleteGraphGenerator<>(nodes));
      case "grid" -> generate(grid(nodes));
      case "tree" -> generate(new PruferTreeGenerator<>(nodes, random));
      case "small-world" -> {
        // Rewiring may cut the graph; the ring it started from is kept.
        List<int[]> edges = generate(new RingGraphGenerator<>(nodes));
        edges.addAll(generate(new WattsStrogatzGraphGenerator<>(nodes, 2, 0.2, true, random)));
        yield edges;
      }
      case "scale-free" -> generate(new BarabasiAlbertGraphGenerator<>(3, 2, nodes, random));
      default -> {
        List<int[]> edges = generate(new PruferTreeGenerator<>(nodes, random));
        edges.addAll(
            generate(new GnmRandomGraphGenerator<>(nodes, nodes / 2, random, false, false)));
        yield edges;
      }
    };
  }

  private static GraphGenerator<Integer, DefaultEdge, Integer> grid(int nodes) {
    for (int rows = (int) StrictMath.sqrt(nodes); rows >= 2; rows--) {
      if (nodes % rows == 0) {
        return new GridGraphGenerator<>(rows, nodes / rows);
      }
    }
    throw new BadInputException(
        nodes + " nodes make no grid: take a number of rows times columns, such as " + (nodes + 1));
  }

  private static Graph<Integer, DefaultEdge> empty() {
    return new SimpleGraph<>(
        SupplierUtil.createIntegerSupplier(), SupplierUtil.DEFAULT_EDGE_SUPPLIER, false);
  }

  private static List<int[]> generate(GraphGenerator<Integer, DefaultEdge, Integer> generator) {
    Graph<Integer, DefaultEdge> graph = empty();
    generator.generateGraph(graph);
    List<int[]> edges = new ArrayList<>();
    for (DefaultEdge edge : graph.edgeSet()) {
      edges.add(new int[] {graph.getEdgeSource(edge), graph.getEdgeTarget(edge)});
    }
    return edges;
  }

  private static List<int[]> fromFile(String name, int nodes) {
    Path file = Path.of(name);
    if (!Files.exists(file)) {
      throw new BadInputException("\"" + name + "\" is neither a graph nor a file: take " + FORMS);
    }
    String text = TextFiles.read(file, "graph");
    return text.stripLeading().startsWith("<") ? graphMl(name, text, nodes) : edgeList(text, nodes);
  }

  /** Nodes take their numbers from their ids where these are 1…N, else from the order of ids. */
  private static List<int[]> graphMl(String name, String text, int nodes) {
    Graph<String, DefaultEdge> graph =
        new SimpleGraph<>(
            SupplierUtil.createStringSupplier(), SupplierUtil.DEFAULT_EDGE_SUPPLIER, false);
    GraphMLImporter<String, DefaultEdge> importer = new GraphMLImporter<>();
    importer.setSchemaValidation(false);
    importer.setVertexFactory(id -> id);
    try {
      importer.importGraph(graph, new StringReader(text));
    } catch (RuntimeException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw new BadInputException(
          "The GraphML file " + name + " cannot be read: " + cause.getMessage());
    }
    List<String> ids =
        graph.vertexSet().stream()
            .sorted(Comparator.comparing(String::length).thenComparing(Comparator.naturalOrder()))
            .toList();
    if (ids.size() != nodes) {
      throw new BadInputException(
          "The graph in " + name + " has " + ids.size() + " nodes, not " + nodes);
    }
    List<int[]> edges = new ArrayList<>();
    for (DefaultEdge edge : graph.edgeSet()) {
      edges.add(
          new int[] {
            ids.indexOf(graph.getEdgeSource(edge)), ids.indexOf(graph.getEdgeTarget(edge))
          });
    }
    return edges;
  }

  private static List<int[]> edgeList(String text, int nodes) {
    List<int[]> edges = new ArrayList<>();
    for (String line : text.lines().toList()) {
      String content = line.replaceFirst("#.*", "").strip();
      if (!content.isEmpty()) {
        edges.add(edge(content.split("[\\s,;-]+", -1), nodes, content));
      }
    }
    return edges;
  }

  static int[] edge(String[] ends, int nodes, String context) {
    try {
      if (ends.length == 2) {
        int a = Integer.parseInt(ends[0]);
        int b = Integer.parseInt(ends[1]);
        if (a >= 1 && a <= nodes && b >= 1 && b <= nodes) {
          return new int[] {a - 1, b - 1};
        }
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException(
        "\"" + context + "\" is no link of a graph: write two nodes from 1 to " + nodes);
  }
}
