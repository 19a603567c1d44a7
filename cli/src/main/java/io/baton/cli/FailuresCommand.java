package io.baton.cli;

import io.baton.algorithms.OpenCube;
import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RepairCost;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Samples;
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

/** {@code baton failures}: what a failure costs. */
@Command(
    name = "failures",
    sortOptions = false,
    description = {
      "Repeat the experiment of [OC] §6: a random node crashes, comes back half a cycle later, and"
          + " at the end of the cycle the next one crashes. Measures the messages that a failure"
          + " costs: all that are neither request nor token, and the requests that are sent again."
          + " The load is the number of requests in half a cycle, at random moments and nodes.",
      ""
    },
    footer = {
      "",
      "A cell says: mean | median. Half a cycle lasts 50·⌈log2 N⌉ times δ; messages take up to δ, critical",
      "sections δ/2. A run that breaks a promise (open-cube-literal does) counts up to its last grant,",
      "then another one goes on; the number of broken runs stands beside.",
      "",
      "Examples:",
      "  baton failures",
      "  baton failures --nodes 32 --failures 300 --loads 1,4"
    })
final class FailuresCommand extends Reporting {
  @Option(
      names = "--nodes",
      paramLabel = "N",
      split = ",",
      defaultValue = "8,16,32,64,128,256,512,1024",
      description = "How many nodes, with commas. Default: ${DEFAULT-VALUE}.")
  private List<Integer> sizes = List.of();

  @Option(
      names = "--loads",
      paramLabel = "L",
      split = ",",
      defaultValue = "1,4,16",
      description = "Requests in half a cycle, with commas. Default: ${DEFAULT-VALUE}.")
  private List<Integer> loads = List.of();

  @Option(
      names = "--failures",
      paramLabel = "COUNT",
      defaultValue = "300",
      description = "How many nodes crash, one after the other. Default: ${DEFAULT-VALUE}.")
  private int failures;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      defaultValue = "1",
      description = "Decides all that is random. Default: ${DEFAULT-VALUE}.")
  private long seed;

  private static final List<String> ALGORITHMS = List.of("open-cube-literal", "open-cube-ft");

  /** What came out for one algorithm, size and load. */
  private record Cost(String algorithm, int nodes, int load, RepairTotal total) {
    double perFailure() {
      return total.failures == 0 ? 0 : (double) total.messages / total.failures;
    }

    String text() {
      String text = Numbers.text(perFailure()) + " | " + total.cycles.percentile(50);
      return total.broken == 0 ? text : text + " (" + total.broken + " broken)";
    }

    Map<String, Object> json() {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("algorithm", algorithm);
      row.put("nodes", nodes);
      row.put("load", load);
      row.put("failures", total.failures);
      row.put("messagesPerFailure", Numbers.exact(perFailure()));
      row.put("median", total.cycles.percentile(50));
      row.put("ofTheseCensus", Numbers.exact((double) total.census / total.failures));
      row.put("brokenRuns", total.broken);
      return row;
    }
  }

  private static final class RepairTotal {
    long failures;
    long messages;
    long census;
    final Samples cycles = new Samples();
    int broken;
  }

  @Override
  public Integer call() {
    if (failures < 1 || loads.stream().anyMatch(load -> load < 1)) {
      throw new BadInputException("--failures and --loads are numbers from 1 on");
    }
    for (int nodes : sizes) {
      Tree.requireNodes(nodes);
      if (nodes < 2) {
        throw new BadInputException("One node alone cannot fail and be missed: take 2 or more");
      }
    }
    List<Map<String, Object>> rows = new ArrayList<>();
    for (String algorithm : ALGORITHMS) {
      Table table = new Table(header(algorithm));
      for (int nodes : sizes) {
        List<Object> cells = new ArrayList<>(List.of(nodes, OpenCube.pmax(nodes)));
        for (int load : loads) {
          Cost cost = new Cost(algorithm, nodes, load, measure(algorithm, nodes, load));
          rows.add(cost.json());
          cells.add(cost.text());
        }
        table.row(cells.toArray());
      }
      if (!json) {
        out().println(table);
        out().flush();
      }
    }
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("rows", rows);
      out().println(Json.text(object));
    }
    out().flush();
    return Main.HELD;
  }

  private String[] header(String algorithm) {
    List<String> header = new ArrayList<>(List.of(algorithm + ", N", "log2 N"));
    loads.forEach(load -> header.add(load == 1 ? "load 1" : Integer.toString(load)));
    return header.toArray(new String[0]);
  }

  private RepairTotal measure(String algorithm, int nodes, int load) {
    RepairTotal total = new RepairTotal();
    String what = "failures, " + algorithm + " " + nodes + " nodes, load " + load;
    try (Progress progress = new Progress(err(), what, failures)) {
      for (long run = seed; total.failures < failures; run++) {
        RepairCost cost = new RepairCost();
        RunResult result =
            experiment(algorithm, nodes, load, failures - total.failures, run)
                .run(Catalogue::build, cost);
        RepairCost.Count count = result.violation() == null ? cost.atTheEnd() : cost.atLastGrant();
        total.failures += count.failures();
        total.messages += count.messages();
        total.census += count.census();
        total.cycles.addAll(cost.cycles());
        total.broken += result.violations();
        progress.update(total.failures);
      }
    }
    return total;
  }

  private static Experiment experiment(
      String algorithm, int nodes, int load, long failures, long seed) {
    double half = 50.0 * OpenCube.pmax(nodes);
    return new Experiment(
        SystemSpec.of(SystemSpec.Wish.of(algorithm, nodes), seed),
        new RunConfig(
            seed,
            new Workload.Open(load / half, 0, 0),
            2L * load * failures + load, // a little more, so that the last failure is felt
            Distribution.parse("const:0.5"),
            Delay.parse("uniform:0..1"),
            false,
            Faults.NONE.with(Faults.Kind.EVERY, 2 * half).with(Faults.Kind.RECOVER, half),
            Checking.OFF));
  }
}
