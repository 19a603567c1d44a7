package io.baton.cluster;

/**
 * On which terms a lock is taken.
 *
 * @param atMost after how many nanoseconds the hold ends by itself; {@link #FOR_EVER}: never
 * @param atLeast for how many nanoseconds from its beginning others do not get the lock, even when
 *     it is given back before
 * @param note what others are to read about the hold; empty: nothing
 * @param owner for whom the lock is taken; empty: for the thread that asks
 */
public record Terms(long atMost, long atLeast, String note, String owner) {
  /** As long as there can be. */
  public static final long FOR_EVER = Long.MAX_VALUE;

  /** In an extension: for as long as was said before. */
  public static final long AS_BEFORE = -1;

  /** Without any. */
  public static final Terms NONE = new Terms(FOR_EVER, 0, "", "");

  /** The same with another end. */
  public Terms withAtMost(long newAtMost) {
    return new Terms(newAtMost, atLeast, note, owner);
  }

  /** The same with another time for which others do not get the lock. */
  public Terms withAtLeast(long newAtLeast) {
    return new Terms(atMost, newAtLeast, note, owner);
  }

  /** The same with another note. */
  public Terms withNote(String newNote) {
    return new Terms(atMost, atLeast, newNote, owner);
  }

  /** The same for another owner. */
  public Terms withOwner(String newOwner) {
    return new Terms(atMost, atLeast, note, newOwner);
  }

  /** Whether the hold ends by itself. */
  boolean isLimited() {
    return atMost != FOR_EVER;
  }

  /** That many nanoseconds after an instant. */
  static long after(long instant, long nanos) {
    long sum = instant + nanos;
    return nanos > 0 && sum < instant ? Long.MAX_VALUE : sum;
  }
}
