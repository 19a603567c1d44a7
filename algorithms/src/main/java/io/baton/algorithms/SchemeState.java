package io.baton.algorithms;

import java.util.List;

/**
 * The state of one node of the general scheme: the variables of [GS] §2.2 (behavior is the rule's),
 * the queue of waiting requests, and the token's cargo where the token is.
 *
 * <p>Annex 2 has neither lender nor mandator and Annex 3 no lender; theirs stay nil.
 */
public record SchemeState(
    boolean tokenHere,
    boolean asked,
    int father,
    int lender,
    int mandator,
    List<Request> waiting,
    long cargo)
    implements HasToken, HasFather {
  @Override
  public List<Variable> variables() {
    return List.of(
        Variable.of("tokenHere", tokenHere),
        Variable.of("asked", asked),
        Variable.ofNode("father", father),
        Variable.ofNode("lender", lender),
        Variable.ofNode("mandator", mandator),
        new Variable("waiting", origins()));
  }

  private String origins() {
    StringBuilder text = new StringBuilder("[");
    for (Request request : waiting) {
      text.append(text.length() == 1 ? "" : ",").append(Names.of(request.origin()));
    }
    return text.append("]").toString();
  }
}
