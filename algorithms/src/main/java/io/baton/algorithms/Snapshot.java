package io.baton.algorithms;

/** One instant of a whole system: every node's state and every message in transit. */
public interface Snapshot {
  /** How many nodes there are. */
  int nodes();

  /** Whether a node is up; one that has crashed has no state and no token. */
  boolean isUp(int node);

  /** The state of a node that is up. */
  State state(int node);

  /** How many resources there are; one unless the algorithm is for several. */
  int resources();

  /** Whether a node is in its critical section of a resource, as the host sees it. */
  boolean inside(int node, int resource);

  /** Whether a node is in its critical section, where there is one resource. */
  default boolean inside(int node) {
    return inside(node, 0);
  }

  /** Shows every message in transit, in no particular order. */
  void messages(Visitor visitor);

  /** Is shown messages. */
  @FunctionalInterface
  interface Visitor {
    void message(int from, int to, Message message);
  }
}
