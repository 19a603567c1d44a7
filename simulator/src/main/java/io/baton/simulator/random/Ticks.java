package io.baton.simulator.random;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Virtual time: whole ticks inside, units (a million ticks) where people read. */
public final class Ticks {
  /** How many ticks make one unit of time. */
  public static final long PER_UNIT = 1_000_000;

  private Ticks() {}

  /** A number of units in ticks. */
  public static long ofUnits(double units) {
    return StrictMath.round(units * PER_UNIT);
  }

  /** Ticks as units, without needless zeros: {@code 1.5}. */
  public static String text(long ticks) {
    BigDecimal units = BigDecimal.valueOf(ticks, 6);
    return units.signum() == 0 ? "0" : units.stripTrailingZeros().toPlainString();
  }

  /** Ticks as units. */
  public static double units(double ticks) {
    return ticks / PER_UNIT;
  }

  /** Reads a number of units, such as {@code 0.5}; throws NumberFormatException. */
  public static long parse(String text) {
    return new BigDecimal(text.strip())
        .movePointRight(6)
        .setScale(0, RoundingMode.HALF_UP)
        .longValueExact();
  }
}
