package io.baton;

/**
 * What a candidate does when it leads, and when it does not any more. The two are called strictly
 * in turn, each once for each time that it leads, on one thread of the candidate's own. What either
 * throws is logged; where it is {@link #onElected} the candidate resigns.
 */
@FunctionalInterface
public interface LeaderCallbacks {
  /**
   * This candidate leads from now on: begin the work, or do it here. The thread is interrupted
   * where the leadership ends before this returns.
   *
   * @param fence greater than that of any leader before: give it to what the leader writes to
   */
  void onElected(long fence) throws Exception;

  /**
   * It leads no more: end the work. Where the leader steps down the next one is elected only after
   * this returns; otherwise see {@link Hold#onLost}.
   */
  default void onRevoked(LossReason reason) throws Exception {}
}
