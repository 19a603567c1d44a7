package io.baton.member;

import io.baton.algorithms.OpenCube;
import io.baton.algorithms.Rule;

/**
 * By which rule the token of a lock moves. Members need not agree on it: safety and liveness do not
 * depend on the rule, only the cost does ([GS] §4.2).
 */
@FunctionalInterface
public interface Rules {
  /** The rule for a lock in an epoch with so many founders. */
  Rule of(String lock, int founders);

  /** How many local callers in a row are served while another member waits. */
  default int passes(String lock, int usual) {
    return usual;
  }

  /** Naimi and Trehel: whoever asks becomes the root. The default, see docs/ARCHITECTURE.md. */
  Rules NAIMI_TREHEL = (lock, founders) -> Rule.ALWAYS_TRANSIT;

  /** Raymond: edges turn round. */
  Rules RAYMOND = (lock, founders) -> Rule.TRANSIT_IFF_TOKEN_HERE;

  /** The root lends the token. */
  Rules CENTRALIZED = (lock, founders) -> Rule.ALWAYS_PROXY;

  /** The open cube. */
  Rules OPEN_CUBE = (lock, founders) -> Rule.lastSon(OpenCube.pmax(founders));
}
