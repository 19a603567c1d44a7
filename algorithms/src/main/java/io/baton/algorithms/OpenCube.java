package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The geometry of the open cube, [OC] §2, computed from the numbers of the nodes alone.
 *
 * <p>Counted from 0, the p-group of a node is the set of nodes that share its bits from p upwards;
 * groups never change, and so neither do distances. Which node is the root of a group is what a
 * tree says: an open cube is a tree in which every p-group has one root, the son or the father of
 * the root of its sibling.
 *
 * <p>Departs from [OC] §2: N need not be a power of two. The nodes beyond N are simply absent, and
 * since they are the last ones of every group, a group that is not empty contains its first node.
 */
public final class OpenCube {
  private OpenCube() {}

  /** The smallest p such that all N nodes are in one p-group: ⌈log2 N⌉. */
  public static int pmax(int nodes) {
    return bitLength(nodes - 1);
  }

  /** Definition 2.2: the smallest d such that i and j are in the same d-group. */
  public static int distance(int i, int j) {
    return bitLength(i ^ j);
  }

  /** Whether i and j are in the same p-group. */
  public static boolean sameGroup(int i, int j, int p) {
    return distance(i, j) <= p;
  }

  /** The first node of the p-group of i. */
  public static int firstOfGroup(int i, int p) {
    return p >= Integer.SIZE ? 0 : i >>> p << p;
  }

  /** Definition 2.1 and Proposition 2.1: the power of a node with this father. */
  public static int power(int i, int father, int pmax) {
    return father == NIL ? pmax : distance(i, father) - 1;
  }

  /**
   * Definition 2.3, by the test of §3.1: whether a request of j comes to i through its last son. As
   * all nodes below a son have the same distance from i, the son itself need not be known.
   */
  public static boolean throughLastSon(int i, int father, int j, int pmax) {
    return distance(i, j) == power(i, father, pmax);
  }

  /**
   * The father of a node in the initial tree with the given root; nil for the root itself. With
   * root 0 it is the canonical open cube of Figure 2.
   *
   * <p>The root of a group is the given root where the group contains it, else the group's first
   * node. So a node is the root of its p-group as long as its last p bits are 0 and the given root
   * is outside; its father is the root of the next larger group. No father is ever an absent node.
   */
  public static int father(int x, int root) {
    if (x == root) {
      return NIL;
    }
    int power = Integer.numberOfTrailingZeros(x); // as far as the root is outside
    return power + 1 >= distance(x, root) ? root : x & (x - 1);
  }

  /**
   * What is wrong with a tree that should be an open cube; null where nothing is.
   *
   * <p>Every node is within reach of its father (Corollary 2.1), and no two sons of one node have
   * the same power. Then every p-group has one root: its nodes' ways up leave it at one place only.
   */
  public static @Nullable String whyNot(int[] fathers) {
    return whyNot(fathers, j -> true);
  }

  /** The same of the tree that is left where some nodes are absent. */
  public static @Nullable String whyNot(int[] fathers, IntPredicate present) {
    int pmax = pmax(fathers.length);
    int root = NIL;
    long[] sonPowers = new long[fathers.length]; // bit p: there is a son of power p
    for (int j = 0; j < fathers.length; j++) {
      int i = fathers[j];
      if (!present.test(j)) {
        continue;
      }
      if (i == NIL) {
        if (root != NIL) {
          return "two roots, " + Names.of(root) + " and " + Names.of(j);
        }
        root = j;
        continue;
      }
      int power = power(j, i, pmax);
      if (!present.test(i)) {
        return Names.of(j) + " has an absent father, " + Names.of(i);
      }
      if (power >= power(i, fathers[i], pmax)) {
        return Names.of(j) + " has a father of too little power, " + Names.of(i);
      }
      if ((sonPowers[i] & 1L << power) != 0) {
        return "two sons of " + Names.of(i) + " have power " + power;
      }
      sonPowers[i] |= 1L << power;
    }
    return root == NIL ? "no root" : null;
  }

  /**
   * The messages of one request of node x, alone in an open cube: two for each edge on its way to
   * the root that is no boundary edge, one for each that is, one more where the root is transit,
   * and the return where there was a proxy.
   */
  public static int cost(int x, int[] fathers) {
    int pmax = pmax(fathers.length);
    int proxies = 0;
    int transits = 0;
    boolean rootIsTransit = false;
    for (int son = x; fathers[son] != NIL; son = fathers[son]) {
      int i = fathers[son];
      rootIsTransit = throughLastSon(i, fathers[i], son, pmax);
      proxies += rootIsTransit ? 0 : 1;
      transits += rootIsTransit ? 1 : 0;
    }
    return 2 * proxies + transits + (rootIsTransit ? 1 : 0) + (proxies > 0 ? 1 : 0);
  }

  private static int bitLength(int x) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(x);
  }
}
