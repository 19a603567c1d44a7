package io.baton.algorithms;

/** A message that is the one token of its system. */
interface CarriesToken extends Message {}
