package io.baton.member;

/**
 * The number of a grant: the epoch above, a counter below (R21). Within an epoch a lock has one
 * token at most, which carries the last number given; a new epoch begins above all of the former.
 */
public final class Fence {
  private Fence() {}

  /** The number after the last one given; the first of the epoch where that was of another. */
  static long next(long last, long epoch, int bits) {
    return last >>> bits < epoch ? (epoch << bits) + 1 : last + 1;
  }

  /** Whether no number is left after this one until the epoch changes, or none at all any more. */
  static boolean isLast(long last, long epoch, int bits) {
    return epoch > lastEpoch(bits) || (last >>> bits == epoch && counter(last, bits) == mask(bits));
  }

  /** The last epoch whose numbers can be written: beyond it nothing is granted. */
  public static long lastEpoch(int bits) {
    return Long.MAX_VALUE >>> bits;
  }

  /** Whether three quarters of an epoch's numbers have been given. */
  static boolean nearsEnd(long last, int bits) {
    return counter(last, bits) > mask(bits) / 4 * 3;
  }

  /** Whether a caller may give the next number itself. */
  public static boolean mayFollow(long fence, int bits) {
    return !nearsEnd(fence, bits);
  }

  private static long counter(long fence, int bits) {
    return fence & mask(bits);
  }

  private static long mask(int bits) {
    return (1L << bits) - 1;
  }
}
