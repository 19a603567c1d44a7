package io.baton.simulator.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import org.junit.jupiter.api.Test;

class ExplorerTest {
  @Test
  void x() {
    for (int[] c : new int[][] {{2, 1}, {3, 1}, {3, 2}, {4, 1}}) {
      for (String pol : new String[] {"fifo", "any"})
        for (String t : new String[] {"star", "line", "binary"}) {
          SystemSpec spec =
              SystemSpec.of(new SystemSpec.Wish("general", c[0], t, null, pol, null), 1);
          long t0 = System.nanoTime();
          Exploration e =
              new Explorer(spec, Catalogue::build, c[1], false).run(10_000_000, n -> {});
          System.out.println(
              c[0]
                  + " "
                  + c[1]
                  + " "
                  + t
                  + " "
                  + e.states()
                  + " "
                  + e.transitions()
                  + " "
                  + e.complete()
                  + " "
                  + e.violation()
                  + " "
                  + (System.nanoTime() - t0) / 1000000
                  + " ms");
          assertThat(e.violation()).isNull();
        }
    }
  }
}
