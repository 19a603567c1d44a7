package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Settings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VotersTest {
  private static final long SECOND = 1_000_000_000L;

  /** A leader speaks to each voter at least once in half of the shortest election. */
  @ParameterizedTest
  @ValueSource(longs = {1, 5, 30, 300, 3600})
  void aSoundVoterIsNotTakenToBeSilentHoweverLongTheLease(long lease) {
    Settings settings = Settings.ofSecond(lease * SECOND / 5);
    long longestElection = 2 * Voters.election(settings).toNanos();
    assertThat(Voters.silence(settings)).isGreaterThan(5 * longestElection);
  }
}
