package io.baton.agreement;

/** What voters say to each other. A message may be lost, late, doubled, or overtake others. */
public sealed interface Message {
  /** The term in which the sender speaks. */
  long term();

  /**
   * Who founds a cluster tells the voters that it is to have.
   *
   * @param cluster its id, which nobody has used before
   */
  record Found(String cluster, Value value, Configuration configuration) implements Message {
    @Override
    public long term() {
      return 0;
    }
  }

  /** A voter has written that it belongs to this cluster. */
  record Founded(String cluster) implements Message {
    @Override
    public long term() {
      return 0;
    }
  }

  /**
   * Would you vote for me? Asked before an election, so that none begins that comes to nothing.
   *
   * @param acceptedTerm the term of the publication that the asker has accepted
   * @param acceptedVersion its version
   */
  record Poll(long term, long acceptedTerm, long acceptedVersion) implements Message {}

  /** A voter that hears no leader would; its own term is this. */
  record Willing(long term) implements Message {}

  /** A leader that leaves asks a voter to lead in its place. */
  record TakeOver(long term) implements Message {}

  /** A voter leaves: somebody else is to vote in its place. */
  record Leaving(long term) implements Message {}

  /** The leader tells a voter that leaves that nobody can vote in its place, or somebody does. */
  record Released(long term) implements Message {}

  /** A candidate asks for a vote in a new term. */
  record StartTerm(long term) implements Message {}

  /**
   * A voter gives its vote, once for each term.
   *
   * @param cluster to which it belongs; empty: none yet
   * @param candidate for whom it votes
   * @param acceptedTerm the term of the publication that the voter has accepted
   * @param acceptedVersion the version of that publication
   * @param ago how long ago the voter last answered a leader, in nanoseconds of its own clock (R28)
   */
  record Vote(
      String cluster,
      String candidate,
      long term,
      long acceptedTerm,
      long acceptedVersion,
      long ago)
      implements Message {}

  /**
   * The leader publishes a state.
   *
   * @param cluster whose state it is
   * @param committed the last configuration that the leader knows to be committed
   */
  record Publish(String cluster, Publication publication, Configuration committed)
      implements Message {
    @Override
    public long term() {
      return publication.term();
    }
  }

  /** A voter has accepted the publication with this term and version, and will not forget it. */
  record Accepted(long term, long version) implements Message {}

  /** The leader says that the publication with this term and version is committed. */
  record Commit(long term, long version) implements Message {}

  /** A voter lacks the publication that the leader has told it was committed. */
  record Lacking(long term, long version) implements Message {}

  /**
   * The leader asks whether its term still stands (R10).
   *
   * @param version the last that was committed: who lacks it asks for it
   */
  record Question(long term, long batch, long version) implements Message {}

  /**
   * A voter answers that it has not started a later term.
   *
   * @param minutes its wall clock, since the beginning of 2025
   */
  record Standing(long term, long batch, long minutes) implements Message {}
}
