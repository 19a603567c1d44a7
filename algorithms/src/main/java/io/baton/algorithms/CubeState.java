package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;

/**
 * The state of one node of the open cube with failures: the variables of the general scheme, and
 * those of [OC] §5.
 *
 * @param source for whom the current request or loan is
 * @param phase the phase of search_father; 0: not searching
 * @param tryLater who said "try later" in this phase, in order
 * @param enquiring whether an enquiry is out
 * @param recovering whether the search is that of a node that came back
 */
public record CubeState(
    SchemeState scheme,
    int source,
    int phase,
    List<Integer> tryLater,
    boolean enquiring,
    boolean recovering)
    implements HasToken {
  @Override
  public boolean tokenHere() {
    return scheme.tokenHere();
  }

  @Override
  public List<Variable> variables() {
    List<Variable> all = new ArrayList<>(scheme.variables());
    all.add(Variable.ofNode("source", source));
    all.add(new Variable("phase", phase == 0 ? "nil" : Integer.toString(phase)));
    all.add(Variable.of("enquiring", enquiring));
    all.add(Variable.of("recovering", recovering));
    return List.copyOf(all);
  }
}
