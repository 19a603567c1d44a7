/** Traces as text: recorded, written by hand, replayed, checked and shrunk. */
@NullMarked
package io.baton.simulator.trace;

import org.jspecify.annotations.NullMarked;
