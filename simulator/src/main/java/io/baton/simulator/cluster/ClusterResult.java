package io.baton.simulator.cluster;

import io.baton.simulator.run.Violation;
import org.jspecify.annotations.Nullable;

/**
 * How a run of members went.
 *
 * @param losses holds that ended before their release
 * @param letters that were sent, repetitions included
 * @param mirrored messages that the plain algorithm sent too, where that was looked at
 * @param entries of the agreed log
 * @param longestWait for a grant once the faults had stopped, in microseconds
 */
record ClusterResult(
    @Nullable Violation violation,
    long grants,
    long losses,
    long letters,
    long mirrored,
    int entries,
    long events,
    long longestWait) {}
