/** One run in virtual time: events, workloads, checks and measures. */
@NullMarked
package io.baton.simulator.run;

import org.jspecify.annotations.NullMarked;
