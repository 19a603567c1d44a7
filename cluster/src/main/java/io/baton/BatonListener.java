package io.baton;

import java.time.Duration;

/**
 * Hears what happens at this member, for metrics, logs, and programs that steer by it. All methods
 * do nothing unless overridden. They are called one after the other on a thread for callbacks, in
 * the order in which things happened, but for {@link #waited} and {@link #held}, which the thread
 * calls that takes or closes a hold. One that throws is logged and called again next time. While
 * ten thousand calls wait for a slow one, {@link #lease} and {@link #handedOver} are left out.
 */
public interface BatonListener {
  /** Locks can be held from now on; also told to one that begins to listen when they can. */
  default void ready() {}

  /**
   * No locks can be held for now, and all that were held are lost: no majority of the voters
   * answers, or this member was put out. {@link #ready} follows when that is over.
   */
  default void suspended(String why) {}

  /** This member has left its cluster, or was ended by an error: nothing follows. */
  default void left() {}

  /** The cluster has so many members now. */
  default void members(int count) {}

  /** The lease was renewed: locks are safely held for so long, should nothing more be heard. */
  default void lease(Duration remaining) {}

  /**
   * Somebody asked for a lock.
   *
   * @param waited until it was granted or given up
   * @param granted whether it was granted
   */
  default void waited(String lock, Duration waited, boolean granted) {}

  /** A hold was closed, after so long. */
  default void held(String lock, Duration held) {}

  /** A hold was lost. */
  default void lost(String lock, long fence, LossReason reason) {}

  /**
   * A hold became unreachable and was not closed: its lock stays held until this member ends, or
   * somebody calls {@link Baton#forceRelease}. It is noticed after some seconds, once the collector
   * has run.
   */
  default void dropped(String lock, long fence) {}

  /** The token of a lock went from this member to another. */
  default void handedOver(String lock) {}

  /** Somebody at this member waits for itself, over others. */
  default void deadlock(Deadlock deadlock) {}
}
