package io.baton.algorithms;

/** A state that says whether the token is here. */
public interface HasToken extends State {
  boolean tokenHere();
}
