package io.baton.simulator.agreement;

import io.baton.agreement.Publication;

/** What has happened for good in a run, whoever has forgotten it. */
sealed interface Fact {
  /** Whether the other one is the same fact, known before. */
  default boolean isSaidAgainBy(Fact other) {
    return equals(other);
  }

  /** A voter was elected. */
  record Won(long term, String leader) implements Fact {}

  /** A leader published a state, after one that it had accepted. */
  record Published(Publication publication, String leader, long beforeTerm, long beforeVersion)
      implements Fact {
    @Override
    public boolean isSaidAgainBy(Fact other) {
      return other instanceof Published same
          && same.publication.equals(publication)
          && same.leader.equals(leader);
    }
  }

  /** A leader learned that a publication is committed. */
  record Committed(long term, long version) implements Fact {}

  /**
   * A leader asked whether its term stands.
   *
   * @param latest the latest term in which anybody had been elected by then
   */
  record Asked(long term, long batch, long latest) implements Fact {
    @Override
    public boolean isSaidAgainBy(Fact other) {
      return other instanceof Asked same && same.term == term && same.batch == batch;
    }
  }

  /** A leader learned that its term still stood after it had asked. */
  record Confirmed(long term, long batch, String leader) implements Fact {}

  /** A voter was told of a state that cannot follow what it knows to be committed. */
  record Contradicted(String voter, Publication publication) implements Fact {}
}
