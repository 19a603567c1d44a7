package io.baton.cluster;

import io.baton.member.ClusterState;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the log by which the voters agree on one state after the other.
 *
 * @param term in which its leader published it: void where it is logged in another (R11)
 * @param state the next one; null: a leader's sign of life, which changes nothing
 */
record LogEntry(long term, @Nullable ClusterState state) {
  /** Of the state that a cluster is founded with. */
  static final long FOUNDING = 0;
}
