package io.baton.simulator.run;

import java.util.Arrays;

/** Whole numbers that were measured, all of them kept, so that every figure is exact. */
public final class Samples {
  private long[] values = new long[16];
  private int size;
  private boolean sorted = true;

  /** Adds a measurement. */
  public void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
    sorted = false;
  }

  /** Adds all of another's. */
  public void addAll(Samples other) {
    for (int k = 0; k < other.size; k++) {
      add(other.values[k]);
    }
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Their sum. */
  public long sum() {
    return Arrays.stream(values, 0, size).sum();
  }

  /** Their mean; 0 where there are none. */
  public double mean() {
    return size == 0 ? 0 : (double) sum() / size;
  }

  /** The largest; 0 where there are none. */
  public long max() {
    return size == 0 ? 0 : percentile(100);
  }

  /** The smallest value that at least that many per cent do not exceed; 0 where there are none. */
  public long percentile(int percent) {
    if (size == 0) {
      return 0;
    }
    if (!sorted) {
      Arrays.sort(values, 0, size);
      sorted = true;
    }
    long rank = ((long) percent * size + 99) / 100;
    return values[(int) Math.max(0, rank - 1)];
  }
}
