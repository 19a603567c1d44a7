/**
 * The agreed log on Apache Ratis, whose servers talk over Baton's own connections. No type of Ratis
 * leaves this package.
 */
@NullMarked
package io.baton.cluster.raft;

import org.jspecify.annotations.NullMarked;
