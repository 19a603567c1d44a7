package io.baton.simulator.trace;

import io.baton.algorithms.RingSetup;
import io.baton.simulator.BadInputException;
import io.baton.simulator.TextFiles;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.run.Workload.Script.Arrival;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
  static final String RULER = "----";
  static final String VIOLATION = "violation ";
  static final String END = "end";

  /** What happened in a system, without a script. */
  public static Trace of(SystemSpec system, List<TraceLine> lines, @Nullable Violation violation) {
    return new Trace(List.of(), system, new Script(List.of()), List.copyOf(lines), null)
        .with(lines, violation);
  }

  /** The same system and script with other steps. */
  public Trace with(List<TraceLine> steps, @Nullable Violation broken) {
    return new Trace(
        comments, system, script, List.copyOf(steps), broken == null ? null : broken.toString());
  }

  /** The same trace saying something else about itself. */
  public Trace saying(String comment) {
    return new Trace(List.of(comment), system, script, lines, violation);
  }

  /** Whether the steps let the same nodes enter, in the same order, as the script says. */
  boolean stepsFitScript() {
    List<String> enters =
        lines.stream().map(TraceLine::step).filter(step -> step.startsWith("enter ")).toList();
    List<String> scripted =
        script.users().stream()
            .sorted(Comparator.comparing(Arrival::time))
            .map(user -> "enter " + (user.node() + 1))
            .toList();
    return scripted.isEmpty() || scripted.equals(enters);
  }

  /** Reads a trace file. */
  public static Trace read(Path file) {
    return parse(TextFiles.read(file, "trace"), String.valueOf(file.getFileName()));
  }

  /** Reads a trace from text; the name is for what is said about errors. */
  public static Trace parse(String text, String name) {
    return new TraceReader(name).read(text);
  }

  /** Reads a script: lines such as {@code @2.5 enter 8}. */
  public static Script readScript(Path file) {
    if (!Files.exists(file)) {
      throw new BadInputException(
          "\""
              + file
              + "\" is neither a workload nor a file: take closed, open, hotspot, fresh-each or a"
              + " script of lines such as @2.5 enter 8");
    }
    List<Arrival> users = new ArrayList<>();
    int number = 0;
    for (String line : TextFiles.read(file, "script").lines().toList()) {
      number++;
      String content = line.replaceFirst("#.*", "").strip();
      if (!content.isEmpty()) {
        users.add(TraceReader.arrival(content, file.getFileName() + " line " + number));
      }
    }
    return new Script(users);
  }

  private static void appendRing(StringBuilder text, RingSetup ring) {
    text.append("nodes ").append(ring.nodes()).append('\n');
    if (ring.resources() > 1) {
      text.append("resources ").append(ring.resources()).append('\n');
    }
    if (ring.anticlockwise()) {
      text.append("direction anticlockwise\n");
    }
    if (ring.timeout() > 0) {
      text.append("timeout ").append(Ticks.text(ring.timeout())).append('\n');
    }
    if (ring.acks()) {
      text.append("acks yes\n");
    }
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
    Catalogue.Entry entry = Catalogue.find(system.algorithm());
    if (entry.ring()) {
      appendRing(text, system.ring());
    } else if (entry.network()) {
      text.append("nodes ").append(system.nodes()).append('\n');
      text.append("token ").append(system.tree().root() + 1).append('\n');
    } else {
      text.append("tree ").append(system.tree()).append('\n');
    }
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
    return text.append(violation == null ? END : VIOLATION + violation).append('\n').toString();
  }
}
