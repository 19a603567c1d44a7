package io.baton.simulator.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.simulator.BadInputException;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FuzzerTest {
  static List<String> algorithms() {
    return Catalogue.entries().stream()
        .filter(entry -> !entry.flawed())
        .map(Catalogue.Entry::name)
        .toList();
  }

  private static Fuzzer.Outcome fuzz(String algorithm, String faults, long from, long to) {
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of(algorithm, 16), 1, 16, Faults.parse(faults));
    return new Fuzzer(frame, Catalogue::build).run(from, to, seeds -> {});
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void hundredsOfSeedsBreakNothing(String algorithm) {
    Fuzzer.Outcome outcome = fuzz(algorithm, "none", 1, 500);
    assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
    assertThat(outcome.seeds()).isEqualTo(500);
  }

  @ParameterizedTest
  @CsvSource({
    "naimi-trehel, loss=0.05, every request is granted in the end",
    "raymond, loss=0.05, every request is granted in the end",
    "centralized, duplicate=0.3, at most one token",
    "naimi-trehel, duplicate=0.3, only who asked is granted",
  })
  void anUnreliableChannelBreaksThePapersAssumptionsAndAPromise(
      String algorithm, String faults, String invariant) {
    Fuzzer.Outcome outcome = fuzz(algorithm, faults, 1, 60);
    assertThat(outcome.failures()).isPositive();
    assertThat(outcome.first()).isNotNull();
    Trace trace = outcome.first().trace();
    assertThat(trace.lines()).hasSizeLessThan(20);
    Replay replay = Replay.of(Trace.parse(trace.toString(), "trace"), Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.violation()).extracting(Violation::invariant).isEqualTo(invariant);
  }

  @Test
  void aFlawedAlgorithmIsFoundOut() {
    Fuzzer.Outcome outcome = fuzz("open-cube-listing", "none", 1, 50);
    assertThat(outcome.failures()).isPositive();
    assertThat(outcome.first()).isNotNull();
    assertThat(Replay.of(outcome.first().trace(), Catalogue::build).mismatch()).isNull();
  }

  @Test
  void aRuleThatDoesNotFitSomeSeedIsRefusedNotAFailure() {
    SystemSpec.Wish wish = new SystemSpec.Wish("general", 9, null, "proxies:9", null, null);
    Fuzzer fuzzer = new Fuzzer(new FuzzCases.Frame(wish, 2, 9, Faults.NONE), Catalogue::build);
    assertThatThrownBy(() -> fuzzer.run(1, 50, seeds -> {}))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("no node");
  }

  @Test
  void aRequestDearerThanItsBoundIsFoundMadeShortAndReplayed() {
    Catalogue.Builder strict =
        (spec, chooser) -> {
          LockSystem system = Catalogue.build(spec, chooser);
          return new LockSystem(
              system.size(), system.nodes(), system.invariants(), system.safety(), 3, null);
        };
    FuzzCases.Frame frame =
        new FuzzCases.Frame(SystemSpec.Wish.of("raymond", 8), 6, 8, Faults.NONE);
    Fuzzer.Outcome outcome = new Fuzzer(frame, strict).run(1, 20, seeds -> {});
    assertThat(outcome.first()).isNotNull();
    assertThat(outcome.first().violation().invariant()).isEqualTo("messages per request");
    assertThat(outcome.first().trace().lines()).hasSizeLessThan(12);
    assertThat(Replay.of(outcome.first().trace(), strict).mismatch()).isNull();
  }

  @Test
  void theOutcomeDependsOnTheSeedsAlone() {
    Fuzzer.Outcome one = fuzz("general", "all=0.02", 1, 40);
    Fuzzer.Outcome other = fuzz("general", "all=0.02", 1, 40);
    assertThat(one.failures()).isEqualTo(other.failures()).isPositive();
    assertThat(String.valueOf(one.first())).isEqualTo(String.valueOf(other.first()));
  }
}
