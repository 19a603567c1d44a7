package io.baton.simulator.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.baton.simulator.BadInputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorTest {
  @Test
  void aSeedGivesTheSameNumbersOnEveryMachine() {
    Generator generator = new Generator(42);
    assertThat(generator.nextLong()).isEqualTo(1546998764402558742L);
    assertThat(generator.nextLong()).isEqualTo(6990951692964543102L);
    assertThat(generator.nextInt(1000)).isEqualTo(504);
    assertThat(Generator.of(42, "delay").nextLong())
        .isNotEqualTo(Generator.of(42, "hold").nextLong());
  }

  @Test
  void everyNumberBelowABoundComesUpAboutAsOften() {
    Generator generator = new Generator(1);
    int[] counts = new int[7];
    for (int k = 0; k < 70_000; k++) {
      counts[generator.nextInt(7)]++;
    }
    for (int count : counts) {
      assertThat(count).isBetween(9_600, 10_400);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "const:0.5, 0.5",
    "uniform:0.5..1.5, 1",
    "exp:20, 20",
    "'lognormal:1,0.5', 1.1331", // median times exp(sigma squared / 2)
  })
  void aDistributionHasItsMean(String text, double mean) {
    Distribution distribution = Distribution.parse(text);
    Generator generator = new Generator(7);
    double sum = 0;
    for (int k = 0; k < 100_000; k++) {
      long ticks = distribution.sample(generator);
      assertThat(ticks).isNotNegative();
      sum += Ticks.units((double) ticks);
    }
    assertThat(sum / 100_000).isCloseTo(mean, within(0.02 * mean));
    assertThat(distribution).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "const",
        "const:",
        "const:-1",
        "const:x",
        "uniform:2..1",
        "uniform:1",
        "exp:NaN",
        "lognormal:1",
        "lognormal:1,-2",
        "normal:1",
        "const:1e99"
      })
  void whatIsNoDistributionIsRefused(String text) {
    assertThatThrownBy(() -> Distribution.parse(text))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("const:0.5");
  }
}
