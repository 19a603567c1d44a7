package io.baton.algorithms;

/** What an algorithm asks of its host while it handles one event. */
public interface Effects {
  /** Sends a message to another node. The host decides when it arrives. */
  void send(int to, Message message);

  /**
   * Lets this node into the critical section of a resource.
   *
   * @param cargo the long that the last holder left at its exit; 0 for the very first
   */
  void grant(int resource, long cargo);

  /** Lets this node into the critical section, where there is one resource. */
  default void grant(long cargo) {
    grant(0, cargo);
  }

  /** Has the alarm ring after a delay. Setting it again before it rings moves it. */
  void setAlarm(Alarm alarm, long delay);
}
