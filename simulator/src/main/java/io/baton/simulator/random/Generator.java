package io.baton.simulator.random;

/**
 * A source of random numbers that gives the same sequence on every machine and every JVM:
 * xoshiro256** (Blackman and Vigna 2018), seeded by SplitMix64.
 */
public final class Generator {
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private long s0;
  private long s1;
  private long s2;
  private long s3;

  /** The sequence of a seed. */
  public Generator(long seed) {
    long state = seed;
    state += GOLDEN_GAMMA;
    s0 = mix(state);
    state += GOLDEN_GAMMA;
    s1 = mix(state);
    state += GOLDEN_GAMMA;
    s2 = mix(state);
    state += GOLDEN_GAMMA;
    s3 = mix(state);
  }

  /**
   * A sequence of its own for one purpose, so that what one part of a run draws does not shift what
   * another part gets.
   */
  public static Generator of(long seed, String purpose) {
    long hash = seed;
    for (int k = 0; k < purpose.length(); k++) {
      hash = mix(hash + GOLDEN_GAMMA) ^ purpose.charAt(k);
    }
    return new Generator(hash);
  }

  /** A hash of two numbers, for values that belong to a pair rather than to a moment. */
  public static long hash(long a, long b) {
    return mix(mix(a + GOLDEN_GAMMA) + b);
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Any long. */
  public long nextLong() {
    long result = Long.rotateLeft(s1 * 5, 7) * 9;
    long t = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = Long.rotateLeft(s3, 45);
    return result;
  }

  /** A number from 0 (included) to the bound (excluded), each equally likely. */
  public int nextInt(int bound) {
    return (int) nextLong(bound);
  }

  /** A number from 0 (included) to the bound (excluded), each equally likely. */
  public long nextLong(long bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("bound " + bound);
    }
    long bits = nextLong() >>> 1;
    long value = bits % bound;
    while (bits - value + (bound - 1) < 0) { // the incomplete last stretch would favour some
      bits = nextLong() >>> 1;
      value = bits % bound;
    }
    return value;
  }

  /** A number from 0 (included) to 1 (excluded). */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1.0p-53;
  }

  /** True with the given probability. */
  public boolean nextBoolean(double probability) {
    return nextDouble() < probability;
  }

  /** A number of the standard normal distribution. */
  public double nextGaussian() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - nextDouble()));
    return radius * StrictMath.cos(2 * StrictMath.PI * nextDouble());
  }

  /** Puts an array into random order. */
  public void shuffle(int[] array) {
    for (int k = array.length - 1; k > 0; k--) {
      int other = nextInt(k + 1);
      int kept = array[k];
      array[k] = array[other];
      array[other] = kept;
    }
  }
}
