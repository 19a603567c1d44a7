package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaderlessTest {
  private final Leaderless leaderless = new Leaderless(10);

  private List<Integer> due(int from, int to) {
    List<Integer> due = new ArrayList<>();
    for (int now = from; now <= to; now++) {
      if (leaderless.isDue(true, now)) {
        due.add(now);
      }
    }
    return due;
  }

  @Test
  void whereOpeningTheLogAgainDoesNotHelpItIsDoneMoreAndMoreSeldom() {
    assertThat(due(0, 100)).containsExactly(11, 33, 75);
  }

  @Test
  void oneThatIsElectedBeginsItAnew() {
    assertThat(due(0, 9)).isEmpty();
    assertThat(leaderless.isDue(false, 10)).isFalse();
    assertThat(due(11, 40)).containsExactly(22);
    assertThat(leaderless.isDue(false, 41)).isFalse();
    assertThat(due(42, 54)).containsExactly(53);
  }
}
