package io.baton.agreement;

/** What voters say to each other. A message may be lost, late, doubled, or overtake others. */
public sealed interface Message {
  /** The term in which the sender speaks. */
  long term();

  /** A candidate asks for a vote in a new term. */
  record StartTerm(long term) implements Message {}

  /**
   * A voter gives its vote, once for each term.
   *
   * @param candidate for whom it votes
   * @param acceptedTerm the term of the publication that the voter has accepted
   * @param acceptedVersion the version of that publication
   * @param ago how long ago the voter last answered a leader, in nanoseconds of its own clock (R28)
   */
  record Vote(String candidate, long term, long acceptedTerm, long acceptedVersion, long ago)
      implements Message {}

  /**
   * The leader publishes a state.
   *
   * @param committed the last configuration that the leader knows to be committed
   */
  record Publish(Publication publication, Configuration committed) implements Message {
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

  /** The leader asks whether its term still stands (R10). */
  record Question(long term, long batch) implements Message {}

  /** A voter answers that it has not started a later term. */
  record Standing(long term, long batch) implements Message {}
}
