package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Samples;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton growth}: how the cost of a critical section grows with the number of nodes. */
@Command(
    name = "growth",
    sortOptions = false,
    description = {
      "Measure messages per critical section, mean and max, as the number of nodes doubles, under"
          + " light load (one request at a time, at random nodes) and saturated (all nodes ask"
          + " again at once). Every node asks twice on average, so that the tree has left its"
          + " initial shape.",
      ""
    },
    footer = {"", "Example:  baton growth --to 12"})
final class GrowthCommand extends Reporting {
  @Option(
      names = "--algorithms",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "open-cube,naimi-trehel,raymond,centralized",
      description = "Which algorithms, with commas. Default: ${DEFAULT-VALUE}.")
  private List<String> algorithms = List.of();

  @Option(
      names = "--from",
      paramLabel = "P",
      defaultValue = "3",
      description = "The first size is 2^P nodes. Default: ${DEFAULT-VALUE}.")
  private int from;

  @Option(
      names = "--to",
      paramLabel = "P",
      defaultValue = "16",
      description = "The last size is 2^P nodes, at most 20. Default: ${DEFAULT-VALUE}.")
  private int to;

  private enum Load {
    LIGHT,
    SATURATED;

    /** Light: on average one request in a hundred units, whatever the number of nodes. */
    private String think(int nodes) {
      return this == LIGHT ? "exp:" + Math.min(100L * nodes, 1_000_000_000L) : "const:0";
    }

    private String title() {
      return this == LIGHT ? "light load" : "saturated";
    }
  }

  @Override
  public Integer call() {
    if (from < 0 || to > 20 || from > to) {
      throw new BadInputException(
          "--from " + from + " --to " + to + " is no range: take powers from 0 to 20");
    }
    algorithms.forEach(Catalogue::find);
    PrintWriter out = out();
    List<Map<String, Object>> rows = new ArrayList<>();
    int violations = 0;
    for (Load load : Load.values()) {
      Table table = new Table(header(load));
      for (int power = from; power <= to; power++) {
        int nodes = 1 << power;
        List<String> cells = new ArrayList<>(List.of("2^" + power + " nodes"));
        for (String algorithm : algorithms) {
          RunResult result = run(algorithm, nodes, load);
          Samples cost = result.measures().messagesPerCs();
          violations += result.violations();
          cells.add(Numbers.text(cost.mean()));
          cells.add(Long.toString(cost.max()));
          rows.add(row(algorithm, nodes, load, cost));
        }
        table.row(cells.toArray());
      }
      if (!json) {
        out.println(table);
        out.flush();
      }
    }
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("rows", rows);
      object.put("violations", violations);
      out.println(Json.text(object));
    }
    out.flush();
    return violations == 0 ? Main.HELD : Main.BROKEN;
  }

  private String[] header(Load load) {
    List<String> header = new ArrayList<>(List.of(load.title()));
    for (String algorithm : algorithms) {
      header.add(algorithm);
      header.add("max");
    }
    return header.toArray(new String[0]);
  }

  private RunResult run(String algorithm, int nodes, Load load) {
    long criticalSections = Math.max(10_000, 2L * nodes);
    RunConfig config =
        new RunConfig(
            1,
            new Workload.Closed(Distribution.parse(load.think(nodes))),
            criticalSections,
            Distribution.parse("const:0.1"),
            Delay.parse("uniform:0.5..1.5"),
            false,
            Faults.NONE,
            Checking.OFF);
    SystemSpec system = SystemSpec.of(SystemSpec.Wish.of(algorithm, nodes), 1);
    String what = "critical sections, " + algorithm + " " + load.title() + " " + nodes + " nodes";
    try (Progress progress = new Progress(err(), what, criticalSections)) {
      return progress.isShown()
          ? new Experiment(system, config).run(Catalogue::build, new Counter(progress))
          : new Experiment(system, config).run(Catalogue::build);
    }
  }

  private static Map<String, Object> row(String algorithm, int nodes, Load load, Samples cost) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("algorithm", algorithm);
    row.put("nodes", nodes);
    row.put("load", load.title());
    row.put("criticalSections", cost.size());
    row.put("mean", Numbers.exact(cost.mean()));
    row.put("max", cost.max());
    return row;
  }
}
