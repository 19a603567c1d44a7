package io.baton.member;

/** One who asked a member for a lock: told of its grant, and of its loss. */
public interface Caller {
  /**
   * The lock is its own. The host looks at the clock once more before it says so to anybody ({@link
   * Member#isHeld}), since it may have been stopped in between (R9).
   */
  void granted(long fence);

  /** The lock is no longer its own, or it waits for it in vain. */
  void lost(Loss reason);
}
