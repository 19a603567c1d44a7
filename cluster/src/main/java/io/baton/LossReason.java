package io.baton;

/** Why a lock is no longer held although nobody gave it back. */
public enum LossReason {
  /** This member could not renew its lease: it was cut off from the majority, or stood still. */
  PARTITIONED,
  /** The others went on without this member, whose lease they took for over. */
  EVICTED,
  /** Somebody forced the release. */
  FORCED,
  /** The time is over for which the lock was taken. */
  EXPIRED,
  /** A leader stepped down, or its callback failed; never of a lock. */
  STEPPED_DOWN,
  /** This member leaves the cluster. */
  CLOSED
}
