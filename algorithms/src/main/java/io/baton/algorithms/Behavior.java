package io.baton.algorithms;

/** How a node reacts to a request: [GS] §2.1. */
public enum Behavior {
  /** Takes the request on its own account: asks for itself, or lends the token. */
  PROXY,
  /** Forwards the request as it is, or gives the token up for good. */
  TRANSIT
}
