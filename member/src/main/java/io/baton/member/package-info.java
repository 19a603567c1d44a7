/**
 * One member of a cluster with all its locks, as a state machine without thread, clock or socket:
 * whatever could break a promise is here, and runs in the simulator as it runs in production.
 *
 * <p>Start with {@link io.baton.member.Member}; the rules R1 to R26 that comments cite are in
 * docs/ARCHITECTURE.md.
 */
@NullMarked
package io.baton.member;

import org.jspecify.annotations.NullMarked;
