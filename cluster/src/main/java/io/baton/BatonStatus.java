package io.baton;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a member knows of its cluster.
 *
 * @param cluster its name
 * @param clusterId minted when it was founded
 * @param member who tells this
 * @param epoch of the view
 * @param view its number
 * @param lease for how long this member may safely hold locks, should it hear nothing more; zero:
 *     it may hold none
 * @param leader who leads the voters, as far as known
 * @param voters by id; empty where this member does not vote
 * @param votersFrozen whether an operator alone decides who votes ({@link Baton#freezeVoters})
 * @param members by position
 * @param letters how many messages about locks this member has sent
 */
public record BatonStatus(
    String cluster,
    String clusterId,
    String member,
    long epoch,
    long view,
    Duration lease,
    Optional<String> leader,
    List<String> voters,
    boolean votersFrozen,
    List<MemberInfo> members,
    long letters) {
  /**
   * A member.
   *
   * @param incarnation of this life of it
   */
  public record MemberInfo(String id, String address, long incarnation) {}

  /** The lists are copied. */
  public BatonStatus {
    voters = List.copyOf(voters);
    members = List.copyOf(members);
  }
}
