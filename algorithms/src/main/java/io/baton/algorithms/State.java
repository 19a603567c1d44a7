package io.baton.algorithms;

import java.util.List;

/** The state of one node as an immutable value: equal, hashable and printable. */
public interface State {
  /** The paper's variables, in the paper's order, as a reader of the paper would write them. */
  List<Variable> variables();

  /** One variable and its value as text; a boolean is {@code true} or {@code false}. */
  record Variable(String name, String value) {
    static Variable of(String name, boolean value) {
      return new Variable(name, Boolean.toString(value));
    }

    static Variable ofNode(String name, int node) {
      return new Variable(name, Names.of(node));
    }
  }
}
