package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is said of voters that are away. */
class MissingVotersTest {
  private static final long SECOND = 1_000_000_000L;
  private static final List<String> FIVE = List.of("a", "b", "c", "d", "e");

  private final MissingVoters missing = new MissingVoters("a", 5 * SECOND);

  @Test
  void aVoterThatIsAwayForLongIsNamedOnceWithHowManyMoreMayFail() {
    Set<String> there = Set.of("c", "d", "e");
    assertThat(missing.look(FIVE, there, SECOND)).isEmpty();
    assertThat(missing.look(FIVE, there, 5 * SECOND)).isEmpty();
    assertThat(missing.look(FIVE, there, 6 * SECOND))
        .containsExactly("Voter b is not connected, for 5 s by now: of 5 voters one more may fail");
    assertThat(missing.look(FIVE, there, 9 * SECOND)).isEmpty();
    assertThat(missing.look(FIVE, Set.of("d", "e"), 10 * SECOND)).isEmpty();
    assertThat(missing.look(FIVE, Set.of("d", "e"), 15 * SECOND))
        .containsExactly("Voter c is not connected, for 5 s by now: of 5 voters no more may fail");
    missing.look(FIVE, Set.of("e"), 16 * SECOND);
    assertThat(missing.look(FIVE, Set.of("e"), 21 * SECOND))
        .containsExactly(
            "Voter d is not connected, for 5 s by now: with 2 of 5 voters there is no majority");
  }

  @Test
  void oneThatIsBackOrVotesNoMoreIsSaidToBeSo() {
    missing.look(FIVE, Set.of("d", "e"), 0);
    assertThat(missing.look(FIVE, Set.of("d", "e"), 5 * SECOND)).hasSize(2);
    assertThat(missing.look(List.of("a", "b", "d"), Set.of("b", "d", "e"), 6 * SECOND))
        .containsExactly("Voter b is back", "Voter c votes no more");
    assertThat(missing.look(List.of("a", "b", "d"), Set.of("b", "d"), 60 * SECOND)).isEmpty();
  }

  @Test
  void whoIsAwayForAMomentOnlyIsNotMentioned() {
    for (long k = 0; k < 10; k++) {
      assertThat(missing.look(List.of("a", "b", "c"), Set.of("c"), 4 * k * SECOND)).isEmpty();
      assertThat(missing.look(List.of("a", "b", "c"), Set.of("b", "c"), (4 * k + 1) * SECOND))
          .isEmpty();
    }
  }

  @Test
  void whoDoesNotVoteKnowsNoVotersAndSaysNothing() {
    assertThat(missing.look(List.of(), Set.of(), 0)).isEmpty();
    assertThat(missing.look(List.of(), Set.of(), 60 * SECOND)).isEmpty();
  }
}
