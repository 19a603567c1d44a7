/** What is simulated: the catalogue of algorithms, trees, physical graphs, rules and policies. */
@NullMarked
package io.baton.simulator.system;

import org.jspecify.annotations.NullMarked;
