package io.baton.algorithms;

import java.util.BitSet;

/**
 * A rule that sets a node's behaviour: [GS] §4.2. Any function will do, and it may change its mind
 * at any time: safety and liveness do not depend on it, only the cost does.
 *
 * <p>The scheme asks when it processes {@code request(j)}, and again when the token arrives that a
 * proxy asked for on behalf of j.
 */
@FunctionalInterface
public interface Rule {
  /** The behaviour of node i towards j. */
  Behavior behavior(Position i, int j);

  /** What a rule may look at: a node's place in the tree. */
  interface Position {
    /** This node. */
    int id();

    /** Whom it asks for the token; nil if it is the root. */
    int father();

    /** Whether the token is here. */
    boolean tokenHere();
  }

  /** Whether two nodes have a physical link; symmetric. */
  @FunctionalInterface
  interface Links {
    boolean linked(int a, int b);
  }

  /** The centralised algorithm: the tree never changes, its root lends the token. */
  Rule ALWAYS_PROXY = (i, j) -> Behavior.PROXY;

  /** The algorithm of Naimi and Trehel: nobody lends, the requester becomes the root. */
  Rule ALWAYS_TRANSIT = (i, j) -> Behavior.TRANSIT;

  /** The algorithm of Raymond and van de Snepscheut: edges turn round, the tree stays. */
  Rule TRANSIT_IFF_TOKEN_HERE = (i, j) -> i.tokenHere() ? Behavior.TRANSIT : Behavior.PROXY;

  /**
   * Short-cuts (Figure 4): transit where j has a physical link to the father of i. A tree whose
   * edges are links keeps that property, and the token takes shorter paths.
   */
  static Rule shortCut(Links links) {
    return (i, j) ->
        i.father() != Algorithm.NIL && links.linked(j, i.father())
            ? Behavior.TRANSIT
            : Behavior.PROXY;
  }

  /**
   * The open cube, [OC] §3.1: transit where the request came through the last son. On an open cube
   * every change of the tree is then a b-transformation, and the tree stays an open cube.
   *
   * @param pmax the power of the root, see {@link OpenCube#pmax}
   */
  static Rule lastSon(int pmax) {
    return (i, j) ->
        OpenCube.throughLastSon(i.id(), i.father(), j, pmax) ? Behavior.TRANSIT : Behavior.PROXY;
  }

  /** The nodes in the set are proxies, all others transit; the set is copied. */
  static Rule proxies(BitSet proxies) {
    BitSet copy = (BitSet) proxies.clone();
    return (i, j) -> copy.get(i.id()) ? Behavior.PROXY : Behavior.TRANSIT;
  }

  /**
   * Two networks joined by one gateway each: the gateways are proxies, inside the networks another
   * rule holds. Of the other network a gateway needs to know the other gateway only.
   */
  static Rule gateways(int one, int other, Rule inside) {
    return (i, j) -> i.id() == one || i.id() == other ? Behavior.PROXY : inside.behavior(i, j);
  }
}
