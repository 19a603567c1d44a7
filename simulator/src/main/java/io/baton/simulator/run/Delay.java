package io.baton.simulator.run;

import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Generator;

/**
 * How long messages take.
 *
 * @param perLink whether every link draws once and keeps what it drew; else every message draws
 */
public record Delay(Distribution distribution, boolean perLink) {
  private static final String PER_LINK = "per-link:";

  /** Reads a distribution, or {@code per-link:} and a distribution. */
  public static Delay parse(String text) {
    boolean perLink = text.startsWith(PER_LINK);
    String rest = perLink ? text.substring(PER_LINK.length()) : text;
    return new Delay(Distribution.parse(rest), perLink);
  }

  long sample(int from, int to, long seed, Generator generator) {
    if (!perLink) {
      return distribution.sample(generator);
    }
    long link = ((long) Math.min(from, to) << 32) | Math.max(from, to);
    return distribution.sample(new Generator(Generator.hash(seed, link)));
  }

  @Override
  public String toString() {
    return (perLink ? PER_LINK : "") + distribution;
  }
}
