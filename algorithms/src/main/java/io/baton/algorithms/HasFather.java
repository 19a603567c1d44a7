package io.baton.algorithms;

/** The state of a node of a tree algorithm. */
public interface HasFather extends State {
  /** Whom this node asks for the token; nil where it is the root. */
  int father();
}
