package io.baton.algorithms;

import java.util.List;

/**
 * A node that came back asks everybody to be taken into the ring again.
 *
 * @param asked in which life, and how often in it everybody was asked anew, because one died
 */
record RingJoin(Stamp asked) implements Message {
  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return asked.time() == 0 ? "join" : "join(" + asked.time() + ")";
  }

  /**
   * The sender has taken it in.
   *
   * @param asked which question it answers
   * @param hSeqNumSeen of the sender: the newcomer's requests come after all that it has seen
   * @param cargos the largest seen, by resource
   */
  record Welcome(Stamp asked, long hSeqNumSeen, List<Long> cargos) implements Message {
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
