package io.baton.algorithms;

/**
 * What one node tells another: an immutable value whose text is the paper's own notation.
 *
 * <p>Two messages that differ may share a text where they differ only in what the paper leaves out
 * (the sink, the cargo).
 */
public interface Message {
  /**
   * The node whose wish to enter this message serves ("sink" in [GS] §3.3): costs are charged to
   * its request. {@link Algorithm#NIL} where it serves none.
   */
  int sink();

  /**
   * Which request of the sink; 0 where all messages of a request have been sent when its critical
   * section is over.
   */
  default long ticket() {
    return 0;
  }

  /** Whether it spreads the wish of its sink, and does not answer it. */
  default boolean isRequest() {
    return false;
  }

  /**
   * How many bytes it takes on the wire, without headers: one for its kind, {@link #NAME} for a
   * name, {@link #NUMBER} for a number. The sink is no part of it.
   */
  default int bytes() {
    return 1 + NAME;
  }

  /** Bytes of the name of a node. */
  int NAME = 4;

  /** Bytes of a number that grows. */
  int NUMBER = 8;

  /** The resource that the sink wishes for, from 0. */
  default int resource() {
    return 0;
  }
}
