/**
 * A deterministic world for whole members: processes that crash, stop and resume, clocks that
 * drift, connections that break, an agreed log whose leader changes, users who take locks, and the
 * promises that must hold all the while.
 */
@NullMarked
package io.baton.simulator.cluster;

import org.jspecify.annotations.NullMarked;
