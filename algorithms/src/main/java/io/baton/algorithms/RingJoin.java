package io.baton.algorithms;

import java.util.List;

/** A node that came back asks everybody to be taken into the ring again. */
record RingJoin() implements Message {
  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return "join";
  }

  /**
   * The sender has taken it in.
   *
   * @param hSeqNumSeen of the sender: the newcomer's requests come after all that it has seen
   * @param cargos the largest seen, by resource
   */
  record Welcome(long hSeqNumSeen, List<Long> cargos) implements Message {
    @Override
    public int sink() {
      return Algorithm.NIL;
    }

    @Override
    public String toString() {
      return "welcome(" + hSeqNumSeen + ")";
    }
  }
}
