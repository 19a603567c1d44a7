package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeldomTest {
  private static final long SECOND = 1_000_000_000L;

  private final Seldom seldom = new Seldom();

  @Test
  void theSameIsSaidOnceAMinuteAndOtherThingsMeanwhile() {
    assertThat(seldom.isDue("a", 0)).isTrue();
    assertThat(seldom.isDue("a", SECOND)).isFalse();
    assertThat(seldom.isDue("b", SECOND)).isTrue();
    assertThat(seldom.isDue("a", 60 * SECOND)).isTrue();
    assertThat(seldom.isDue("a", 61 * SECOND)).isFalse();
  }

  @Test
  void itForgetsTheOldestWhereThereIsTooMuchToRemember() {
    for (int k = 0; k <= 100; k++) {
      assertThat(seldom.isDue("text " + k, k)).isTrue();
    }
    assertThat(seldom.isDue("text 0", 200)).isTrue();
    assertThat(seldom.isDue("text 100", 200)).isFalse();
  }
}
