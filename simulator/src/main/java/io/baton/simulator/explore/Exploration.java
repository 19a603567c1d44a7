package io.baton.simulator.explore;

import io.baton.simulator.run.Violation;
import io.baton.simulator.trace.Trace;
import org.jspecify.annotations.Nullable;

/**
 * What the explorer found.
 *
 * @param states how many states it visited, the initial one included
 * @param complete whether there are no others
 * @param violation the first promise broken, or null
 * @param trace a shortest way there, or null
 */
public record Exploration(
    long states,
    long transitions,
    boolean complete,
    @Nullable Violation violation,
    @Nullable Trace trace) {}
