package io.baton.agreement;

/**
 * How fast voters do what no promise depends on, in the unit of their clocks.
 *
 * @param heartbeat how long a leader is silent at most
 * @param election for how long a voter hears no leader before it asks for an election, at least; up
 *     to twice as long, by chance. A leader that does not hear a majority for as long leads no more
 * @param silence after how long without a word somebody is taken to be away
 * @param replaceAfter for how long a voter is away before another votes in its place, and for how
 *     long that one must have been heard of without a gap
 */
public record Pace(long heartbeat, long election, long silence, long replaceAfter) {}
