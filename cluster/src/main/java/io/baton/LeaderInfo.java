package io.baton;

import java.time.Instant;

/**
 * Who leads.
 *
 * @param member its id
 * @param fence of its election
 * @param since when it was elected, by the wall clock of that member
 */
public record LeaderInfo(String member, long fence, Instant since) {}
