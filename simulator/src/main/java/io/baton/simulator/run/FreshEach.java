package io.baton.simulator.run;

import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.run.Workload.Script.Arrival;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.PhysicalGraph;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The workload {@code fresh-each}: for each node in turn a fresh system and one single request.
 *
 * @param theory what it should cost for all nodes together; null where theory says nothing
 * @param perNode the messages of each node's request, in node order
 * @param violation the first promise broken, or null; then later nodes are missing
 */
public record FreshEach(
    Samples total, @Nullable Long theory, List<Long> perNode, @Nullable Violation violation) {
  /**
   * Runs all nodes' requests.
   *
   * @param config all but the workload counts
   * @param progress is told how many nodes are done
   */
  public static FreshEach run(
      LockSystem system, @Nullable PhysicalGraph graph, RunConfig config, IntConsumer progress) {
    List<Long> perNode = new ArrayList<>();
    Samples total = new Samples();
    Violation violation = null;
    for (int node = 0; node < system.size() && violation == null; node++) {
      Script request = new Script(List.of(new Arrival(0, node)));
      RunConfig single =
          new RunConfig(
              config.seed(),
              request,
              1,
              config.hold(),
              config.delay(),
              config.fifo(),
              config.faults(),
              config.checking());
      RunResult result = new Simulation(system, graph, single).run();
      violation = result.violation();
      if (violation == null) {
        perNode.add(result.measures().messages());
        total.add(result.measures().messages());
      }
      progress.accept(node + 1);
    }
    IntToLongFunction cost = system.freshCost();
    Long theory = cost == null ? null : IntStream.range(0, system.size()).mapToLong(cost).sum();
    return new FreshEach(total, theory, List.copyOf(perNode), violation);
  }
}
