/**
 * One node's share of one lock: the papers' algorithms as pure state machines, and the invariants
 * their proofs rest on.
 *
 * <p>Nothing here knows a thread, a clock, a socket, a logger or a source of randomness.
 */
@NullMarked
package io.baton.algorithms;

import org.jspecify.annotations.NullMarked;
