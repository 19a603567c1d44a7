package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Settings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    assertThat(Voters.hurriedSilence(settings)).isGreaterThan(longestElection);
  }

  /** Four voters are one too many, whoever else is there; of two, one is half. */
  @ParameterizedTest
  @CsvSource({
    "3, 4, 0, true",
    "3, 4, 1, true",
    "3, 3, 0, false",
    "3, 2, 0, false",
    "1, 2, 0, false",
    "5, 4, 0, true",
    "5, 4, 1, false",
    "1, 3, 0, true",
  })
  void aVoterThatIsGoneIsLeftOverWhereFewerAreWanted(
      int wished, int voters, int candidates, boolean leftOver) {
    assertThat(Voters.isOneLeftOver(wished, voters, candidates)).isEqualTo(leftOver);
  }
}
