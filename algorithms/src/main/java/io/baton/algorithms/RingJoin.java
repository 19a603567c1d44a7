package io.baton.algorithms;

import java.util.List;

/**
 * A node that came back asks everybody to be taken into the ring again.
 *
 * @param round how often it has asked everybody anew, because one died meanwhile
 */
record RingJoin(int round) implements Message {
  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return round == 0 ? "join" : "join(" + round + ")";
  }

  /**
   * The sender has taken it in.
   *
   * @param round which question it answers
   * @param hSeqNumSeen of the sender: the newcomer's requests come after all that it has seen
   * @param cargos the largest seen, by resource
   */
  record Welcome(int round, long hSeqNumSeen, List<Long> cargos) implements Message {
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
