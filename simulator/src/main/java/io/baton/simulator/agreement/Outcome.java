package io.baton.simulator.agreement;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of an exploration, or of walks.
 *
 * @param states how many different ones were seen; of walks, how many there were
 * @param complete whether nothing within the bounds was left out
 * @param broken the first promise that was broken, and how; null: none was
 * @param trace the steps that led to that
 */
public record Outcome(
    long states, long transitions, boolean complete, @Nullable String broken, List<String> trace) {}
