package io.baton.simulator.random;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Virtual time: whole ticks inside, units (a million ticks) where people read. */
public final class Ticks {
  /** How many ticks make one unit of time. */
  public static final long PER_UNIT = 1_000_000;

  private Ticks() {}

  /** The longest duration that is ever drawn: a thousand million units. */
  public static final long LONGEST = 1_000_000_000L * PER_UNIT;

  /** A duration that was drawn, cut to what is possible. */
  public static long ofDrawn(double ticks) {
    return Math.min(LONGEST, StrictMath.round(ticks));
  }

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
    BigDecimal units = new BigDecimal(text.strip());
    if (units.precision() - units.scale() > 10 || units.scale() > 100) {
      throw new NumberFormatException(text + " is too large or too fine");
    }
    return units.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }
}
