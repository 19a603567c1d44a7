package io.baton.simulator.trace;

import io.baton.simulator.BadInputException;
import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.run.Workload.Script.Arrival;
import io.baton.simulator.system.PhysicalGraph;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a trace line by line, and refuses one that is torn. */
final class TraceReader {
  private static final List<String> KEYS =
      List.of(
          "algorithm",
          "tree",
          "rule",
          "policy",
          "graph",
          "nodes",
          "token",
          "resources",
          "direction",
          "timeout",
          "acks");

  private static final List<String> STEPS =
      List.of(
          "enter",
          "exit",
          "alarm",
          "crash",
          "recover",
          "leave",
          "gone",
          "drop",
          "duplicate",
          "cut",
          "mend",
          "lost",
          "found",
          "suspect",
          "trust");

  private final String name;
  private final List<String> comments = new ArrayList<>();
  private final Map<String, String> header = new LinkedHashMap<>();
  private final List<Arrival> script = new ArrayList<>();
  private final List<TraceLine> lines = new ArrayList<>();
  private boolean below; // the line of dashes
  private boolean ended;
  private @Nullable String violation;

  /** A trace is about to be read; its name is for what is said about errors. */
  TraceReader(String name) {
    this.name = name;
  }

  Trace read(String text) {
    if (!text.endsWith("\n")) {
      throw new BadInputException(name + " is torn: its last line has no end");
    }
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String content = line.strip();
      if (!content.isEmpty()) {
        line(content, name + " line " + number);
      }
    }
    if (below && !ended) {
      throw new BadInputException(
          name + " is torn: below the dashes it must end with \"end\" or a violation");
    }
    return new Trace(
        List.copyOf(comments),
        system(),
        new Script(List.copyOf(script)),
        List.copyOf(lines),
        violation);
  }

  private void line(String content, String where) {
    if (content.startsWith("#")) {
      comments.add(content.substring(1).strip());
    } else if (ended) {
      throw new BadInputException(where + " comes after the end of the trace");
    } else if (content.equals(Trace.RULER)) {
      below = true;
    } else if (!below) {
      headerLine(content, where);
    } else if (content.equals(Trace.END)) {
      ended = true;
    } else if (content.startsWith(Trace.VIOLATION)) {
      ended = true;
      violation = content.substring(Trace.VIOLATION.length());
    } else {
      TraceLine step = TraceLine.parse(content, where);
      if (!step.step().contains(" -> ") && !STEPS.contains(step.step().split(" ", 2)[0])) {
        throw new BadInputException(
            where + " is no step: write \"3 -> 2  request(3)\", or begin with one of " + STEPS);
      }
      lines.add(step);
    }
  }

  private void headerLine(String content, String where) {
    if (content.startsWith("@") || content.startsWith("enter ")) {
      script.add(arrival(content, where));
      return;
    }
    String[] words = content.split("\\s+", 2);
    if (!KEYS.contains(words[0])) {
      throw new BadInputException(
          where
              + " begins with \""
              + words[0]
              + "\": above the dashes go "
              + String.join(", ", KEYS)
              + " and enter");
    }
    if (header.put(words[0], words.length > 1 ? words[1] : "") != null) {
      throw new BadInputException(where + " says \"" + words[0] + "\" again: say it once");
    }
  }

  /** Reads {@code @2.5 enter 8} or {@code enter 8}. */
  static Arrival arrival(String content, String where) {
    TraceLine line = TraceLine.parse(content, where);
    String[] words = line.step().split(" ", -1);
    try {
      int node = Integer.parseInt(words[words.length - 1]);
      if (words.length == 2 && words[0].equals("enter") && node >= 1) {
        return new Arrival(line.time() == null ? 0 : line.time(), node - 1);
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException(where + " is no request: write \"@2.5 enter 8\" or \"enter 8\"");
  }

  private SystemSpec system() {
    String algorithm = header.get("algorithm");
    String chains = header.get("tree");
    String nodes = header.get("nodes");
    if (algorithm == null || (chains == null && nodes == null)) {
      throw new BadInputException(
          name
              + " is no whole trace: it must name an algorithm and a tree (of a ring: nodes) above"
              + " the dashes");
    }
    Tree tree = chains == null ? Tree.line(number(nodes, "nodes")) : Tree.parse(chains);
    String links = header.get("graph");
    PhysicalGraph graph = links == null ? null : PhysicalGraph.parse(links, tree.nodes());
    if (graph != null && header.containsKey("token")) {
      int owner = number(header.get("token"), "the node with the token");
      if (owner < 1 || owner > tree.nodes()) {
        throw new BadInputException(name + ": there is no node " + owner);
      }
      tree = graph.spanningTree(owner - 1);
    }
    return SystemSpec.of(algorithm, tree, header.get("rule"), header.get("policy"), graph, ring());
  }

  private SystemSpec.RingWish ring() {
    String resources = header.get("resources");
    String acks = header.get("acks");
    return new SystemSpec.RingWish(
        resources == null ? null : (Integer) number(resources, "resources"),
        header.get("direction"),
        header.get("timeout"),
        acks == null ? null : (Boolean) acks.equals("yes"));
  }

  private int number(@Nullable String text, String key) {
    try {
      return Integer.parseInt(String.valueOf(text));
    } catch (NumberFormatException e) {
      throw new BadInputException(name + ": \"" + text + "\" is no number of " + key);
    }
  }
}
