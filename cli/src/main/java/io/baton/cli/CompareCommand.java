package io.baton.cli;

import io.baton.simulator.Experiment;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Distribution.Constant;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Measures;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.SystemSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code baton compare}: the algorithms beside each other. */
@Command(
    name = "compare",
    description = "Compare all algorithms under light and heavy load, every event checked.")
final class CompareCommand extends Reporting {
  private static final int NODES = 32;
  private static final int CRITICAL_SECTIONS = 2000;
  private static final List<Load> LOADS =
      List.of(new Load("light", "exp:2000"), new Load("heavy", "exp:5"));

  private record Load(String name, String think) {}

  @Override
  public Integer call() {
    PrintWriter out = out();
    List<Map<String, Object>> rows = new ArrayList<>();
    int violations = 0;
    if (!json) {
      out.printf(
          "%d nodes; %d critical sections for each row; a message takes 0.5 to 1.5, a critical"
              + " section 0.5.%n",
          NODES, CRITICAL_SECTIONS);
      out.println("Light load: a node thinks for 2000 between two requests; heavy: for 5.");
      out.println("Every invariant of the papers is checked after every event.");
    }
    for (Load load : LOADS) {
      Table table =
          new Table(
              load.name() + " load",
              "messages/CS",
              "max",
              "bound",
              "wait",
              "hand-over",
              "bypass",
              "violations");
      for (SystemSpec system : systems()) {
        RunResult result = new Experiment(system, config(load)).run(Catalogue::build);
        Measures m = result.measures();
        violations += result.violations();
        table.row(
            name(system),
            Numbers.text(m.messagesPerCs().mean()),
            m.messagesPerCs().max(),
            Catalogue.build(system, Chooser.FIRST).cost().most(),
            Numbers.time(m.waiting().mean()),
            Numbers.time(m.synchronisation().mean()),
            m.longestBypass(),
            result.violations());
        rows.add(row(load, system, result));
        if (result.violation() != null && !json) {
          out.println(name(system) + " breaks " + result.violation());
        }
      }
      if (!json) {
        out.println();
        out.print(table);
      }
    }
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("nodes", NODES);
      object.put("rows", rows);
      object.put("violations", violations);
      out.println(Json.text(object));
    } else {
      out.println();
      out.println("bound: what theory allows one request at most.");
      out.println("hand-over: from one exit to the next entry while somebody waits.");
      out.println("bypass: the most requests made later that were served before one.");
      out.println("Next: baton algorithms, baton sim --help, baton check --help");
    }
    out.flush();
    return violations == 0 ? Main.HELD : Main.BROKEN;
  }

  /** Every algorithm that works whatever messages take, and the scheme under its other rules. */
  private static List<SystemSpec> systems() {
    List<SystemSpec> systems = new ArrayList<>();
    for (Catalogue.Entry entry : Catalogue.entries()) {
      if (!entry.flawed() && !entry.timed()) {
        systems.add(SystemSpec.of(SystemSpec.Wish.of(entry.name(), NODES), 1));
      }
    }
    systems.add(
        SystemSpec.of(
            new SystemSpec.Wish("general", NODES, null, "short-cut", null, "small-world"), 1));
    systems.add(
        SystemSpec.of(new SystemSpec.Wish("general", NODES, null, "gateways", null, null), 1));
    return systems;
  }

  private static String name(SystemSpec system) {
    boolean general = system.algorithm().equals("general");
    String graph = system.graph() == null ? "" : " (small world, a delay per hop)";
    return system.algorithm()
        + (general ? ", " + system.rule().replaceFirst(":.*", "") : "")
        + graph;
  }

  private static RunConfig config(Load load) {
    return new RunConfig(
        1,
        new Workload.Closed(Distribution.parse(load.think())),
        CRITICAL_SECTIONS,
        new Constant(Ticks.PER_UNIT / 2),
        Delay.parse("uniform:0.5..1.5"),
        false,
        Faults.NONE,
        RunConfig.Checking.EVERY_EVENT);
  }

  private static Map<String, Object> row(Load load, SystemSpec system, RunResult result) {
    Measures m = result.measures();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("algorithm", system.algorithm());
    row.put("rule", system.rule());
    row.put("load", load.name());
    row.put("criticalSections", m.criticalSections());
    row.put("messages", m.messages());
    row.put("messagesPerCsMean", Numbers.exact(m.messagesPerCs().mean()));
    row.put("messagesPerCsMax", m.messagesPerCs().max());
    row.put("waitingTime", Numbers.exact(Ticks.units(m.waiting().mean())));
    row.put("synchronisationDelay", Numbers.exact(Ticks.units(m.synchronisation().mean())));
    row.put("longestBypass", m.longestBypass());
    row.put("violations", result.violations());
    return row;
  }
}
