package io.baton.simulator.run;

import io.baton.simulator.random.Generator;
import io.baton.simulator.system.PhysicalGraph;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When a message arrives. */
final class Channels {
  private final RunConfig config;
  private final @Nullable PhysicalGraph graph;
  private final Generator generator;
  private final Map<Long, Long> lastArrivals = new HashMap<>(); // looked up, never iterated

  Channels(RunConfig config, @Nullable PhysicalGraph graph) {
    this.config = config;
    this.graph = graph;
    this.generator = Generator.of(config.seed(), "delay");
  }

  /** The time at which a message sent now will arrive. Over a graph it takes a delay per hop. */
  long arrival(int from, int to, long now) {
    long delay = config.delay().sample(from, to, config.seed(), generator);
    long arrival = now + delay * hops(from, to);
    if (config.fifo()) {
      long channel = ((long) from << 32) | to;
      arrival = Math.max(arrival, lastArrivals.getOrDefault(channel, 0L));
      lastArrivals.put(channel, arrival);
    }
    return arrival;
  }

  int hops(int from, int to) {
    return graph == null ? 1 : graph.hops(from, to);
  }
}
