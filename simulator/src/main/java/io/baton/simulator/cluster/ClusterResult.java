package io.baton.simulator.cluster;

import io.baton.simulator.run.Violation;
import org.jspecify.annotations.Nullable;

/**
 * How a run of members went.
 *
 * @param losses holds that ended before their release
 * @param letters that were sent, repetitions included
 * @param mirrored messages that the plain algorithm sent too, where that was looked at
 * @param publications of states, agreed on or not
 * @param longestWait for a grant once the faults had stopped, in microseconds
 */
record ClusterResult(
    @Nullable Violation violation,
    long grants,
    long losses,
    long letters,
    long mirrored,
    long publications,
    long events,
    long longestWait) {}
