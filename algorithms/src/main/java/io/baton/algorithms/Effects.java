package io.baton.algorithms;

/** What an algorithm asks of its host while it handles one event. */
public interface Effects {
  /** Sends a message to another node. The host decides when it arrives. */
  void send(int to, Message message);

  /**
   * Lets this node into the critical section.
   *
   * @param cargo the long that the last holder left at its exit; 0 for the very first
   */
  void grant(long cargo);

  /** Has the alarm ring after a delay. Setting it again before it rings moves it. */
  void setAlarm(Alarm alarm, long delay);
}
