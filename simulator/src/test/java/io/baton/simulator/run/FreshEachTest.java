package io.baton.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One request in a fresh system costs what theory says, exactly. */
class FreshEachTest {
  private static FreshEach run(String algorithm, int nodes, String tree) {
    RunConfig config =
        new RunConfig(
            1,
            new Workload.Script(List.of()),
            0,
            Distribution.parse("const:1"),
            Delay.parse("const:1"),
            false,
            Faults.NONE,
            Checking.AUTO);
    SystemSpec spec =
        SystemSpec.of(new SystemSpec.Wish(algorithm, nodes, tree, null, null, null), 1);
    return FreshEach.run(Catalogue.build(spec, options -> 0), null, config, done -> {});
  }

  @Test
  void centralizedOnAStarCostsRequestTokenAndReturn() {
    assertThat(run("centralized", 4, "star").perNode()).containsExactly(0L, 3L, 3L, 3L);
  }

  @Test
  void centralizedOnALineCostsBothWaysAndOneReturn() {
    assertThat(run("centralized", 4, "line").perNode()).containsExactly(0L, 3L, 5L, 7L);
  }

  @Test
  void naimiTrehelCostsThePathAndOneToken() {
    assertThat(run("naimi-trehel", 4, "line").perNode()).containsExactly(0L, 2L, 3L, 4L);
  }

  @Test
  void theOpenCubeCostsItsClosedFormForEveryPowerOfTwo() {
    long alpha = 2;
    for (int p = 1; p <= 12; p++) {
      FreshEach result = run("open-cube", 1 << p, "cube");
      assertThat(result.violation()).isNull();
      assertThat(result.total().sum()).as("p = " + p).isEqualTo(alpha);
      assertThat(result.theory()).isEqualTo(alpha);
      assertThat(result.total().max()).isLessThanOrEqualTo(p + 2);
      alpha = 2 * alpha + p + 3L * (1 << (p - 1));
    }
  }

  @Test
  void theOpenCubeCostsItsTheoryForAnyNAndAnyRoot() {
    for (int nodes = 1; nodes <= 40; nodes++) {
      FreshEach result = run("open-cube", nodes, "cube:" + (1 + nodes * 2 / 3 % nodes));
      assertThat(result.violation()).isNull();
      assertThat(result.theory()).isEqualTo(result.total().sum());
    }
  }

  @Test
  void raymondCostsThePathBothWays() {
    FreshEach result = run("raymond", 15, "binary");
    assertThat(result.perNode())
        .containsExactly(0L, 2L, 2L, 4L, 4L, 4L, 4L, 6L, 6L, 6L, 6L, 6L, 6L, 6L, 6L);
    assertThat(result.total().sum()).isEqualTo(68);
    assertThat(result.violation()).isNull();
  }
}
