package io.baton.cluster;

import io.baton.member.Packet;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What goes over a connection. */
sealed interface Frame {
  /** The cluster of who belongs to none yet. */
  UUID NO_CLUSTER = new UUID(0, 0);

  /**
   * The first word of each side: who it is. Its first two numbers stay where they are in all
   * versions to come.
   *
   * @param oldest the oldest version of the protocol that it speaks
   * @param newest the newest
   * @param cluster the name of its cluster
   * @param clusterId the cluster's id; {@link #NO_CLUSTER}: it belongs to none yet
   * @param incarnation of its present life; 0: it has not been admitted yet
   * @param run grows with every start
   * @param process differs from that of every other process, of the same id as well
   * @param lease in nanoseconds, the same at all members
   * @param founds whether it is about to found a cluster alone
   * @param address where others reach it
   */
  record Hello(
      int oldest,
      int newest,
      String cluster,
      UUID clusterId,
      String id,
      long incarnation,
      long run,
      long process,
      long lease,
      boolean founds,
      String address)
      implements Frame {
    /** Whether it belongs to a cluster. */
    boolean belongs() {
      return !clusterId.equals(NO_CLUSTER);
    }

    /** The same, as a part of this cluster. */
    Hello in(UUID newCluster) {
      return new Hello(
          oldest,
          newest,
          cluster,
          newCluster,
          id,
          incarnation,
          run,
          process,
          lease,
          founds,
          address);
    }
  }

  /** Instead of a hello: why there will be no conversation. */
  record Refusal(Reason reason, String text) implements Frame {}

  /** Why a hello is refused. */
  enum Reason {
    /** No version in common. */
    VERSION,
    /** Another cluster, by name or by id. */
    CLUSTER,
    /** Another process has this id. */
    IN_USE,
    /** It is this very process. */
    SELF,
    /** What came was no hello. */
    GARBAGE,
    /** A cluster of one that nobody may join. */
    ALONE,
    /** There are as many members as there may be. */
    FULL
  }

  /** A sign of life where there is nothing to say. */
  record Ping() implements Frame {}

  /** The sender belongs to this cluster now. */
  record Founded(UUID clusterId) implements Frame {}

  /** To one who is no member: where members are, by id, for it needs the one that leads. */
  record Known(Map<String, String> addresses) implements Frame {
    /** The map is copied. */
    public Known {
      addresses = Map.copyOf(addresses);
    }
  }

  /** For the member. */
  record Carried(Packet packet) implements Frame {}

  /**
   * Which locks are in use at you?
   *
   * @param lock only this one; empty: all
   */
  record Ask(long question, String lock) implements Frame {}

  /**
   * This one is.
   *
   * @param report null: that was all
   */
  record Answer(long question, @Nullable LockReport report) implements Frame {}
}
