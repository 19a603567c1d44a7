package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;

/**
 * What a node of the open cube with failures knows in any case: the variables of the general
 * scheme, and those of [OC] §5.
 *
 * @param source for whom the current request or loan is
 * @param phase the phase of search_father; 0: not searching
 * @param enquiring whether an enquiry is out
 * @param recovering whether the search is that of a node that came back
 */
public record CubeState(
    SchemeState scheme, int source, int phase, boolean enquiring, boolean recovering) {

  /** The state of a node that has more to remember. */
  interface Extended extends HasToken, HasFather {
    CubeState cube();

    @Override
    default boolean tokenHere() {
      return cube().scheme().tokenHere();
    }

    @Override
    default int father() {
      return cube().scheme().father();
    }
  }

  List<State.Variable> variables() {
    List<State.Variable> all = new ArrayList<>(scheme.variables());
    all.add(State.Variable.ofNode("source", source));
    all.add(new State.Variable("phase", phase == 0 ? "nil" : Integer.toString(phase)));
    all.add(State.Variable.of("enquiring", enquiring));
    all.add(State.Variable.of("recovering", recovering));
    return all;
  }
}
