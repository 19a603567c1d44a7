package io.baton.bench;

/** Runs benchmarks. */
public final class Main {
  private Main() {}

  /** Which ones is in the arguments. */
  public static void main(String[] args) throws Exception {
    org.openjdk.jmh.Main.main(args);
  }
}
