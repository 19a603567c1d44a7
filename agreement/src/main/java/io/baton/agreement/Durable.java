package io.baton.agreement;

/**
 * What a voter keeps on disk.
 *
 * @param cluster the id of the cluster that it belongs to; empty: none yet
 * @param currentTerm the latest term that the voter has started
 * @param accepted the latest publication that the voter has accepted
 * @param committed the last configuration that the voter knows to be committed
 * @param committedVersion the highest version that the voter knows to be committed
 * @param committedEpoch the epoch of that version
 */
public record Durable(
    String cluster,
    long currentTerm,
    Publication accepted,
    Configuration committed,
    long committedVersion,
    long committedEpoch) {
  /** A voter that has not been told anything yet. */
  public static final Durable NONE = new Durable("", 0, Publication.NONE, Configuration.NONE, 0, 0);

  /** A voter of a cluster that is being founded: no version is committed yet. */
  public static Durable founding(String cluster, Value value, Configuration configuration) {
    return new Durable(
        cluster, 0, new Publication(0, 0, value, configuration), configuration, 0, 0);
  }
}
