package io.baton.member;

/**
 * One who wants to be a member.
 *
 * @param run which attempt to join this is: greater with each
 * @param deadSince all earlier attempts from this one on were made by processes that have ended for
 *     certain (R27); the run itself: nothing is certain
 */
public record Newcomer(String id, String address, long run, long deadSince) {
  /** One that proves nothing about earlier attempts. */
  public Newcomer(String id, String address, long run) {
    this(id, address, run, run);
  }

  /** Whether the process that made an earlier attempt has surely ended. */
  boolean outlived(long earlier) {
    return deadSince <= earlier && earlier < run;
  }
}
