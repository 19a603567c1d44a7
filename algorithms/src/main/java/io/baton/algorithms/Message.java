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

  /** The resource that the sink wishes for, from 0. */
  default int resource() {
    return 0;
  }
}
