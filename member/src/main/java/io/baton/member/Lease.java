package io.baton.member;

/**
 * A member's right to hold anything, by its own clock (R9). A renewal counts from the moment it was
 * sent; an answer after the end is void, and what has run out never begins again.
 */
final class Lease {
  private static final long NONE = Long.MIN_VALUE;

  private final long length;
  private long end = NONE; // none before the first answer

  Lease(Settings settings) {
    this.length = settings.leaseAtMember();
  }

  /** Whether something may be granted or held now. */
  boolean isValid(long now) {
    return end != NONE && now < end;
  }

  /** Whether there was one, and it is over. */
  boolean hasRunOut(long now) {
    return end != NONE && now >= end;
  }

  /** The answer to a renewal comes, in time. */
  void renewed(long sent, long now) {
    long newEnd = sent + length;
    if (!hasRunOut(now) && newEnd > now) {
      end = Math.max(end, newEnd);
    }
  }

  long end() {
    return end == NONE ? Link.NEVER : end;
  }
}
