package io.baton.simulator.random;

import java.util.Random;

/** Our generator for libraries that ask for a {@link Random}. */
public final class GeneratorAsRandom extends Random {
  private final transient Generator generator;

  /** Draws from the generator given. */
  public GeneratorAsRandom(Generator generator) {
    super(0);
    this.generator = generator;
  }

  @Override
  protected int next(int bits) {
    return (int) (generator.nextLong() >>> (64 - bits));
  }
}
