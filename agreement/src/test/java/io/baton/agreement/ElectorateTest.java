package io.baton.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who should vote next. */
class ElectorateTest {
  private static final Pace PACE = new Pace(100, 250, 500, 2_000);
  private static final long NOW = 10_000;
  private static final Configuration ABC = Configuration.of("a", "b", "c");
  private static final Configuration FIVE = Configuration.of("a", "b", "c", "d", "e");

  private final Hearing hearing = new Hearing(PACE.silence());

  /** Those that are there, and have been for long. */
  private void there(String... ids) {
    for (String id : ids) {
      for (long when = 0; when <= NOW; when += 100) {
        hearing.heard(id, when);
      }
    }
  }

  private Electorate electorate(
      Configuration present, int wanted, List<String> members, String... leaving) {
    return new Electorate(
        present, members, Set.of(leaving), hearing, hearing, "a", wanted, 0, PACE, NOW);
  }

  @Test
  void whereAllAreThereNothingChanges() {
    there("b", "c", "d");
    assertThat(electorate(ABC, 3, List.of("a", "b", "c", "d")).next()).isNull();
  }

  @Test
  void aVoterThatIsAwayForLongIsExchangedForOneThatHasBeenThereAsLong() {
    there("b", "d");
    hearing.heard("e", NOW);
    assertThat(electorate(ABC, 3, List.of("a", "b", "e", "d")).next())
        .isEqualTo(Configuration.of("a", "b", "d"));
    assertThat(electorate(ABC, 3, List.of("a", "b", "e")).next()).as("e has just come").isNull();
  }

  @Test
  void nobodyIsExchangedWhereTooFewWouldBeThere() {
    there("d"); // of a, b and c this one alone is there
    assertThat(electorate(ABC, 3, List.of("a", "d")).next())
        .as("a and d are two of three")
        .isNotNull();
    assertThat(electorate(FIVE, 5, List.of("a", "f")).next()).isNull();
  }

  @Test
  void thereAreAsManyVotersAsWantedAndAnOddNumberOfThem() {
    there("b", "c", "d", "e");
    List<String> all = List.of("a", "b", "c", "d", "e");
    Configuration one = Configuration.of("a");
    assertThat(electorate(one, 5, all).next()).isEqualTo(FIVE);
    assertThat(electorate(one, 3, all).next()).isEqualTo(ABC);
    assertThat(electorate(one, 5, List.of("a", "b", "c", "d")).next()).isEqualTo(ABC);
    assertThat(electorate(one, 5, List.of("a", "b")).next()).isNull();
    assertThat(electorate(FIVE, 3, all).next()).isEqualTo(ABC);
  }

  @Test
  void whoLeavesIsExchangedAtOnceAndLetGoWhereNobodyCanVoteInItsPlace() {
    there("b", "c", "d");
    Electorate four = electorate(ABC, 3, List.of("a", "b", "c", "d"), "b");
    assertThat(four.next()).isEqualTo(Configuration.of("a", "c", "d"));
    assertThat(four.releases("b")).isFalse();
    Electorate three = electorate(ABC, 3, List.of("a", "b", "c"), "b");
    assertThat(three.next()).isNull();
    assertThat(three.releases("b")).isTrue();
    assertThat(electorate(Configuration.of("a"), 3, List.of("a", "b"), "a").next())
        .as("the only voter leaves")
        .isEqualTo(Configuration.of("b"));
  }

  @Test
  void whereTwoLeaveThreeOfFiveStayButNeverWithOneThatIsAway() {
    there("b", "c", "d", "e");
    List<String> all = List.of("a", "b", "c", "d", "e");
    assertThat(electorate(FIVE, 5, all, "d", "e").next()).isEqualTo(ABC);
    Hearing withoutB = new Hearing(PACE.silence());
    for (String id : List.of("c", "d", "e")) {
      withoutB.heard(id, NOW);
    }
    Electorate one =
        new Electorate(FIVE, all, Set.of("d", "e"), withoutB, withoutB, "a", 5, 0, PACE, NOW);
    assertThat(one.next()).as("b goes, not both").isEqualTo(Configuration.of("a", "c", "e"));
  }
}
