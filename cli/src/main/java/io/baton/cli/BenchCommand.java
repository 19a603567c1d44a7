package io.baton.cli;

import io.baton.simulator.Experiment;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton bench}: how fast and how large the simulator is. */
@Command(
    name = "bench",
    sortOptions = false,
    description = {
      "Measure the simulator itself: messages per second on one core and memory per node; or the"
          + " memory of a member.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  baton bench --algorithm naimi-trehel",
      "  baton bench --locks 1000000"
    })
final class BenchCommand extends Reporting {
  private static final int ENOUGH_NODES = 1 << 17;

  @Mixin private final SystemOptions system = new SystemOptions();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1048576",
      description = "How many nodes. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--critical-sections",
      paramLabel = "COUNT",
      defaultValue = "1000000",
      description = "How many requests. Default: ${DEFAULT-VALUE}.")
  private long criticalSections;

  @Option(
      names = "--think",
      paramLabel = "DIST",
      defaultValue = "exp:2000000",
      description = "The time between two requests of a node. Default: ${DEFAULT-VALUE}.")
  private String think = "exp:2000000";

  @Option(
      names = "--locks",
      paramLabel = "COUNT",
      description = "In place of an algorithm: the memory of a member that has used so many locks.")
  private int locks;

  @Override
  public Integer call() {
    if (locks > 0) {
      return benchLocks();
    }
    SystemSpec one = SystemSpec.of(system.wish(nodes, Faults.NONE), 1);
    RunOptions options = new RunOptions();
    options.users.criticalSections = criticalSections;
    options.users.think = think;
    RunConfig config = options.config(1, nodes, false, Checking.OFF);
    MemoryProbe probe = new MemoryProbe(Math.max(1, criticalSections / 2));
    new Experiment(one, config).run(Catalogue::build, probe);
    long start = System.nanoTime();
    RunResult result = new Experiment(one, config).run(Catalogue::build);
    double seconds = (System.nanoTime() - start) / 1e9;
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("algorithm", one.algorithm());
    object.put("nodes", nodes);
    object.put("criticalSections", result.measures().criticalSections());
    object.put("messages", result.measures().messages());
    object.put("messagesPerCs", Numbers.exact(result.measures().messagesPerCs().mean()));
    object.put("seconds", Numbers.exact(seconds));
    object.put("messagesPerSecond", Math.round(result.measures().messages() / seconds));
    object.put("eventsPerSecond", Math.round(result.events() / seconds));
    if (nodes >= ENOUGH_NODES) { // with fewer the heap's own noise is larger
      object.put("bytesPerNode", probe.bytes() / nodes);
    }
    object.put("maxHeapMiB", Runtime.getRuntime().maxMemory() >> 20);
    object.put("violations", result.violations());
    print(object);
    return result.violations() == 0 ? Main.HELD : Main.BROKEN;
  }

  private int benchLocks() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("locks", locks);
    double bytes = new LockMemory().bytesPerLock(locks);
    object.put("bytesPerLock", Math.round(bytes));
    object.put("mebibytes", Math.round(bytes * locks / (1 << 20)));
    object.put("maxHeapMiB", Runtime.getRuntime().maxMemory() >> 20);
    print(object);
    return Main.HELD;
  }

  private void print(Map<String, Object> object) {
    if (json) {
      out().println(Json.text(object));
    } else {
      StringBuilder text = new StringBuilder();
      object.forEach((name, value) -> SimReport.line(text, name, value.toString()));
      out().print(text);
    }
    out().flush();
  }
}
