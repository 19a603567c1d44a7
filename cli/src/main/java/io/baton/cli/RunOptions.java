package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.Workload;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that say how to run a system. */
final class RunOptions {
  @Mixin final WorkloadOptions users = new WorkloadOptions();

  @Option(
      names = "--delay",
      paramLabel = "DIST",
      description =
          "The time a message takes; per-link:DIST draws it once for each link."
              + " Default: uniform:0.5..1.5; where time is counted in δ, uniform:0..1.")
  @Nullable String delay;

  @Option(
      names = "--channel",
      completionCandidates = Candidates.Channels.class,
      paramLabel = "CHANNEL",
      defaultValue = "overtaking",
      description = "overtaking, or fifo: messages keep their order. Default: overtaking.")
  String channel = "overtaking";

  @Option(
      names = "--faults",
      paramLabel = "FAULTS",
      defaultValue = "none",
      description =
          "What goes wrong: none, all, or a list of loss=P and duplicate=P (probability for a"
              + " message), crash=P (for a crash after a step), burst=S (the share of nodes that"
              + " crash together), every=T (one crash each T) and recover=T (mean time down); for"
              + " network also cut=P and mend=T (channels fail and come back), leave=P (a node is"
              + " removed) and absent=S (the share of nodes and channels that come later); for ring"
              + " suspect=P (a live node is taken for dead). Without a value P is 0.01 (leave 0.003),"
              + " S 0.25, and T 100 for every, else 10. The algorithms of the general scheme assume"
              + " none. Default: none.")
  String faults = "none";

  RunConfig config(long seed, int nodes, boolean timed, Checking checking) {
    Workload workload = users.workload(nodes);
    return new RunConfig(
        seed,
        workload,
        users.requests(workload),
        Distribution.parse(users.hold),
        Delay.parse(delay != null ? delay : timed ? "uniform:0..1" : "uniform:0.5..1.5"),
        isFifo(channel),
        Faults.parse(faults),
        checking);
  }

  static boolean isFifo(String channel) {
    return switch (channel) {
      case "fifo" -> true;
      case "overtaking" -> false;
      default ->
          throw new BadInputException(
              "There is no channel \"" + channel + "\": take overtaking or fifo");
    };
  }
}
