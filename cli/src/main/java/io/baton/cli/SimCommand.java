package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.TextFiles;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.FreshEach;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Trace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton sim}: simulated runs, measured. */
@Command(
    name = "sim",
    sortOptions = false,
    description = {"Run an algorithm in virtual time and measure it.", ""},
    footer = {
      "",
      "Synchronisation delay: from one exit to the next entry while somebody waits. Jain's index:",
      "1 where all nodes entered equally often. Longest bypass: the most requests made later that",
      "were served before one.",
      "",
      "Examples:",
      "  baton sim --algorithm naimi-trehel --nodes 32",
      "  baton sim --algorithm all --nodes 16 --graph random",
      "  baton sim --algorithm raymond --nodes 15 --workload fresh-each",
      "  baton sim --algorithm general --rule short-cut --graph grid --nodes 36 --runs 10"
    })
final class SimCommand extends Reporting {
  private static final String ALL = "all";

  @Mixin private final SystemOptions system = new SystemOptions();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many nodes. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      defaultValue = "1",
      description = "Decides all that is random; the same seed gives the same bytes. Default: 1.")
  private long seed;

  @Option(
      names = "--runs",
      paramLabel = "COUNT",
      defaultValue = "1",
      description = "Runs as many seeds, from --seed on, and gives 95 %% confidence intervals.")
  private int runs;

  @Mixin private final RunOptions options = new RunOptions();

  @Option(
      names = "--check",
      paramLabel = "HOW",
      defaultValue = "auto",
      description =
          "When to check the invariants: every (after every event), off, or auto (every event up"
              + " to 64 nodes, beyond that every N events). Default: auto.")
  private String check = "auto";

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Writes every step to a file that 'baton replay' plays.")
  private @Nullable Path trace;

  private @Nullable Trace recordedTrace;

  @Override
  public Integer call() {
    if (runs < 1) {
      throw new BadInputException(runs + " runs cannot be: take 1 or more");
    }
    if (trace != null) {
      TextFiles.requireWritable(trace);
    }
    if (system.name().equals(ALL)) {
      return compare();
    }
    SystemSpec first = SystemSpec.of(system.wish(nodes, Faults.parse(options.faults)), seed);
    return options.users.isFreshEach() ? freshEach(first) : simulate();
  }

  /** Every algorithm that is not here to be broken, on the same workload. */
  private int compare() {
    if (runs > 1 || trace != null || options.users.isFreshEach()) {
      throw new BadInputException("all goes with neither --runs, --trace nor fresh-each");
    }
    Comparison comparison = new Comparison();
    String tree = system.tree;
    for (Catalogue.Entry entry : Catalogue.entries()) {
      if (!entry.flawed() && !(entry.timed() && system.graph != null)) { // hops take longer than δ
        system.algorithm = entry.name();
        boolean overGraph = tree == null && system.graph != null && entry.tree();
        system.tree = overGraph ? entry.defaultTree() : tree;
        SystemSpec spec = SystemSpec.of(system.wish(nodes, Faults.parse(options.faults)), seed);
        RunConfig config = options.config(seed, nodes, true, checking());
        comparison.add(entry.name(), run(new Experiment(spec, config)));
      }
    }
    out().print(json ? Json.text(comparison.json()) + "\n" : comparison.text());
    out().flush();
    return comparison.held() ? Main.HELD : Main.BROKEN;
  }

  private Checking checking() {
    return switch (check) {
      case "auto" -> Checking.AUTO;
      case "every" -> Checking.EVERY_EVENT;
      case "off" -> Checking.OFF;
      default ->
          throw new BadInputException("There is no --check " + check + ": take every, off or auto");
    };
  }

  private int freshEach(SystemSpec first) {
    if (runs > 1 || trace != null) {
      throw new BadInputException("fresh-each goes with neither --runs nor --trace");
    }
    RunConfig config =
        options.config(seed, nodes, Catalogue.find(system.name()).timed(), checking());
    Experiment experiment = new Experiment(first, config);
    FreshEach result;
    try (Progress progress = new Progress(err(), "nodes", nodes)) {
      result =
          FreshEach.run(
              Catalogue.build(first, experiment.chooser()),
              first.graph(),
              config,
              progress::update);
    }
    FreshEachReport report = new FreshEachReport(first, config, result);
    out().print(json ? Json.text(report.json()) + "\n" : report.text());
    out().flush();
    return exitCode(result.violation());
  }

  private int simulate() {
    List<RunResult> results = new ArrayList<>();
    SimReport report = null;
    Violation violation = null;
    for (int run = 0; run < runs && violation == null; run++) {
      SystemSpec spec = SystemSpec.of(system.wish(nodes, Faults.parse(options.faults)), seed + run);
      RunConfig config =
          options.config(seed + run, nodes, Catalogue.find(system.name()).timed(), checking());
      RunResult result = run(new Experiment(spec, config));
      results.add(result);
      violation = result.violation();
      report = report == null ? new SimReport(spec, config, results) : report;
    }
    if (report != null) {
      out().print(json ? Json.text(report.json()) + "\n" : report.text());
      out().flush();
    }
    if (trace != null && recordedTrace != null) {
      TextFiles.write(trace, recordedTrace.toString());
    }
    return exitCode(violation);
  }

  private RunResult run(Experiment experiment) {
    if (trace != null) {
      if (runs > 1) {
        throw new BadInputException("--trace writes one run: leave --runs away");
      }
      Experiment.Recorded recorded = experiment.record(Catalogue::build);
      Violation violation = recorded.result().violation();
      recordedTrace =
          Trace.of(experiment.system(), recorded.recorder().lines(), violation)
              .saying("Recorded with seed " + seed + ".");
      return recorded.result();
    }
    try (Progress progress =
        new Progress(err(), "critical sections", experiment.config().criticalSections())) {
      return progress.isShown()
          ? experiment.run(Catalogue::build, new Counter(progress))
          : experiment.run(Catalogue::build);
    }
  }

  private static int exitCode(@Nullable Violation violation) {
    return violation == null ? Main.HELD : Main.BROKEN;
  }
}
