/** Many seeds: a random system and a random run from each. */
@NullMarked
package io.baton.simulator.fuzz;

import org.jspecify.annotations.NullMarked;
