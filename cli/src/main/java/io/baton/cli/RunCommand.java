package io.baton.cli;

import io.baton.cli.run.Blow;
import io.baton.cli.run.Fleet;
import io.baton.cli.run.HostedFreshEach;
import io.baton.cli.run.HostedRun;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.FreshEach;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton run}: an algorithm in real processes. */
@Command(
    name = "run",
    sortOptions = false,
    description = {
      "Run an algorithm for real, one process per node over TCP, and measure it.",
      "",
      "This is the papers' world: reliable channels, and no leases, views or fences. What happens",
      "after a process is killed is what the algorithm itself promises, and nothing more. Channels",
      "lead to everybody, on a ring to those beside a node, in a network to its neighbours.",
      ""
    },
    footer = {
      "",
      "All times are in milliseconds, those of --think, --hold, --rate and scripts included; those",
      "that an algorithm waits (--timeout) are in units of --delta. Messages are counted as by 'sim';",
      "over a --graph their hops are counted, not travelled.",
      "",
      "Examples:",
      "  baton run --algorithm naimi-trehel --nodes 8",
      "  baton run --algorithm network --nodes 9 --graph grid --workload fresh-each",
      "  baton run --algorithm open-cube-ft --nodes 8 --kill 1@300 --restart 1@2000",
      "  baton run --algorithm raymond --nodes 8 --kill 1@300"
    })
final class RunCommand extends Reporting {
  private static final int MOST_NODES = 64;
  private static final long LONGEST_DELTA = 60_000;

  @Mixin private final SystemOptions system = new SystemOptions();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "8",
      description = "How many nodes, each a process. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      defaultValue = "1",
      description = "Decides the system and who asks when; not what the machine does. Default: 1.")
  private long seed;

  @Mixin private final WorkloadOptions users = new WorkloadOptions();

  @Option(
      names = "--delta",
      paramLabel = "MS",
      defaultValue = "100",
      description =
          "What an algorithm that knows a bound on delays takes for it (δ), in milliseconds."
              + " Default: ${DEFAULT-VALUE}.")
  private long delta;

  @Option(
      names = "--kill",
      paramLabel = "NODE@MS",
      description = "Sends SIGKILL to a node's process so long after the beginning. Repeatable.")
  private final List<String> kills = new ArrayList<>();

  @Option(
      names = "--restart",
      paramLabel = "NODE@MS",
      description =
          "Starts a process that was killed again, where the algorithm knows recovery. Repeatable.")
  private final List<String> restarts = new ArrayList<>();

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "Gives up when somebody waits and nobody has entered for so long."
              + " Default: ${DEFAULT-VALUE}.")
  private long limit;

  @Override
  public Integer call() {
    requireRange("--nodes", nodes, 2, MOST_NODES);
    requireRange("--delta", delta, 1, LONGEST_DELTA);
    requireRange("--limit", limit, 1, Integer.MAX_VALUE);
    List<Blow> blows = Blow.parse(kills, restarts, nodes);
    Faults world = blows.isEmpty() ? Faults.NONE : Faults.NONE.with(Faults.Kind.CRASH, 1);
    SystemSpec spec = SystemSpec.of(system.wish(nodes, world), seed);
    Blow.requireOffered(blows, spec);
    RunConfig config = config();
    HostedRun.requireRequests(config);
    if (users.isFreshEach() && !blows.isEmpty()) {
      throw new BadInputException("fresh-each goes with neither --kill nor --restart");
    }
    LockSystem locks = Catalogue.build(spec, Chooser.FIRST);
    try (Fleet fleet = Fleet.start(spec, locks, seed, delta)) {
      return users.isFreshEach() ? freshEach(fleet, spec, config) : run(fleet, spec, config, blows);
    }
  }

  private static void requireRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new BadInputException(
          option + " " + value + " cannot be: take " + least + " to " + most);
    }
  }

  private RunConfig config() {
    Workload workload = users.workload(nodes);
    return new RunConfig(
        seed,
        workload,
        users.requests(workload),
        Distribution.parse(users.hold),
        Delay.parse("const:0"), // TCP decides
        true,
        Faults.NONE,
        Checking.FROM_OUTSIDE);
  }

  private int freshEach(Fleet fleet, SystemSpec spec, RunConfig config) {
    FreshEach result;
    try (Progress progress = new Progress(err(), "nodes", nodes)) {
      result = HostedFreshEach.run(fleet, config, limit, progress::update);
    }
    FreshEachReport report = new FreshEachReport(spec, config, result);
    print(report.text(), report.json());
    return exitCode(result.violation());
  }

  private int run(Fleet fleet, SystemSpec spec, RunConfig config, List<Blow> blows) {
    HostedRun.Outcome outcome;
    try (Progress progress = new Progress(err(), "critical sections", config.criticalSections())) {
      outcome = HostedRun.run(fleet, config, blows, limit, progress::update);
    }
    SimReport report = new SimReport(spec, config, List.of(outcome.result()));
    StringBuilder text = new StringBuilder(report.text());
    SimReport.line(text, "processes", nodes + ", all times in milliseconds, δ " + delta);
    Map<String, Object> object = new LinkedHashMap<>(report.json());
    Object time = object.remove("virtualTime");
    object.put("delay", "tcp");
    object.put("realTime", time == null ? 0 : time);
    object.put("unit", "ms");
    object.put("delta", delta);
    object.put("kills", kills);
    object.put("restarts", restarts);
    if (!kills.isEmpty()) {
      SimReport.line(text, "killed", String.join(", ", kills));
    }
    if (!restarts.isEmpty()) {
      SimReport.line(text, "started again", String.join(", ", restarts));
    }
    if (!outcome.note().isEmpty()) {
      SimReport.line(text, "note", outcome.note());
      object.put("note", outcome.note());
    }
    print(text.toString(), object);
    return exitCode(outcome.result().violation());
  }

  private void print(String text, Map<String, Object> object) {
    out().print(json ? Json.text(object) + "\n" : text);
    out().flush();
  }

  private static int exitCode(@Nullable Violation violation) {
    return violation == null ? Main.HELD : Main.BROKEN;
  }
}
