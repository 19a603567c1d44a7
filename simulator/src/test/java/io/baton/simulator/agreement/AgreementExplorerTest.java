package io.baton.simulator.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every schedule of a few voters, and long ones of more. */
class AgreementExplorerTest {
  private static final long WALKS = 3_000;

  static Stream<String> whole() {
    return Exploring.WHOLE.keySet().stream().sorted();
  }

  static Stream<String> large() {
    return Exploring.LARGE.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("whole")
  void noScheduleBreaksAPromise(String bounds) {
    Outcome outcome = Exploring.explore(bounds);
    assertThat(outcome.broken()).as("%s", outcome.trace()).isNull();
    assertThat(outcome.complete()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("large")
  void noLongWalkBreaksAPromise(String bounds) {
    Outcome outcome = Exploring.walk(bounds, 1, WALKS);
    assertThat(outcome.broken()).as("%s", outcome.trace()).isNull();
  }
}
