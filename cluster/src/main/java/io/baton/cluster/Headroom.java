package io.baton.cluster;

import java.lang.ref.Reference;

/**
 * Looks whether a thread has the stack and the memory that an event of a member needs. One that has
 * not gets its Error here, where it costs nobody else anything.
 */
final class Headroom {
  private static final int FRAMES = 300; // of some 35 bytes, once compiled
  private static final int BYTES = 2_048;

  private Headroom() {}

  static void check() {
    long used = deep(FRAMES, 1, 2, 3, 4, 5, 6, 7, 8);
    byte[] block = null;
    try {
      block = new byte[used == 0 ? 0 : BYTES];
    } finally {
      Reference.reachabilityFence(block); // it is not left out
    }
  }

  private static long deep(
      int frames, long a, long b, long c, long d, long e, long f, long g, long h) {
    return frames == 0 ? a + h : deep(frames - 1, h, a, b, c, d, e, f, g) + (b ^ g);
  }
}
