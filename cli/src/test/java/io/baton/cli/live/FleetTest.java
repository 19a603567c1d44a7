package io.baton.cli.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on this machine. */
@Timeout(180)
class FleetTest {
  private static final int PATIENCE = 60;
  private static final long LEASE = 1_000;

  private static Fleet fleet(Path folder) throws IOException {
    return new Fleet(
        new Fleet.Setup(
            folder,
            Place.onLoopback(3),
            2,
            2,
            500,
            false,
            Map.of("lease", LEASE + "ms", "join-timeout", "60s")));
  }

  private static long grab(Fleet fleet, int member) throws IOException, InterruptedException {
    fleet.order(member, "grab lock-0");
    String held = fleet.await(member, "holds", PATIENCE);
    return Long.parseLong(held.substring(held.lastIndexOf(' ') + 1));
  }

  @Test
  void threeProcessesFormContendSurviveTheDeathOfAHolderAndGoOn(@TempDir Path folder)
      throws IOException, InterruptedException {
    long fence;
    long afterwards;
    try (Fleet fleet = fleet(folder)) {
      fleet.startAll();
      for (int k = 0; k < 3; k++) {
        fleet.await(k, "joined", PATIENCE);
      }
      fence = grab(fleet, 2);
      fleet.kill(2);
      afterwards = grab(fleet, 0); // the next holder, once the lease of the dead one is over
      fleet.order(0, "drop");
      fleet.start(2);
      fleet.await(2, "joined", PATIENCE);
      grab(fleet, 2);
    }
    History history = History.of(folder);
    OptionalLong next = history.nextGrant("lock-0", fence);
    assertThat(history.violations()).isEmpty();
    assertThat(next).isPresent();
    assertThat(afterwards).isGreaterThan(fence);
    assertThat(history.shares()).containsOnlyKeys("member1", "member2", "member3");
    List<String> log = Files.readAllLines(folder.resolve("member1.1.log"));
    assertThat(log).as("members come and go").anyMatch(line -> line.contains("; gone: member3-"));
    assertThat(log).as("nothing per lock").hasSizeLessThan(100).noneMatch(l -> l.contains("lock-"));
    assertThat(history.holds()).hasSizeGreaterThan(100);
  }

  @Test
  void whatIsClosedWhileOthersUseItStartsNothingAnyMore(@TempDir Path folder) throws IOException {
    Fleet fleet = fleet(folder);
    fleet.close();
    assertThatThrownBy(() -> fleet.start(0)).isInstanceOf(IOException.class);
    assertThat(fleet.isRunning(0)).isFalse();
  }
}
