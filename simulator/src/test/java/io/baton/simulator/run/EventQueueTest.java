package io.baton.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.simulator.random.Generator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private record Planned(long time, int order) {}

  @Test
  void stepsComeOutByTimeAndThenByArrival() {
    for (int seed = 0; seed < 50; seed++) {
      Generator generator = new Generator(seed);
      EventQueue queue = new EventQueue();
      List<Planned> planned = new ArrayList<>();
      List<Planned> taken = new ArrayList<>();
      int order = 0;
      while (taken.size() < 500) {
        if (order < 500 && (queue.isEmpty() || generator.nextBoolean(0.55))) {
          long span = 1L << generator.nextInt(40);
          long time = queue.present() + generator.nextLong(span); // often equal to another
          queue.add(time, new Step.Exit(order));
          planned.add(new Planned(time, order++));
        } else {
          Step step = queue.take();
          taken.add(new Planned(queue.present(), step.node()));
        }
      }
      // Time never goes back, so the order of taking is the order of all.
      planned.sort(Comparator.comparing(Planned::time).thenComparing(Planned::order));
      assertThat(taken).as("seed " + seed).isEqualTo(planned);
    }
  }

  @Test
  void whatIsTakenOutNeverComes() {
    EventQueue queue = new EventQueue();
    for (int k = 0; k < 1000; k++) {
      queue.add(k * 7919L % 1000, new Step.Exit(k));
    }
    queue.take();
    queue.removeIf(step -> step.node() % 3 == 0);
    List<Integer> nodes = new ArrayList<>();
    while (!queue.isEmpty()) {
      nodes.add(queue.take().node());
    }
    assertThat(nodes).hasSize(666).noneMatch(node -> node % 3 == 0);
  }

  @Test
  void thePastIsRefused() {
    EventQueue queue = new EventQueue();
    queue.add(5, new Step.Exit(0));
    queue.take();
    assertThatThrownBy(() -> queue.add(4, new Step.Exit(0)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
