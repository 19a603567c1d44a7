/** Every schedule of a small system. */
@NullMarked
package io.baton.simulator.explore;

import org.jspecify.annotations.NullMarked;
