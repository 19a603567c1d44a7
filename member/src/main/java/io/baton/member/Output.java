package io.baton.member;

/** What a member asks of its host while it handles one event. */
public interface Output {
  /** Sends a packet to a process, itself included; it may get lost. */
  void send(String id, Packet packet);

  /** The token of a lock goes to another member. */
  default void handedOver(String lock) {}

  /** The lock is no longer held with this fence. */
  void forced(String lock, long fence, boolean ended);

  /** A former life of this member, or a twin, may still hold locks: it must wait (R4). */
  void inUse();

  /** This member has left: nothing more comes from it. */
  void left();

  /** At a voter that leads: has the log take an entry; it may get lost, or be logged late. */
  void propose(Command command);

  /**
   * At a voter that leads: has a majority confirm, from now on, that the term still stands. The
   * answer is {@link Member#confirmed}; none comes where it does not.
   */
  void confirm(long term, long batch);
}
