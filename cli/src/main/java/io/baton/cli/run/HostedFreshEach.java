package io.baton.cli.run;

import io.baton.simulator.run.FreshEach;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Samples;
import io.baton.simulator.run.Violation;
import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.system.LockSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * The workload {@code fresh-each} in real processes: every node in turn asks once, then all begin
 * anew. The processes and their channels stay; all that a request could leave behind is in the
 * algorithms, and these are new.
 */
public final class HostedFreshEach {
  private HostedFreshEach() {}

  /**
   * Runs all nodes' requests.
   *
   * @param progress is told how many nodes are done
   */
  public static FreshEach run(Fleet fleet, RunConfig config, long patience, LongConsumer progress) {
    LockSystem system = fleet.system();
    List<Long> perNode = new ArrayList<>();
    Samples total = new Samples();
    Violation violation = null;
    for (int node = 0; node < system.size() && violation == null; node++) {
      RunConfig single = single(config, node);
      RunResult result = HostedRun.run(fleet, single, List.of(), patience, exits -> {}).result();
      violation = result.violation();
      if (violation == null) {
        perNode.add(result.measures().messages());
        total.add(result.measures().messages());
        fleet.renew();
      }
      progress.accept(node + 1L);
    }
    IntToLongFunction cost = system.freshCost();
    Long theory = cost == null ? null : IntStream.range(0, system.size()).mapToLong(cost).sum();
    return new FreshEach(total, theory, List.copyOf(perNode), violation);
  }

  private static RunConfig single(RunConfig config, int node) {
    return new RunConfig(
        config.seed(),
        new Script(List.of(new Script.Arrival(0, node))),
        1,
        config.hold(),
        config.delay(),
        config.fifo(),
        config.faults(),
        config.checking());
  }
}
