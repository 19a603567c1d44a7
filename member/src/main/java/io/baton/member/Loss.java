package io.baton.member;

/** Why a hold ended before its release. */
public enum Loss {
  /** The member could not renew its lease in time. */
  PARTITIONED,
  /** The member was put out of the cluster. */
  EVICTED,
  /** Somebody released the lock by force. */
  FORCED,
  /** The time is over that it was taken for. */
  EXPIRED,
  /** The member leaves. */
  CLOSED
}
