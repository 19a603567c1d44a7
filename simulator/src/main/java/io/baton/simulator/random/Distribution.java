package io.baton.simulator.random;

import io.baton.simulator.BadInputException;
import java.math.BigDecimal;

/** A distribution of durations, in ticks; written as on the command line. */
public sealed interface Distribution {
  /** Draws a duration, never negative. */
  long sample(Generator generator);

  /** Always the same: {@code const:0.5}. */
  record Constant(long ticks) implements Distribution {
    @Override
    public long sample(Generator generator) {
      return ticks;
    }

    @Override
    public String toString() {
      return "const:" + Ticks.text(ticks);
    }
  }

  /** Equally likely from low to high, both included: {@code uniform:0.5..1.5}. */
  record Uniform(long low, long high) implements Distribution {
    @Override
    public long sample(Generator generator) {
      return low + generator.nextLong(high - low + 1);
    }

    @Override
    public String toString() {
      return "uniform:" + Ticks.text(low) + ".." + Ticks.text(high);
    }
  }

  /** Exponential with the given mean: {@code exp:20}. */
  record Exponential(long mean) implements Distribution {
    @Override
    public long sample(Generator generator) {
      return Ticks.ofDrawn(-StrictMath.log(1 - generator.nextDouble()) * mean);
    }

    @Override
    public String toString() {
      return "exp:" + Ticks.text(mean);
    }
  }

  /** Log-normal with the given median and sigma: {@code lognormal:1,0.5}. */
  record LogNormal(long median, BigDecimal sigma) implements Distribution {
    @Override
    public long sample(Generator generator) {
      return Ticks.ofDrawn(median * StrictMath.exp(sigma.doubleValue() * generator.nextGaussian()));
    }

    @Override
    public String toString() {
      return "lognormal:" + Ticks.text(median) + "," + sigma.toPlainString();
    }
  }

  /** Reads {@code const:X}, {@code uniform:A..B}, {@code exp:MEAN} or {@code lognormal:M,S}. */
  static Distribution parse(String text) {
    int colon = text.indexOf(':');
    String kind = colon < 0 ? text : text.substring(0, colon);
    String rest = colon < 0 ? "" : text.substring(colon + 1);
    try {
      switch (kind) {
        case "const" -> {
          return new Constant(duration(rest));
        }
        case "uniform" -> {
          String[] ends = rest.split("\\.\\.", -1);
          if (ends.length == 2 && duration(ends[0]) <= duration(ends[1])) {
            return new Uniform(duration(ends[0]), duration(ends[1]));
          }
        }
        case "exp" -> {
          return new Exponential(duration(rest));
        }
        case "lognormal" -> {
          String[] parts = rest.split(",", -1);
          if (parts.length == 2) {
            BigDecimal sigma = new BigDecimal(parts[1]);
            if (sigma.signum() >= 0 && sigma.compareTo(BigDecimal.TEN) <= 0 && sigma.scale() < 20) {
              return new LogNormal(duration(parts[0]), sigma);
            }
          }
        }
        default -> {
          // said below
        }
      }
    } catch (NumberFormatException | ArithmeticException e) {
      // said below
    }
    throw new BadInputException(
        "\""
            + text
            + "\" is no distribution: write const:0.5, uniform:0.5..1.5, exp:20 or"
            + " lognormal:1,0.5 (median, sigma), in units of time and not negative");
  }

  private static long duration(String text) {
    long ticks = Ticks.parse(text);
    if (ticks < 0 || ticks > Ticks.LONGEST) {
      throw new NumberFormatException(text);
    }
    return ticks;
  }
}
