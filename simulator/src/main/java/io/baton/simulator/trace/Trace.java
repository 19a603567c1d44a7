package io.baton.simulator.trace;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.run.Workload.Script.Arrival;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.PhysicalGraph;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A trace file: a system, who wishes to enter when, and (below a line of dashes) step by step what
 * happened. Either part may be missing.
 *
 * @param comments what it says about itself, line by line
 * @param script who wishes to enter, for a run that makes up its own schedule
 * @param lines what happened; empty where the file leaves that to the run
 * @param violation what the last step broke, or null
 */
public record Trace(
    List<String> comments,
    SystemSpec system,
    Script script,
    List<TraceLine> lines,
    @Nullable String violation) {
  private static final String RULER = "----";
  private static final String VIOLATION = "violation ";

  /** Reads a trace file. */
  public static Trace read(Path file) {
    try {
      return parse(Files.readString(file), file.getFileName().toString());
    } catch (IOException e) {
      throw new BadInputException(
          "Cannot read the trace " + file + ": " + (Files.exists(file) ? e : "no such file"));
    }
  }

  /** Reads a trace from text; the name is for what is said about errors. */
  public static Trace parse(String text, String name) {
    List<String> comments = new ArrayList<>();
    Map<String, String> header = new LinkedHashMap<>();
    List<Arrival> script = new ArrayList<>();
    List<TraceLine> lines = new ArrayList<>();
    String violation = null;
    boolean below = false;
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      String where = name + " line " + number;
      String content = line.strip();
      if (content.startsWith("#")) {
        comments.add(content.substring(1).strip());
      } else if (content.equals(RULER)) {
        below = true;
      } else if (violation != null && !content.isEmpty()) {
        throw new BadInputException(where + " comes after the violation, which ends a trace");
      } else if (below && content.startsWith(VIOLATION)) {
        violation = content.substring(VIOLATION.length());
      } else if (below && !content.isEmpty()) {
        lines.add(TraceLine.parse(content, where));
      } else if (content.startsWith("@") || content.startsWith("enter ")) {
        script.add(arrival(TraceLine.parse(content, where), where));
      } else if (!content.isEmpty()) {
        String[] words = content.split("\\s+", 2);
        if (header.put(words[0], words.length > 1 ? words[1] : "") != null) {
          throw new BadInputException(where + " says \"" + words[0] + "\" again: say it once");
        }
      }
    }
    return new Trace(
        comments, system(header, name), new Script(script), List.copyOf(lines), violation);
  }

  /** Reads a script: lines such as {@code @2.5 enter 8}. */
  public static Script readScript(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new BadInputException(
          "\""
              + file
              + "\" is neither a workload nor a file: take closed, open, hotspot, fresh-each or a"
              + " script of lines such as @2.5 enter 8");
    }
    try {
      List<Arrival> users = new ArrayList<>();
      int number = 0;
      for (String line : Files.readAllLines(file)) {
        number++;
        String content = line.replaceFirst("#.*", "").strip();
        if (!content.isEmpty()) {
          String where = file.getFileName() + " line " + number;
          users.add(arrival(TraceLine.parse(content, where), where));
        }
      }
      return new Script(users);
    } catch (IOException e) {
      throw new BadInputException("Cannot read the script " + file + ": " + e.getMessage());
    }
  }

  private static Arrival arrival(TraceLine line, String where) {
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

  private static SystemSpec system(Map<String, String> header, String name) {
    for (String key : header.keySet()) {
      if (!List.of("algorithm", "tree", "rule", "policy", "graph").contains(key)) {
        throw new BadInputException(
            name
                + " has a line that begins with \""
                + key
                + "\": above the dashes go algorithm, tree, rule, policy, graph and enter");
      }
    }
    String algorithm = header.get("algorithm");
    String tree = header.get("tree");
    if (algorithm == null || tree == null) {
      throw new BadInputException(
          name + " is no whole trace: it must name an algorithm and a tree above the dashes");
    }
    Tree parsed = Tree.parse(tree);
    String graph = header.get("graph");
    SystemSpec spec =
        new SystemSpec(
            Catalogue.find(algorithm).name(),
            parsed,
            header.getOrDefault("rule", Catalogue.find(algorithm).rule()),
            header.getOrDefault("policy", "fifo"),
            graph == null ? null : PhysicalGraph.parse(graph, parsed.nodes()));
    spec.validate();
    return spec;
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    comments.forEach(comment -> text.append("# ").append(comment).append('\n'));
    text.append("algorithm ").append(system.algorithm()).append('\n');
    if (Catalogue.find(system.algorithm()).takesRule()) {
      text.append("rule ").append(system.rule()).append('\n');
    }
    if (!system.policy().equals("fifo")) {
      text.append("policy ").append(system.policy()).append('\n');
    }
    text.append("tree ").append(system.tree()).append('\n');
    if (system.graph() != null) {
      text.append("graph ").append(system.graph()).append('\n');
    }
    for (Arrival user : script.users()) {
      if (user.time() != 0) {
        text.append('@').append(Ticks.text(user.time())).append(' ');
      }
      text.append("enter ").append(user.node() + 1).append('\n');
    }
    text.append(RULER).append('\n');
    lines.forEach(line -> text.append(line).append('\n'));
    if (violation != null) {
      text.append(VIOLATION).append(violation).append('\n');
    }
    return text.toString();
  }
}
