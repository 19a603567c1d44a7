package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Workload;
import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.trace.Trace;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that say who wants to enter when, and for how long. */
final class WorkloadOptions {
  static final String FRESH_EACH = "fresh-each";
  private static final long DEFAULT_REQUESTS = 1000;

  @Option(
      names = "--workload",
      completionCandidates = Candidates.Workloads.class,
      paramLabel = "WORKLOAD",
      defaultValue = "closed",
      description = {
        "Who asks when:",
        "closed      every node thinks, asks, holds, and again",
        "open        users come at random moments to random nodes",
        "hotspot     as open, most of them to a few hot nodes",
        "fresh-each  for each node in turn a fresh system and one request",
        "FILE        a script of lines such as '@2.5 enter 8'",
        "Default: ${DEFAULT-VALUE}."
      })
  String workload = "closed";

  @Option(
      names = "--critical-sections",
      paramLabel = "COUNT",
      description =
          "How many requests are made before the run drains. Default: 1000; all of a script.")
  @Nullable Long criticalSections;

  @Option(
      names = "--think",
      paramLabel = "DIST",
      description =
          "closed: the time between two requests of a node. A distribution is const:0.5,"
              + " uniform:0.5..1.5, exp:20 (mean) or lognormal:1,0.5 (median, sigma)."
              + " Default: exp:20.")
  @Nullable String think;

  @Option(
      names = "--hold",
      paramLabel = "DIST",
      defaultValue = "const:0.5",
      description = "The time in the critical section. Default: ${DEFAULT-VALUE}.")
  String hold = "const:0.5";

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      description =
          "open, hotspot: requests per unit of time in the whole system." + " Default: 0.1.")
  @Nullable Double rate;

  @Option(
      names = "--hot-nodes",
      paramLabel = "COUNT",
      description = "hotspot: how many nodes are hot. Default: a tenth of them.")
  @Nullable Integer hotNodes;

  @Option(
      names = "--hot-share",
      paramLabel = "SHARE",
      description = "hotspot: the share of requests at hot nodes. Default: 0.9.")
  @Nullable Double hotShare;

  boolean isFreshEach() {
    return workload.equals(FRESH_EACH);
  }

  Workload workload(int nodes) {
    boolean hotspot = workload.equals("hotspot");
    refuseUnless(workload.equals("closed"), "--think", think, "closed");
    refuseUnless(hotspot || workload.equals("open"), "--rate", rate, "open and hotspot");
    refuseUnless(hotspot, "--hot-nodes", hotNodes, "hotspot");
    refuseUnless(hotspot, "--hot-share", hotShare, "hotspot");
    double perUnit = rate == null ? 0.1 : rate;
    return switch (workload) {
      case FRESH_EACH -> {
        refuseUnless(false, "--critical-sections", criticalSections, "the other workloads");
        yield new Script(List.of()); // each node's request is its own run
      }
      case "closed" -> new Workload.Closed(Distribution.parse(think == null ? "exp:20" : think));
      case "open" -> new Workload.Open(perUnit, 0, 0);
      case "hotspot" ->
          new Workload.Open(perUnit, hotNodes(nodes), hotShare == null ? 0.9 : hotShare);
      default -> Trace.readScript(Path.of(workload));
    };
  }

  private static void refuseUnless(
      boolean fits, String option, @Nullable Object value, String where) {
    if (value != null && !fits) {
      throw new BadInputException(option + " goes with " + where + ": leave it away");
    }
  }

  long requests(Workload workload) {
    if (criticalSections != null) {
      return criticalSections;
    }
    return workload instanceof Script ? workload.limit() : DEFAULT_REQUESTS;
  }

  private int hotNodes(int nodes) {
    int hot = hotNodes == null ? (nodes + 9) / 10 : hotNodes;
    if (hot < 1 || hot > nodes) {
      throw new BadInputException(hot + " hot nodes cannot be: take 1 to " + nodes);
    }
    return hot;
  }
}
