package io.baton.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Cluster.Told;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What those see who only try, by every rule, where nothing goes wrong. */
class AttemptsTest {
  private static final int SIZE = 5;

  private static List<String> outcomes(List<Told> callers) {
    return callers.stream().map(told -> String.join(" ", told.told)).toList();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aFreeLockIsWonWhereverItsTokenIs(Way way) {
    Cluster cluster = way.cluster(SIZE);
    String lock = cluster.lockAt(1);
    for (int round = 0; round < 3; round++) {
      for (int k = SIZE; k >= 1; k--) {
        Told told = cluster.attempt(k, lock);
        assertThat(told.told).containsExactly("granted");
        cluster.release(k, lock, told);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void ofAllThatTryAtOnceOneWins(Way way) {
    for (int first = 1; first <= SIZE; first++) {
      Cluster cluster = way.cluster(SIZE);
      String lock = cluster.lockAt(1);
      for (int round = 0; round < 3; round++) {
        List<Told> callers = new ArrayList<>();
        for (int k = 0; k < SIZE; k++) {
          Told told = new Told();
          callers.add(told);
          cluster.member((first + k) % SIZE + 1).attempt(lock, told, cluster.now);
        }
        cluster.settle();
        assertThat(outcomes(callers)).containsOnlyOnce("granted").contains("refused").hasSize(SIZE);
        int winner = outcomes(callers).indexOf("granted");
        cluster.release((first + winner) % SIZE + 1, lock, callers.get(winner));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whileItIsHeldEverybodyElseIsRefusedAndTheTokenStays(Way way) {
    for (int holding = 1; holding <= SIZE; holding++) {
      Cluster cluster = way.cluster(SIZE);
      String lock = cluster.lockAt(1);
      Told holder = cluster.acquire(holding, lock);
      for (int k = 1; k <= SIZE; k++) {
        assertThat(cluster.attempt(k, lock).told).containsExactly("refused");
      }
      cluster.letters.clear();
      cluster.release(holding, lock, holder);
      assertThat(cluster.letters).as("nobody waits").isEmpty();
      assertThat(cluster.acquire(holding, lock).told).containsExactly("granted");
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whileSomebodyWaitsForItElsewhereItIsRefused(Way way) {
    Cluster cluster = way.cluster(SIZE);
    String lock = cluster.lockAt(1);
    Told holder = cluster.acquire(2, lock);
    Told waiter = cluster.acquire(3, lock);
    for (int k = 1; k <= SIZE; k++) {
      assertThat(cluster.attempt(k, lock).told).containsExactly("refused");
    }
    cluster.release(2, lock, holder);
    assertThat(waiter.told).as("a failed attempt costs nobody a turn").containsExactly("granted");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aWishThatWasGivenUpIsBeforeNobody(Way way) {
    for (int quitting = 1; quitting <= SIZE; quitting++) {
      for (int trying = 1; trying <= SIZE; trying++) {
        Cluster cluster = way.cluster(SIZE);
        String lock = cluster.lockAt(1);
        Told holder = cluster.acquire(2, lock);
        cluster.release(quitting, lock, cluster.acquire(quitting, lock)); // it waits, and gives up
        if (quitting != 2) {
          assertThat(cluster.attempt(trying, lock).told).containsExactly("refused");
        }
        cluster.release(2, lock, holder);
        assertThat(cluster.attempt(trying, lock).told).containsExactly("granted");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whoWaitsAfterOneThatTriesIsServedAfterIt(Way way) {
    Cluster cluster = way.cluster(SIZE);
    String lock = cluster.lockAt(1);
    Told holder = cluster.acquire(1, lock);
    Told trying = new Told();
    Told waiting = new Told();
    cluster.member(4).attempt(lock, trying, cluster.now);
    cluster.member(4).acquire(lock, waiting, cluster.now);
    cluster.settle();
    assertThat(trying.told).containsExactly("refused");
    assertThat(waiting.told).isEmpty();
    cluster.release(1, lock, holder);
    assertThat(waiting.told).containsExactly("granted");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whoIsNotAnsweredGivesUpAfterAFifthOfALease(Way way) {
    Cluster cluster = way.cluster(SIZE);
    String lock = cluster.lockAt(1);
    Told holder = cluster.acquire(1, lock);
    assertThat(holder.told).containsExactly("granted");
    cluster.members.remove("m1");
    Told told = new Told();
    cluster.member(4).attempt(lock, told, cluster.now);
    assertThat(told.told).isEmpty();
    cluster.pass(Cluster.SECOND - 1);
    assertThat(told.told).isEmpty();
    cluster.pass(1);
    assertThat(told.told).containsExactly("refused");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aFailedAttemptCostsFewLettersAndNoTurn(Way way) {
    long letters = 0;
    int attempts = 0;
    int most = 0;
    for (int holding = 1; holding <= SIZE; holding++) {
      for (int trying : IntStream.rangeClosed(1, SIZE).toArray()) {
        Cluster cluster = way.cluster(SIZE);
        String lock = cluster.lockAt(1);
        Told holder = cluster.acquire(holding, lock);
        assertThat(holder.told).containsExactly("granted");
        cluster.letters.clear();
        assertThat(cluster.attempt(trying, lock).told).containsExactly("refused");
        assertThat(cluster.letters)
            .as("the token does not move")
            .noneMatch(letter -> letter.contains("token"));
        letters += cluster.letters.size();
        most = Math.max(most, cluster.letters.size());
        attempts++;
      }
    }
    String costs = "%.2f, %d".formatted((double) letters / attempts, most);
    assertThat(costs)
        .as("letters on average, and at most, as docs/ARCHITECTURE.md has them")
        .isEqualTo(
            switch (way) {
              case NAIMI_TREHEL -> "2.08, 3";
              case RAYMOND -> "2.88, 6";
              case CENTRALIZED -> "2.56, 4";
              case OPEN_CUBE -> "2.44, 5";
            });
  }
}
