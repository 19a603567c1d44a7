package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The variables of a node.
 *
 * @param out nodes that are not in the ring
 */
record RingState(
    long hSeqNumSeen,
    List<Wish> wishes,
    List<Integer> out,
    List<Hop> hops,
    List<Integer> awaited,
    Stamp asked)
    implements State {
  @Override
  public List<Variable> variables() {
    List<Variable> all = new ArrayList<>();
    all.add(new Variable("HSeqNumSeen", Long.toString(hSeqNumSeen)));
    for (int r = 0; r < wishes.size(); r++) {
      String of = r == 0 ? "" : "r" + (r + 1) + "_";
      Wish wish = wishes.get(r);
      all.add(new Variable("T" + of, wish.copy() == null ? "nil" : wish.copy().toString()));
      all.add(Variable.of("inCS" + of, wish.inside()));
      all.add(new Variable("Q" + of, wish.queue().toString().replace(" ", "")));
    }
    List<String> names = out.stream().map(Names::of).toList();
    all.add(new Variable("out", names.toString().replace(" ", "")));
    return all;
  }

  /** A token on its way to the next node. */
  record Hop(int to, RingToken token) {}

  /** The variables of a node that concern one resource. */
  record Wish(
      boolean wanted,
      @Nullable RingToken copy,
      boolean inside,
      List<RingToken> queue,
      long cargo) {}
}
