package io.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.random.Distribution;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.SystemSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FleetTest {
  private static final long PATIENCE_SECONDS = 30;

  @Test
  void aProcessThatEndsByItselfIsReported() {
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("raymond", 3), 1);
    RunConfig config =
        new RunConfig(
            1,
            new Workload.Closed(Distribution.parse("exp:5")),
            100_000,
            Distribution.parse("const:0.5"),
            Delay.parse("const:0"),
            true,
            Faults.NONE,
            RunConfig.Checking.FROM_OUTSIDE);
    try (Fleet fleet = Fleet.start(spec, Catalogue.build(spec, Chooser.FIRST), 1, 100)) {
      fleet.child(1).process().destroyForcibly();
      HostedRun.Outcome outcome =
          HostedRun.run(fleet, config, List.of(), PATIENCE_SECONDS, exits -> {});
      assertThat(String.valueOf(outcome.result().violation()))
          .isEqualTo("no process ends by itself: that of node 2 did, with exit code 137");
    }
    assertThat(ProcessHandle.current().children()).isEmpty();
  }
}
