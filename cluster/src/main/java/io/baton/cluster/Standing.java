package io.baton.cluster;

import io.baton.member.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member knows of its cluster.
 *
 * @param voters by id, where this member votes; empty elsewhere
 * @param frozen whether an operator alone decides who votes, where this member votes
 * @param leader who leads them, as far as known; null: nobody is known to
 */
public record Standing(
    String cluster,
    String clusterId,
    View view,
    List<String> voters,
    boolean frozen,
    @Nullable String leader) {
  /** The list is copied. */
  public Standing {
    voters = List.copyOf(voters);
  }
}
