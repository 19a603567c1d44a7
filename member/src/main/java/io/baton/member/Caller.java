package io.baton.member;

/**
 * One who asked a member for a lock: told of its grant, and of its loss.
 *
 * <p>It may hand the lock on within itself, each time with the next number ({@link
 * Fence#mayFollow}), without asking the member, as long as it has not been told that others want
 * it. So a lock that only one process uses is taken again without anybody being asked.
 */
public interface Caller {
  /**
   * The lock is its own. The host looks at the clock once more before it says so to anybody, since
   * it may have been stopped in between (R9).
   */
  void granted(long fence);

  /** Others want the lock: it is to be given back when its use ends. */
  default void wanted() {}

  /** Whether it uses the lock now, and does not only keep it. */
  default boolean isInUse() {
    return true;
  }

  /** It has only tried: somebody else has the lock or waits for it, or nobody has answered. */
  default void refused() {}

  /** The last number that it used, from the one it was granted on. */
  default long last(long granted) {
    return granted;
  }

  /** Whether it uses the lock now, with this number. */
  default boolean isAt(long granted, long fence) {
    return last(granted) == fence;
  }

  /** It was done with the lock, which was kept from others since: that is over. */
  default void rested() {}

  /** The lock is no longer its own, or it waits for it in vain. */
  void lost(Loss reason);
}
