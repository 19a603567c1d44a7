package io.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.SystemSpec.Wish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SetupTest {
  private static SystemSpec system(String algorithm, int nodes, @Nullable String graph) {
    return SystemSpec.of(new Wish(algorithm, nodes, null, null, null, graph), 1);
  }

  @Test
  void theProcessesOfANetworkHaveChannelsToTheirNeighboursAndToNobodyElse() {
    assertThat(Setup.peers(system("network", 9, "grid"), 0)).containsExactlyInAnyOrder(1, 3);
    assertThat(Setup.peers(system("network", 9, "grid"), 4)).containsExactlyInAnyOrder(1, 3, 5, 7);
    assertThat(Setup.peers(system("network", 5, "ring"), 0)).containsExactlyInAnyOrder(1, 4);
  }

  @Test
  void onARingTheyHaveThemToThoseBesideThemAndOnATreeToAll() {
    assertThat(Setup.peers(system("ring", 5, null), 2)).containsExactlyInAnyOrder(1, 3);
    assertThat(Setup.peers(system("naimi-trehel", 4, null), 2)).containsExactlyInAnyOrder(0, 1, 3);
  }
}
