package io.baton.algorithms;

import java.util.List;

/**
 * One node's share of one lock: a state machine that takes events and gives {@link Effects}.
 *
 * <p>Each call is one atomic step of the paper. A host (simulator, explorer, cluster) makes the
 * calls one at a time and carries out the effects; the algorithm itself never waits. Where a paper
 * says "wait", the algorithm remembers and goes on when a later event allows it.
 *
 * <p>The host calls enter once per critical section, then exit after the grant, and never two of
 * the same kind in a row (of one resource, where there are several).
 *
 * <p>Nodes are numbered from 0 in code and from 1 wherever people read (see {@link Names}).
 */
public interface Algorithm {
  /** The papers' <i>nil</i>: no node. */
  int NIL = -1;

  /** This node wishes to enter the critical section. The answer is {@link Effects#grant}. */
  void enter(Effects out);

  /** This node wishes to enter the critical section of one of several resources, from 0. */
  default void enter(int resource, Effects out) {
    enter(out);
  }

  /**
   * This node leaves the critical section.
   *
   * @param cargo one opaque long that travels with what grants entry: the next holder, wherever it
   *     is, reads it in its grant
   */
  void exit(long cargo, Effects out);

  /** This node leaves the critical section of one of several resources. */
  default void exit(int resource, long cargo, Effects out) {
    exit(cargo, out);
  }

  /** A message arrives. */
  void receive(int from, Message message, Effects out);

  /** An alarm set earlier rings. An algorithm that sets none never gets one. */
  default void alarm(Alarm alarm, Effects out) {
    throw new IllegalStateException("This algorithm sets no alarm, yet " + alarm + " rang");
  }

  /**
   * This node comes back after a crash, in which it forgot all that its constructor did not tell
   * it. The first event of a new object; an algorithm that does not offer it cannot come back.
   */
  default void recover(Revival revival, Effects out) {
    throw new IllegalStateException("This algorithm cannot come back after a crash");
  }

  /**
   * The channel to a neighbour is gone: it failed, or the neighbour did. An algorithm that assumes
   * channels and nodes not to fail is never told.
   *
   * @param forGood whether the neighbour is known to be dead, never to come back
   * @param unsent what this node sent and the neighbour did not get, in no particular order
   */
  default void disconnected(int neighbour, boolean forGood, List<Message> unsent, Effects out) {
    throw new IllegalStateException("This algorithm does not survive the loss of a channel");
  }

  /** There is a channel to a neighbour, again or for the first time. */
  default void connected(Revival.Neighbour neighbour, Effects out) {
    throw new IllegalStateException("This algorithm does not survive the loss of a channel");
  }

  /**
   * This node is to be removed. It gives away what others need; once it has no token and what it
   * sent has arrived, the host removes it.
   */
  default void leave(Effects out) {
    throw new IllegalStateException("A node of this algorithm cannot leave");
  }

  /** The whole state of this node as an immutable value: equal, hashable and printable. */
  State capture();

  /** Puts this node into a state that an algorithm of the same class has captured. */
  void restore(State state);
}
