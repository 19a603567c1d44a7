package io.baton.algorithms;

/** One instant of a whole system: every node's state and every message in transit. */
public interface Snapshot {
  /** How many nodes there are. */
  int nodes();

  /** Whether a node is up; one that has crashed has no state and no token. */
  boolean isUp(int node);

  /** The state of a node that is up. */
  State state(int node);

  /** Whether a node is in its critical section, as the host sees it. */
  boolean inside(int node);

  /** Shows every message in transit, in no particular order. */
  void messages(Visitor visitor);

  /** Is shown messages. */
  @FunctionalInterface
  interface Visitor {
    void message(int from, int to, Message message);
  }
}
