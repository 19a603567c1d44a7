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
}
