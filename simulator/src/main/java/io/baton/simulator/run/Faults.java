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
 * @param every in units, how often one node crashes besides, as by a clock; 0: never
 * @param recover the mean time until a crashed node comes back, in units (with {@code every}: the
 *     time); 0: never
 */
public record Faults(
    double loss, double duplicate, double crash, double burst, double every, double recover) {
  /** Nothing goes wrong. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

  private static final double DEFAULT = 0.01;
  private static final double DEFAULT_BURST = 0.25;
  private static final double DEFAULT_EVERY = 100;
  private static final double DEFAULT_DOWN = 10;
  private static final String FORMS =
      "none, all, loss=P, duplicate=P, crash=P (probabilities), burst=S (the share of nodes that"
          + " crash together), every=T (a crash each T) or recover=T (mean time down)";

  /** Reads {@code none}, {@code all}, or a list such as {@code loss=0.01,crash,recover=5}. */
  public static Faults parse(String text) {
    Faults f = NONE;
    for (String word : text.split(",", -1)) {
      f =
          switch (word.replaceFirst("=.*", "")) {
            case "none" -> f;
            case "all" -> f.loss(share(word)).duplicate(share(word)).crash(share(word));
            case "loss" -> f.loss(share(word));
            case "duplicate" -> f.duplicate(share(word));
            case "crash" -> f.crash(share(word));
            case "burst" -> f.burst(value(word, DEFAULT_BURST, 1));
            case "every" -> f.every(value(word, DEFAULT_EVERY, Ticks.PER_UNIT));
            case "recover" -> f.recover(value(word, DEFAULT_DOWN, Ticks.PER_UNIT));
            default ->
                throw new BadInputException("There is no fault \"" + word + "\": take " + FORMS);
          };
    }
    return f;
  }

  private static double share(String word) {
    return value(word, DEFAULT, 1);
  }

  private static double value(String word, double byDefault, double max) {
    if (!word.contains("=")) {
      return byDefault;
    }
    try {
      double value = Double.parseDouble(word.substring(word.indexOf('=') + 1));
      if (value >= 0 && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException("\"" + word + "\" is no fault: take " + FORMS);
  }

  private Faults loss(double p) {
    return new Faults(p, duplicate, crash, burst, every, recover);
  }

  private Faults duplicate(double p) {
    return new Faults(loss, p, crash, burst, every, recover);
  }

  /** The same with crashes of this probability. */
  public Faults crash(double p) {
    return new Faults(loss, duplicate, p, burst, every, recover);
  }

  /** The same with so large a share of nodes crashing together. */
  public Faults burst(double share) {
    return new Faults(loss, duplicate, crash, share, every, recover);
  }

  private Faults every(double units) {
    return new Faults(loss, duplicate, crash, burst, units, recover);
  }

  /** The same with nodes down for so long. */
  public Faults recover(double units) {
    return new Faults(loss, duplicate, crash, burst, every, units);
  }

  /** Whether nothing goes wrong. */
  public boolean none() {
    return loss == 0 && duplicate == 0 && crash == 0 && every == 0;
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
    append(text, "every", every);
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
