package io.baton.cli;

import io.baton.algorithms.SchemeInvariants;
import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton late}: what happens when messages take longer than δ. */
@Command(
    name = "late",
    sortOptions = false,
    description = {
      "Let messages take longer than δ, which [OC] §5 takes for impossible, and count the runs in"
          + " which two tokens arise (or a request is never granted), with and without crashes."
          + " Delays are uniform from 0 to a multiple of δ; --runs seeds of 1000 requests each.",
      ""
    },
    footer = {"", "Example:  baton late --nodes 16 --runs 100"})
final class LateCommand extends Reporting {
  private static final List<String> DELAYS = List.of("1", "1.1", "1.25", "1.5", "2", "3", "5");
  private static final List<String> FAULTS = List.of("none", "every=200,recover=100");

  private static final List<String> LIVENESS =
      List.of(Violation.LIVENESS, SchemeInvariants.ONE_TREE.name());

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many nodes. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--runs",
      paramLabel = "COUNT",
      defaultValue = "200",
      description = "How many seeds for each delay. Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--think",
      paramLabel = "DIST",
      defaultValue = "exp:200",
      description = "The time between two requests of a node. Default: ${DEFAULT-VALUE}.")
  private String think = "exp:200";

  @Override
  public Integer call() {
    Tree.requireNodes(nodes);
    if (runs < 1) {
      throw new BadInputException(runs + " runs cannot be: take 1 or more");
    }
    Distribution thinking = Distribution.parse(think);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (String faults : FAULTS) {
      Table table =
          new Table(
              "delays up to, " + (faults.equals("none") ? "no crashes" : "crashes"),
              "runs",
              "two tokens",
              "stuck");
      for (String delay : DELAYS) {
        Broken broken = measure(faults, delay, thinking);
        rows.add(json(faults, delay, broken));
        table.row(delay + " δ", runs, broken.unsafe(), broken.stuck());
      }
      if (!json) {
        out().println(table);
        out().flush();
      }
    }
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("algorithm", "open-cube-ft");
      object.put("nodes", nodes);
      object.put("rows", rows);
      out().println(Json.text(object));
    }
    out().flush();
    return Main.HELD;
  }

  /** Runs that broke a promise. */
  private record Broken(int unsafe, int stuck) {}

  private Broken measure(String faults, String delay, Distribution thinking) {
    int unsafe = 0;
    int stuck = 0;
    try (Progress progress = new Progress(err(), "runs, delays up to " + delay + " δ", runs)) {
      for (int seed = 1; seed <= runs; seed++) {
        RunConfig config =
            new RunConfig(
                seed,
                new Workload.Closed(thinking),
                1000,
                Distribution.parse("const:0.5"),
                Delay.parse("uniform:0.." + delay),
                false,
                Faults.parse(faults),
                Checking.EVERY_EVENT);
        SystemSpec system = SystemSpec.of(SystemSpec.Wish.of("open-cube-ft", nodes), seed);
        RunResult result = new Experiment(system, config).run(Catalogue::build);
        Violation violation = result.violation();
        boolean isStuck = violation != null && LIVENESS.contains(violation.invariant());
        unsafe += violation != null && !isStuck ? 1 : 0;
        stuck += isStuck ? 1 : 0;
        progress.update(seed);
      }
    }
    return new Broken(unsafe, stuck);
  }

  private Map<String, Object> json(String faults, String delay, Broken broken) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("faults", faults);
    row.put("delay", delay);
    row.put("runs", runs);
    row.put("unsafe", broken.unsafe());
    row.put("stuck", broken.stuck());
    return row;
  }
}
