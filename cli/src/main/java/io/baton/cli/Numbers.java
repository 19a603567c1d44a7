package io.baton.cli;

import io.baton.simulator.random.Ticks;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Figures as text. Doubles go through BigDecimal, because their own text differs between versions
 * of Java.
 */
final class Numbers {
  private Numbers() {}

  /** For JSON: at most six decimals. */
  static BigDecimal exact(double value) {
    BigDecimal rounded = new BigDecimal(value).setScale(6, RoundingMode.HALF_EVEN);
    BigDecimal stripped = rounded.stripTrailingZeros();
    return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
  }

  /** A count with its noun: {@code 1 node}, {@code 2 nodes}. */
  static String count(long number, String noun) {
    return count(number, noun, noun + "s");
  }

  /** A count with its noun and its plural: {@code 1 crash}, {@code 2 crashes}. */
  static String count(long number, String noun, String plural) {
    return number + " " + (number == 1 ? noun : plural);
  }

  /** For people: two decimals. */
  static String text(double value) {
    return new BigDecimal(value).setScale(2, RoundingMode.HALF_EVEN).toPlainString();
  }

  /** A duration in ticks as units of time, two decimals. */
  static String time(double ticks) {
    return text(Ticks.units(ticks));
  }

  /** A duration in ticks as units of time, two decimals. */
  static String time(long ticks) {
    return time((double) ticks);
  }
}
