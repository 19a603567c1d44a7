package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.TextFiles;
import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Trace;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton check}: every schedule of a small system. */
@Command(
    name = "check",
    sortOptions = false,
    description = {
      "Explore every schedule of a small system: every order of messages, every coming and going,"
          + " every behaviour that the rule leaves open. Shows a shortest trace to the first broken"
          + " promise. --tree all begins from every tree whose root is node 1. Where time is counted"
          + " in δ it is discrete: messages and critical sections take 0 or δ, alarms ring when they"
          + " are due, users and faults come at any multiple of δ.",
      ""
    },
    footer = {
      "",
      "Exit code 3: gave up before all was visited (--max-states, or the heap: BATON_JAVA_OPTS=-Xmx8g).",
      "",
      "Examples:",
      "  baton check --algorithm general --nodes 3 --requests 2",
      "  baton check --algorithm general --nodes 4 --requests 1 --tree all",
      "  baton check --algorithm open-cube-ft --nodes 2 --crashes 1 --recoveries 1"
    })
final class CheckCommand extends Reporting {
  @Mixin private final SystemOptions system = new SystemOptions();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many nodes; few. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--requests",
      paramLabel = "R",
      defaultValue = "1",
      description = "How often each node asks. Default: ${DEFAULT-VALUE}.")
  private int requests;

  @Option(
      names = "--askers",
      paramLabel = "NODE",
      split = ",",
      description = "Which nodes ask, with commas. Default: all.")
  private List<Integer> askers = List.of();

  @Option(
      names = "--crashes",
      paramLabel = "C",
      defaultValue = "0",
      description = "How often some node may crash, at any moment. Default: ${DEFAULT-VALUE}.")
  private int crashes;

  @Option(
      names = "--recoveries",
      paramLabel = "C",
      defaultValue = "0",
      description = "How often some node may come back. Default: ${DEFAULT-VALUE}.")
  private int recoveries;

  @Option(
      names = "--channel",
      completionCandidates = Candidates.Channels.class,
      paramLabel = "CHANNEL",
      defaultValue = "overtaking",
      description = "overtaking, or fifo: messages keep their order. Default: overtaking.")
  private String channel = "overtaking";

  @Option(
      names = "--max-states",
      paramLabel = "COUNT",
      defaultValue = "20000000",
      description = "Gives up beyond that many states of one tree. Default: ${DEFAULT-VALUE}.")
  private long maxStates;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Writes the trace to the first broken promise to a file.")
  private @Nullable Path traceFile;

  @Override
  public Integer call() {
    if (requests < 1 || maxStates < 1) {
      throw new BadInputException(
          (requests < 1 ? requests + " requests" : maxStates + " states")
              + " cannot be: take 1 or more");
    }
    if (crashes < 0 || recoveries < 0) {
      throw new BadInputException("Crashes and recoveries are 0 or more");
    }
    if (recoveries > 0 && !Catalogue.find(system.name()).timed()) {
      throw new BadInputException(
          system.name() + " cannot bring a node back: leave --recoveries out");
    }
    if (askers.stream().anyMatch(node -> node < 1 || node > nodes)) {
      throw new BadInputException("--askers takes nodes from 1 to " + nodes);
    }
    if (traceFile != null) {
      TextFiles.requireWritable(traceFile);
    }
    boolean fifo = RunOptions.isFifo(channel);
    List<SystemSpec> specs = specs();
    if (crashes > 0 && Catalogue.build(specs.get(0), Chooser.FIRST).channels() != null) {
      throw new BadInputException(
          system.name() + " crashes in sim and fuzz only: leave --crashes out");
    }
    long states = 0;
    long transitions = 0;
    boolean complete = true;
    Exploration last = null;
    for (SystemSpec one : specs) {
      try (Progress progress = new Progress(err(), "states", 0)) {
        long before = states;
        last =
            new Explorer(one, Catalogue::build, this::requestsOf, fifo, crashes, recoveries)
                .run(maxStates, count -> progress.update(before + count));
      }
      states += last.states();
      transitions += last.transitions();
      complete &= last.complete();
      if (last.violation() != null) {
        break;
      }
    }
    Violation violation = last == null ? null : last.violation();
    Trace trace = last == null ? null : last.trace();
    report(specs, states, transitions, complete, violation, trace);
    if (trace != null && traceFile != null) {
      TextFiles.write(traceFile, trace.toString());
    }
    return violation != null ? Main.BROKEN : complete ? Main.HELD : Main.INCOMPLETE;
  }

  private int requestsOf(int node) {
    return askers.isEmpty() || askers.contains(node + 1) ? requests : 0;
  }

  private List<SystemSpec> specs() {
    if (!"all".equals(system.tree)) {
      return List.of(SystemSpec.of(system.wish(nodes, Faults.NONE), 1));
    }
    system.tree = null;
    return SystemSpec.onAllTrees(system.wish(nodes, Faults.NONE), 1);
  }

  private void report(
      List<SystemSpec> specs,
      long states,
      long transitions,
      boolean complete,
      @Nullable Violation violation,
      @Nullable Trace trace) {
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("algorithm", specs.get(0).algorithm());
      object.put("rule", specs.get(0).rule());
      object.put("policy", specs.get(0).policy());
      object.put("nodes", nodes);
      object.put("requests", requests);
      if (!askers.isEmpty()) {
        object.put("askers", askers);
      }
      object.put("crashes", crashes);
      object.put("recoveries", recoveries);
      object.put("channel", channel);
      object.put("trees", specs.size());
      object.put("states", states);
      object.put("transitions", transitions);
      object.put("complete", complete);
      object.put("violations", violation == null ? 0 : 1);
      if (violation != null && trace != null) {
        object.put("violation", violation.toString());
        object.put("trace", trace.toString().lines().toList());
      }
      out().println(Json.text(object));
      return;
    }
    out()
        .printf(
            "%s, %s each%s%s%s%s%n",
            SimReport.title(specs.get(0)),
            Numbers.count(requests, "request"),
            askers.isEmpty() ? "" : " of nodes " + askers,
            crashes == 0 ? "" : ", " + Numbers.count(crashes, "crash", "crashes"),
            recoveries == 0 ? "" : ", " + Numbers.count(recoveries, "recovery", "recoveries"),
            specs.size() == 1 ? "" : ", from each of " + specs.size() + " trees");
    StringBuilder text = new StringBuilder();
    SimReport.line(text, "states", Long.toString(states));
    SimReport.line(text, "transitions", Long.toString(transitions));
    SimReport.line(
        text,
        "complete",
        complete
            ? "yes"
            : violation == null ? "no: --max-states or memory" : "no: stopped at the violation");
    SimReport.line(text, "violations", violation == null ? "0" : "1: " + violation);
    out().print(text);
    if (trace != null) {
      out().println("\nA shortest trace (--trace FILE writes it for replay):\n");
      out().print(trace);
    }
    out().flush();
  }
}
