/** A deterministic world for the algorithms; its parts are in the packages below. */
@NullMarked
package io.baton.simulator;

import org.jspecify.annotations.NullMarked;
