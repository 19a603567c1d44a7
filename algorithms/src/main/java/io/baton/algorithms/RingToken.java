package io.baton.algorithms;

/**
 * "Token" of [RING] §3: a request that travels along the ring.
 *
 * @param resource ResourceID, from 0
 * @param seqNum with the pid the TokenID, which is also the priority
 * @param pid the process that made it; here its node, since exclusion is at the level of the node
 * @param resend whether it was sent again
 * @param cargo the largest that was found on the way
 */
record RingToken(int resource, long seqNum, int pid, boolean resend, long cargo)
    implements Message {
  /** "Pri(TokenID1) is greater than Pri(TokenID2) iff …". */
  boolean before(RingToken other) {
    return seqNum < other.seqNum || (seqNum == other.seqNum && pid < other.pid);
  }

  /** Whether both are the same request, however often it was sent. */
  boolean sameRequest(RingToken other) {
    return resource == other.resource && pid == other.pid && seqNum == other.seqNum;
  }

  RingToken withSeqNum(long other) {
    return new RingToken(resource, other, pid, resend, cargo);
  }

  RingToken withCargo(long other) {
    return new RingToken(resource, seqNum, pid, resend, other);
  }

  RingToken again() {
    return new RingToken(resource, seqNum, pid, true, cargo);
  }

  @Override
  public int sink() {
    return pid;
  }

  @Override
  public int bytes() {
    return 2 + 2 * NAME + 2 * NUMBER; // kind and resend, resource and pid, number and cargo
  }

  /** The TokenID, and the resource where it is not the first. */
  String id() {
    return seqNum + "," + Names.of(pid) + (resource == 0 ? "" : ",r" + (resource + 1));
  }

  @Override
  public String toString() {
    return "token(" + id() + (resend ? ",resend)" : ")");
  }

  /** The acknowledgement of a hop, rule 5. */
  record Ack(RingToken token) implements Message {
    @Override
    public int sink() {
      return token.pid();
    }

    @Override
    public int resource() {
      return token.resource();
    }

    @Override
    public int bytes() {
      return 1 + 2 * NAME + NUMBER;
    }

    @Override
    public String toString() {
      return "ack(" + token.id() + ")";
    }
  }
}
