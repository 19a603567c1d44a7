package io.baton.cluster;

/**
 * One who waits for a lock that somebody holds.
 *
 * @param member where it waits
 * @param owner names it among all of its member
 * @param name of its thread, or of the owner that was named
 * @param lock that it waits for
 * @param wish names this wish among all of its owner
 * @param fence of the hold that is in its way
 */
public record Blocked(
    String member, String owner, String name, String lock, long wish, long fence) {}
