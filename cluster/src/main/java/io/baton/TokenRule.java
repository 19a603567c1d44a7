package io.baton;

import io.baton.member.Rules;

/**
 * By which rule the token of a lock moves among the members. All are safe and fair; they differ in
 * the number of messages and in who waits how long.
 */
public enum TokenRule {
  /** Whoever asks becomes the root; the default, the fewest messages for up to 16 members. */
  NAIMI_TREHEL,
  /** The edges of the tree turn round as the token passes. */
  RAYMOND,
  /** The root lends the token; the fewest messages for many members, most of them at the root. */
  CENTRALIZED,
  /** The open cube: the best bound on the worst case. */
  OPEN_CUBE;

  Rules rules() {
    return switch (this) {
      case NAIMI_TREHEL -> Rules.NAIMI_TREHEL;
      case RAYMOND -> Rules.RAYMOND;
      case CENTRALIZED -> Rules.CENTRALIZED;
      case OPEN_CUBE -> Rules.OPEN_CUBE;
    };
  }
}
