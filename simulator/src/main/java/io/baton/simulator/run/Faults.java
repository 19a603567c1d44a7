package io.baton.simulator.run;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Ticks;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What goes wrong.
 *
 * @param values how much of what; what is missing does not happen
 */
public record Faults(Map<Kind, Double> values) {
  /** One thing that can go wrong. */
  public enum Kind {
    /** The probability that a message is lost. */
    LOSS("P", 0.01, 1),
    /** The probability that a message arrives twice. */
    DUPLICATE("P", 0.01, 1),
    /** The probability that some node crashes after a step. */
    CRASH("P", 0.01, 1),
    /** The share of all nodes that crash together; 0: one at a time. */
    BURST("S (the share of nodes that crash together)", 0.25, 1),
    /** In units, how often one node crashes besides, as by a clock; 0: never. */
    EVERY("T (a crash each T)", 100, Ticks.PER_UNIT),
    /** The mean time until a crashed node comes back, in units (with every: the time); 0: never. */
    RECOVER("T (mean time down)", 10, Ticks.PER_UNIT),
    /** The probability that some channel fails after a step. */
    CUT("P (of a channel)", 0.01, 1),
    /** The mean time until a channel that failed is there again, in units; never 0. */
    MEND("T (mean time until a channel is back)", 10, Ticks.PER_UNIT),
    /** The probability that after a step some node is told to leave for good. */
    LEAVE("P (a node leaves for good)", 0.003, 1),
    /** The share of nodes and channels that are not there yet when it begins. */
    ABSENT("S (the share of nodes and channels that come later)", 0.25, 1),
    /** The probability that after a step some node takes another for dead that is not. */
    SUSPECT("P (a live node taken for dead)", 0.01, 1);

    private final String form;
    private final double byDefault;
    private final double max;

    Kind(String form, double byDefault, double max) {
      this.form = form;
      this.byDefault = byDefault;
      this.max = max;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Nothing goes wrong. */
  public static final Faults NONE = new Faults(Map.of());

  /** In the order of the kinds, for texts that do not change. */
  public Faults {
    EnumMap<Kind, Double> sorted = new EnumMap<>(Kind.class);
    sorted.putAll(values);
    sorted.values().removeIf(value -> value == 0);
    values = Collections.unmodifiableMap(sorted);
  }

  /** Reads {@code none}, {@code all}, or a list such as {@code loss=0.01,crash,recover=5}. */
  public static Faults parse(String text) {
    Faults f = NONE;
    for (String word : text.split(",", -1)) {
      String name = word.replaceFirst("=.*", "");
      if (name.equals("all")) {
        for (Kind kind : new Kind[] {Kind.LOSS, Kind.DUPLICATE, Kind.CRASH}) {
          f = f.with(kind, value(word, kind));
        }
      } else if (!word.equals("none")) {
        f = f.with(kind(name, word), value(word, kind(name, word)));
      }
    }
    boolean cuts = f.has(Kind.CUT) || f.has(Kind.ABSENT);
    boolean never = cuts && !f.has(Kind.MEND); // a network in pieces would be stuck
    return never ? f.with(Kind.MEND, Kind.MEND.byDefault) : f;
  }

  private static Kind kind(String name, String word) {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new BadInputException("There is no fault \"" + word + "\": take " + forms()));
  }

  private static String forms() {
    return "none, all, "
        + Arrays.stream(Kind.values())
            .map(kind -> kind + "=" + kind.form)
            .collect(Collectors.joining(", "));
  }

  private static double value(String word, Kind kind) {
    if (!word.contains("=")) {
      return kind.byDefault;
    }
    try {
      double value = Double.parseDouble(word.substring(word.indexOf('=') + 1));
      if (value >= 0 && value <= kind.max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException("\"" + word + "\" is no fault: take " + forms());
  }

  /** The same with this much of one kind. */
  public Faults with(Kind kind, double value) {
    Map<Kind, Double> other = new EnumMap<>(Kind.class);
    other.putAll(values);
    other.put(kind, value);
    return new Faults(other);
  }

  /** How much of a kind there is; 0: nothing. */
  public double of(Kind kind) {
    Double value = values.get(kind);
    return value == null ? 0 : value;
  }

  /** Whether there is any of a kind. */
  public boolean has(Kind kind) {
    return of(kind) > 0;
  }

  /** Whether nodes crash. */
  public boolean crashes() {
    return has(Kind.CRASH) || has(Kind.EVERY);
  }

  /** Whether nothing goes wrong. */
  public boolean none() {
    return !crashes()
        && !has(Kind.LOSS)
        && !has(Kind.DUPLICATE)
        && !has(Kind.CUT)
        && !has(Kind.LEAVE)
        && !has(Kind.ABSENT)
        && !has(Kind.SUSPECT);
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    return none()
        ? "none"
        : values.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
            .collect(Collectors.joining(","));
  }

  /** Through BigDecimal, because the text of a double differs between versions of Java. */
  private static String text(double value) {
    return new BigDecimal(value).round(new MathContext(6)).stripTrailingZeros().toPlainString();
  }
}
