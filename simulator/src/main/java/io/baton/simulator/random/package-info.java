/**
 * Randomness that is the same on every machine: a generator of our own, and distributions of times.
 */
@NullMarked
package io.baton.simulator.random;

import org.jspecify.annotations.NullMarked;
