package io.baton.simulator.run;

import java.util.Arrays;

/**
 * The mean of a figure over several seeds, with the half width of its 95 % confidence interval by
 * Student's distribution.
 */
public record Confidence(double mean, double halfWidth) {
  // Two-sided 95 % quantiles for 1 to 30 degrees of freedom; beyond that the normal one is close.
  private static final double[] STUDENT = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };
  private static final double NORMAL = 1.960;

  /** Of one figure per seed; at least two. */
  public static Confidence of(double[] figures) {
    int n = figures.length;
    double mean = Arrays.stream(figures).sum() / n;
    double squares = 0;
    for (double figure : figures) {
      squares += (figure - mean) * (figure - mean);
    }
    double quantile = n - 1 <= STUDENT.length ? STUDENT[n - 2] : NORMAL;
    return new Confidence(mean, quantile * StrictMath.sqrt(squares / (n - 1) / n));
  }
}
