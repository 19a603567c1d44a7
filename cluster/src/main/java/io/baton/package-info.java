/**
 * Distributed locks without a lock server: {@link io.baton.Baton#join}, {@link
 * io.baton.Baton#lock}, {@link io.baton.BatonLock#acquire}.
 */
@NullMarked
package io.baton;

import org.jspecify.annotations.NullMarked;
