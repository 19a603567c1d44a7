package io.baton.algorithms;

/**
 * How a ring is set up.
 *
 * @param anticlockwise whether tokens go from node 2 to node 1 and not to node 3
 * @param timeout after how long a token is sent again, in the host's units of time; 0: never
 * @param acks whether every hop is acknowledged, so that failures of nodes are survived
 */
public record RingSetup(
    int nodes, int resources, boolean anticlockwise, long timeout, boolean acks) {}
