package io.baton.algorithms;

/** The name of a timer of one node; an algorithm that needs timers declares an enum of them. */
public interface Alarm {}
