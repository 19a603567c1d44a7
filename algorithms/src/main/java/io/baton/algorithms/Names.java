package io.baton.algorithms;

/** How nodes are written for people: counted from 1, as the papers do. */
public final class Names {
  private Names() {}

  /** The number of a node as the papers count, or {@code nil}. */
  public static String of(int node) {
    return node == Algorithm.NIL ? "nil" : Integer.toString(node + 1);
  }
}
