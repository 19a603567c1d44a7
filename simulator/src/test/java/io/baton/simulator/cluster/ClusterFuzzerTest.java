package io.baton.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole members under faults. */
class ClusterFuzzerTest {
  @Test
  void hundredsOfSeedsBreakNoPromise() {
    assertClean(new ClusterFuzzer(2, 7).run(1, 800, done -> {}));
  }

  @Test
  void largeClustersBreakNoPromiseEither() {
    assertClean(new ClusterFuzzer(8, 33).run(1, 60, done -> {}));
  }

  private static void assertClean(ClusterFuzzer.Outcome outcome) {
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
    assertThat(outcome.grants()).isGreaterThan(10 * outcome.seeds());
    assertThat(outcome.losses()).isPositive();
  }

  @Test
  void aSeedGivesTheSameRunToTheByte() {
    for (long seed = 1; seed <= 20; seed++) {
      assertThat(journal(seed)).isNotEmpty().isEqualTo(journal(seed));
    }
  }

  @Test
  void withoutFaultsAndLoansThatStayMembersSendWhatThePlainAlgorithmSends() {
    long mirrored = 0;
    for (long seed = 1; seed <= 200; seed++) {
      Case plain = Case.plain(new Case.Frame(2, 12), seed);
      ClusterResult result = new World(plain, Journal.NONE, new Mirror(plain)).run();
      assertThat(result.violation()).as("seed %d", seed).isNull();
      mirrored += result.mirrored();
    }
    assertThat(mirrored).isGreaterThan(20_000);
  }

  /** Promise 3, with a lease of 5 s; an election takes up to a second more. */
  @Test
  void afterTheDeathOfAHolderTheNextGrantComesWithinALeaseAndASecond() {
    for (int members : new int[] {3, 5, 9}) {
      for (String rule : RuleTrial.rules()) {
        RuleTrial trial = RuleTrial.of(rule, members, 7L * members);
        assertThat(trial.slowest()).as("%s, %d members", rule, members).isBetween(3.0, 7.0);
        assertThat(trial.change()).isLessThanOrEqualTo(2.0 * (members - 1));
      }
    }
  }

  private static List<String> journal(long seed) {
    List<String> lines = new ArrayList<>();
    new World(Case.of(new Case.Frame(3, 7), seed), new Journal(lines::add)).run();
    return lines;
  }
}
