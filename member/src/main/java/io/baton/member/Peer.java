package io.baton.member;

/**
 * One life of a member.
 *
 * @param id whose; the same over restarts
 * @param incarnation the place in the agreed log of the entry that admitted it: no two lives of one
 *     id share it
 */
public record Peer(String id, long incarnation) {
  /** The incarnation of who has not been admitted yet. */
  public static final long NONE = 0;

  @Override
  public String toString() {
    return id + "#" + incarnation;
  }
}
