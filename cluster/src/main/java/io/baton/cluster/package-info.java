/**
 * The shell around a member: it moves bytes, reads the clock, wakes threads and asks the agreed
 * log. Nothing here decides who may hold a lock.
 */
@NullMarked
package io.baton.cluster;

import org.jspecify.annotations.NullMarked;
