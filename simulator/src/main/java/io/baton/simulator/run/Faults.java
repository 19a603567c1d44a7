package io.baton.simulator.run;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Ticks;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * What goes wrong.
 *
 * @param loss the probability that a message is lost
 * @param duplicate the probability that a message arrives twice
 * @param crash the probability that some node crashes after a step
 * @param burst the share of all nodes that crash together; 0: one at a time
 * @param recover the mean time until a crashed node comes back, in units; 0: never
 */
public record Faults(double loss, double duplicate, double crash, double burst, double recover) {
  /** Nothing goes wrong. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0);

  private static final double DEFAULT = 0.01;
  private static final double DEFAULT_BURST = 0.25;
  private static final double DEFAULT_DOWN = 10;
  private static final String FORMS =
      "none, all, loss=P, duplicate=P, crash=P (probabilities), burst=S (the share of nodes that"
          + " crash together) or recover=T (mean time down)";

  /** Reads {@code none}, {@code all}, or a list such as {@code loss=0.01,crash,recover=5}. */
  public static Faults parse(String text) {
    Faults f = NONE;
    for (String word : text.split(",", -1)) {
      String name = word.replaceFirst("=.*", "");
      double p = value(word, DEFAULT, 1);
      f =
          switch (name) {
            case "none" -> f;
            case "all" -> new Faults(p, p, p, f.burst, f.recover);
            case "loss" -> new Faults(p, f.duplicate, f.crash, f.burst, f.recover);
            case "duplicate" -> new Faults(f.loss, p, f.crash, f.burst, f.recover);
            case "crash" -> new Faults(f.loss, f.duplicate, p, f.burst, f.recover);
            case "burst" ->
                new Faults(f.loss, f.duplicate, f.crash, value(word, DEFAULT_BURST, 1), f.recover);
            case "recover" ->
                new Faults(
                    f.loss,
                    f.duplicate,
                    f.crash,
                    f.burst,
                    value(word, DEFAULT_DOWN, Ticks.PER_UNIT));
            default ->
                throw new BadInputException("There is no fault \"" + name + "\": take " + FORMS);
          };
    }
    return f;
  }

  private static double value(String word, double byDefault, double max) {
    if (!word.contains("=")) {
      return byDefault;
    }
    try {
      double value = Double.parseDouble(word.substring(word.indexOf('=') + 1));
      if (value >= 0 && value <= (word.startsWith("recover") ? Ticks.PER_UNIT : max)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException("\"" + word + "\" is no fault: take " + FORMS);
  }

  /** Whether nothing goes wrong. */
  public boolean none() {
    return loss == 0 && duplicate == 0 && crash == 0;
  }

  @Override
  public String toString() {
    if (none()) {
      return "none";
    }
    StringBuilder text = new StringBuilder();
    append(text, "loss", loss);
    append(text, "duplicate", duplicate);
    append(text, "crash", crash);
    append(text, "burst", burst);
    append(text, "recover", recover);
    return text.toString();
  }

  /** Through BigDecimal, because the text of a double differs between versions of Java. */
  private static void append(StringBuilder text, String name, double value) {
    if (value > 0) {
      BigDecimal rounded = new BigDecimal(value).round(new MathContext(6)).stripTrailingZeros();
      text.append(text.isEmpty() ? "" : ",").append(name).append('=');
      text.append(rounded.toPlainString());
    }
  }
}
