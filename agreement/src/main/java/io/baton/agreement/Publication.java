package io.baton.agreement;

import org.jspecify.annotations.Nullable;

/**
 * A state that a leader has published: one for each term and version.
 *
 * @param term the leader's term; 0: the state that the cluster was founded with
 * @param version counts the publications, over all terms
 * @param value the state; null only before a voter has accepted any
 * @param configuration who votes once this is committed
 */
public record Publication(
    long term, long version, @Nullable Value value, Configuration configuration) {
  /** What a voter has accepted before it has accepted anything. */
  public static final Publication NONE = new Publication(0, 0, null, Configuration.NONE);

  /** The epoch of the value; 0 where there is none. */
  public long epoch() {
    return value == null ? 0 : value.epoch();
  }

  /** Whether this was published after one with the given term and version. */
  boolean isLaterThan(long otherTerm, long otherVersion) {
    return term > otherTerm || (term == otherTerm && version > otherVersion);
  }

  /** Whether this is the publication with the given term and version. */
  boolean is(long otherTerm, long otherVersion) {
    return term == otherTerm && version == otherVersion;
  }

  @Override
  public String toString() {
    return term + "." + version + " " + value + " of " + configuration;
  }
}
