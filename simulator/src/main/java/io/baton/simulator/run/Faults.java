package io.baton.simulator.run;

import io.baton.simulator.BadInputException;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * What goes wrong on the channels.
 *
 * @param loss the probability that a message is lost
 * @param duplicate the probability that a message arrives twice
 */
public record Faults(double loss, double duplicate) {
  /** Nothing goes wrong. */
  public static final Faults NONE = new Faults(0, 0);

  private static final double DEFAULT = 0.01;

  /** Reads {@code none}, {@code all}, or a list such as {@code loss=0.01,duplicate}. */
  public static Faults parse(String text) {
    Faults faults = NONE;
    for (String word : text.split(",", -1)) {
      String name = word.replaceFirst("=.*", "");
      double value = word.contains("=") ? probability(word) : DEFAULT;
      faults =
          switch (name) {
            case "none" -> faults;
            case "all" -> new Faults(value, value);
            case "loss" -> new Faults(value, faults.duplicate);
            case "duplicate" -> new Faults(faults.loss, value);
            default ->
                throw new BadInputException(
                    "There is no fault \"" + name + "\": take none, all, loss=P or duplicate=P");
          };
    }
    return faults;
  }

  private static double probability(String word) {
    try {
      double value = Double.parseDouble(word.substring(word.indexOf('=') + 1));
      if (value >= 0 && value <= 1) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException("\"" + word + "\" is no fault: write a probability from 0 to 1");
  }

  /** Through BigDecimal, because the text of a double differs between versions of Java. */
  private static String text(double probability) {
    return new BigDecimal(probability)
        .round(new MathContext(6))
        .stripTrailingZeros()
        .toPlainString();
  }

  /** Whether nothing goes wrong. */
  public boolean none() {
    return equals(NONE);
  }

  @Override
  public String toString() {
    return none() ? "none" : "loss=" + text(loss) + ",duplicate=" + text(duplicate);
  }
}
