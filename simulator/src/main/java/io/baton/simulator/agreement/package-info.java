/** The voters' agreement, explored: every schedule of a few voters, terms and versions. */
@NullMarked
package io.baton.simulator.agreement;

import org.jspecify.annotations.NullMarked;
