package io.baton.member;

/** The state that the voters agree on, as the one that leads them changes it. */
public interface Register {
  /**
   * Has the voters agree on this as the next state after the last one; it may get lost, or be
   * agreed on under a later leader. What comes of it is {@link Member#committed}.
   */
  void publish(ClusterState next);

  /** The voters' wall clock, in minutes since the beginning of 2025; 0: it is not known. */
  default long votersClock() {
    return 0;
  }

  /**
   * A member has a later view than any that the voters agreed on: they were set back to an older
   * state. It is given no lease.
   */
  void ahead(Peer member, long view);

  /**
   * Has a majority confirm, from now on, that the term still stands. The answer is {@link
   * Member#confirmed}; none comes where it does not.
   */
  void confirm(long term, long batch);
}
