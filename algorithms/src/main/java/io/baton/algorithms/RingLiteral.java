package io.baton.algorithms;

/**
 * [RING] with rule 2 as printed: a node that does not wish to enter "replaces the sequence number
 * by HSeqNumSeen" in the token it passes on. The token loses its priority on the way, and two nodes
 * may each hold the token of the other for good (T1).
 */
public final class RingLiteral extends Ring {
  /** Node i of a ring, initially without requests. */
  public RingLiteral(int i, RingSetup setup) {
    super(i, setup);
  }

  @Override
  RingToken asPassed(RingToken token) {
    return token.withSeqNum(hSeqNumSeen());
  }

  /** The number may have been replaced, so the process must do. */
  @Override
  boolean isCurrent(RingToken token, RingToken copy) {
    return true;
  }
}
