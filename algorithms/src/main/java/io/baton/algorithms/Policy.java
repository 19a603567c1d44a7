package io.baton.algorithms;

/**
 * A service policy: which of the waiting requests a node serves next, [GS] §4.1. It must be fair:
 * every waiting request is chosen after finitely many others.
 */
@FunctionalInterface
public interface Policy {
  /**
   * The place of the request to serve next.
   *
   * @param waiting at least one request
   * @param i the node that serves; a waiting request whose origin is i is its own local call
   */
  int next(WaitingQueue waiting, int i);

  /** First come, first served. */
  Policy FIFO = (waiting, i) -> 0;

  /**
   * The node's own call first, the others in order of arrival.
   *
   * <p>Fair because a node has at most one call at a time and its exit serves the queue before the
   * next call can join it: between two of its own critical sections a node serves at least one
   * request that waited.
   */
  Policy LIFT =
      (waiting, i) -> {
        for (int place = 0; place < waiting.size(); place++) {
          if (waiting.get(place).origin() == i) {
            return place;
          }
        }
        return 0;
      };
}
