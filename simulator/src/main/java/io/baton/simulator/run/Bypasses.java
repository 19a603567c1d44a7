package io.baton.simulator.run;

/**
 * Counts how often a request was overtaken: how many requests that were made later were granted
 * earlier. A Fenwick tree over the requests in order of their making.
 */
final class Bypasses {
  private final int[] granted; // Fenwick sums
  private int grants;

  Bypasses(int requests) {
    granted = new int[requests + 1];
  }

  /**
   * The request of this number (from 0, in order of making) is granted.
   *
   * @return how many later ones were granted before it
   */
  int granted(int number) {
    int earlier = 0;
    for (int k = number; k > 0; k &= k - 1) {
      earlier += granted[k];
    }
    int overtakers = grants - earlier;
    for (int k = number + 1; k < granted.length; k += k & -k) {
      granted[k]++;
    }
    grants++;
    return overtakers;
  }
}
