package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What [GS] states of the general scheme and its instances, as checks of one instant. */
public final class SchemeInvariants {
  private SchemeInvariants() {}

  /** §3.1: at most one node is in the critical section. */
  public static final Invariant MUTUAL_EXCLUSION =
      new Invariant("mutual exclusion", SchemeInvariants::mutualExclusion);

  /** §3.1: only a node that has the token is in the critical section. */
  public static final Invariant INSIDE_WITH_TOKEN =
      new Invariant("whoever is inside has the token", SchemeInvariants::insideWithToken);

  /** §3.1: there is at most one token, on a node or in transit. */
  public static final Invariant AT_MOST_ONE_TOKEN =
      new Invariant("at most one token", s -> tokens(s) > 1 ? tokens(s) + " tokens" : null);

  /** §3.1, without failures: there is exactly one token. */
  public static final Invariant EXACTLY_ONE_TOKEN =
      new Invariant("exactly one token", s -> tokens(s) != 1 ? tokens(s) + " tokens" : null);

  /** Property 1: any node that receives the token is asked. */
  public static final Invariant PROPERTY_1 =
      new Invariant("Property 1", SchemeInvariants::property1);

  /** Property 2: at most one node is its own lender; it has neither father nor mandator. */
  public static final Invariant PROPERTY_2 =
      new Invariant("Property 2", SchemeInvariants::property2);

  /** Property 3: a node that is not asked has the token if and only if it has no father. */
  public static final Invariant PROPERTY_3 =
      new Invariant("Property 3", SchemeInvariants::property3);

  /** Proposition 1: the relation a_tree, conditions (a1) to (a5), is a rooted tree. */
  public static final Invariant A_TREE =
      new Invariant("a_tree is a rooted tree", SchemeInvariants::aTree);

  /** §2.2: a request waits only while its node is asked. */
  public static final Invariant NOBODY_WAITS_IN_VAIN =
      new Invariant("nobody waits on a node that is not asked", SchemeInvariants::waitsInVain);

  /** Lemma 1: a node has at most one request on its way or waiting. */
  public static final Invariant ONE_REQUEST_EACH =
      new Invariant("at most one request of each node", SchemeInvariants::oneRequestEach);

  /** §2.1: a transit node cannot be lender, so where all are transit nobody owes the token. */
  public static final Invariant NO_LOANS = new Invariant("no loans", SchemeInvariants::noLoans);

  /** What must hold even after a channel has failed. */
  public static final List<Invariant> SAFETY =
      List.of(MUTUAL_EXCLUSION, INSIDE_WITH_TOKEN, AT_MOST_ONE_TOKEN);

  /** All that holds under every rule, with reliable channels. */
  public static final List<Invariant> ALL =
      List.of(
          MUTUAL_EXCLUSION,
          INSIDE_WITH_TOKEN,
          AT_MOST_ONE_TOKEN,
          EXACTLY_ONE_TOKEN,
          PROPERTY_1,
          PROPERTY_2,
          PROPERTY_3,
          A_TREE,
          NOBODY_WAITS_IN_VAIN,
          ONE_REQUEST_EACH);

  /** §4.2, centralised: the tree never changes. */
  public static Invariant sameTree(int[] initialFathers) {
    int[] initial = initialFathers.clone();
    return new Invariant(
        "the tree never changes",
        s -> {
          for (int i = 0; i < s.nodes(); i++) {
            if (at(s, i).father() != initial[i]) {
              return "father" + Names.of(i) + " became " + Names.of(at(s, i).father());
            }
          }
          return null;
        });
  }

  /** §4.2, Raymond: edges turn round, but who is whose neighbour never changes. */
  public static Invariant sameEdges(int[] initialFathers) {
    int[] initial = initialFathers.clone();
    return new Invariant(
        "the edges of the tree only turn round",
        s -> {
          for (int i = 0; i < s.nodes(); i++) {
            int father = at(s, i).father();
            if (father != NIL && initial[i] != father && initial[father] != i) {
              return Names.of(i) + " and " + Names.of(father) + " were no neighbours";
            }
          }
          return null;
        });
  }

  /** [OC] §4: whenever nothing is going on, the tree is an open cube. */
  public static final Invariant QUIESCENT_OPEN_CUBE =
      new Invariant("a quiescent tree is an open cube", SchemeInvariants::quiescentOpenCube);

  private static @Nullable String quiescentOpenCube(Snapshot s) {
    int[] fathers = new int[s.nodes()];
    for (int i = 0; i < fathers.length; i++) {
      if (at(s, i).asked()) {
        return null;
      }
      fathers[i] = at(s, i).father();
    }
    return OpenCube.whyNot(fathers); // a message is in transit only where somebody is asked
  }

  /** [OC] §5: every node that is up leads to the one root, through nodes that are up. */
  public static final Invariant ONE_TREE =
      new Invariant("one root and no father cycle", SchemeInvariants::oneTree);

  private static @Nullable String oneTree(Snapshot s) {
    int root = NIL;
    for (int i = 0; i < s.nodes(); i++) {
      if (s.isUp(i) && father(s, i) == NIL) {
        if (root != NIL) {
          return "two roots, " + Names.of(root) + " and " + Names.of(i);
        }
        root = i;
      }
    }
    for (int i = 0; i < s.nodes(); i++) {
      int top = i;
      int edges = 0;
      while (s.isUp(top) && father(s, top) != NIL && edges++ < s.nodes()) {
        top = father(s, top);
      }
      if (s.isUp(i) && top != root) {
        return Names.of(i) + " does not lead to the root";
      }
    }
    return null;
  }

  /** [OC] §5: the nodes that are up form an open cube. */
  public static final Invariant OPEN_CUBE_OF_THE_LIVING =
      new Invariant(
          "the nodes that are up form an open cube",
          s -> {
            int[] fathers = new int[s.nodes()];
            Arrays.setAll(fathers, i -> s.isUp(i) ? father(s, i) : NIL);
            return OpenCube.whyNot(fathers, i -> s.isUp(i));
          });

  private static int father(Snapshot s, int i) {
    return ((HasFather) s.state(i)).father();
  }

  /** §4.2, short-cuts: a father is always a physical neighbour. */
  public static Invariant fathersAreLinked(Rule.Links links) {
    return new Invariant(
        "every father is a physical neighbour",
        s -> {
          for (int i = 0; i < s.nodes(); i++) {
            int father = at(s, i).father();
            if (father != NIL && !links.linked(i, father)) {
              return "no link between " + Names.of(i) + " and " + Names.of(father);
            }
          }
          return null;
        });
  }

  /**
   * §4.2, gateways: of the other network nobody asks, and nobody asks for, anyone but its gateway.
   *
   * <p>Departs from [GS] §4.2: the lender is left out. The paper says that a gateway needs to know
   * the other gateway only; but the token names its lender, and who borrows it across the border
   * gives it back there directly.
   *
   * @param firstNetwork the network of each node: true for the first
   */
  public static Invariant onlyGatewaysKnown(boolean[] firstNetwork, int one, int other) {
    boolean[] first = firstNetwork.clone();
    return new Invariant(
        "only the gateways are known across the border",
        s -> {
          for (int i = 0; i < s.nodes(); i++) {
            for (int known : new int[] {at(s, i).father(), at(s, i).mandator()}) {
              if (known != NIL && first[known] != first[i] && !pair(i, known, one, other)) {
                return Names.of(i) + " knows " + Names.of(known);
              }
            }
          }
          return null;
        });
  }

  private static boolean pair(int a, int b, int one, int other) {
    return (a == one && b == other) || (a == other && b == one);
  }

  private static SchemeState at(Snapshot s, int i) {
    return (SchemeState) s.state(i);
  }

  private static boolean hasToken(Snapshot s, int i) {
    return s.isUp(i) && s.state(i) instanceof HasToken state && state.tokenHere();
  }

  private static @Nullable String mutualExclusion(Snapshot s) {
    for (int resource = 0; resource < s.resources(); resource++) {
      int inside = NIL;
      for (int i = 0; i < s.nodes(); i++) {
        if (s.inside(i, resource)) {
          if (inside != NIL) {
            return Names.of(inside) + " and " + Names.of(i) + " are both inside";
          }
          inside = i;
        }
      }
    }
    return null;
  }

  private static @Nullable String insideWithToken(Snapshot s) {
    for (int i = 0; i < s.nodes(); i++) {
      if (s.inside(i) && !hasToken(s, i)) {
        return Names.of(i) + " is inside without the token";
      }
    }
    return null;
  }

  private static int tokens(Snapshot s) {
    int[] count = {0};
    for (int i = 0; i < s.nodes(); i++) {
      count[0] += hasToken(s, i) ? 1 : 0;
    }
    s.messages((from, to, message) -> count[0] += message instanceof CarriesToken ? 1 : 0);
    return count[0];
  }

  private static @Nullable String property1(Snapshot s) {
    @Nullable String[] wrong = {null};
    s.messages(
        (from, to, message) -> {
          if (message instanceof Token && !at(s, to).asked()) {
            wrong[0] = message + " is on its way to " + Names.of(to) + ", which is not asked";
          }
        });
    return wrong[0];
  }

  private static @Nullable String property2(Snapshot s) {
    int lender = NIL;
    for (int i = 0; i < s.nodes(); i++) {
      SchemeState state = at(s, i);
      if (state.lender() == i) {
        if (lender != NIL) {
          return Names.of(lender) + " and " + Names.of(i) + " are both their own lender";
        }
        lender = i;
        if (state.father() != NIL || state.mandator() != NIL) {
          return "lender " + Names.of(i) + " has a father or a mandator";
        }
      }
    }
    return null;
  }

  private static @Nullable String property3(Snapshot s) {
    for (int i = 0; i < s.nodes(); i++) {
      SchemeState state = at(s, i);
      if (!state.asked() && state.tokenHere() != (state.father() == NIL)) {
        return Names.of(i)
            + (state.tokenHere() ? " has the token and a father" : " has neither token nor father");
      }
    }
    return null;
  }

  private static @Nullable String waitsInVain(Snapshot s) {
    for (int i = 0; i < s.nodes(); i++) {
      if (!at(s, i).asked() && !at(s, i).waiting().isEmpty()) {
        return at(s, i).waiting() + " wait on " + Names.of(i) + ", which is not asked";
      }
    }
    return null;
  }

  private static @Nullable String oneRequestEach(Snapshot s) {
    boolean[] seen = new boolean[s.nodes()];
    @Nullable String[] wrong = {null};
    Snapshot.Visitor look =
        (from, to, message) -> {
          if (message instanceof Request request) {
            if (seen[request.origin()]) {
              wrong[0] = "two requests of " + Names.of(request.origin());
            }
            seen[request.origin()] = true;
          }
        };
    s.messages(look);
    for (int i = 0; i < s.nodes(); i++) {
      for (Request request : at(s, i).waiting()) {
        if (request.origin() != i) { // a local call is no message
          look.message(NIL, i, request);
        }
      }
    }
    return wrong[0];
  }

  private static @Nullable String noLoans(Snapshot s) {
    for (int i = 0; i < s.nodes(); i++) {
      int lender = at(s, i).lender();
      if (lender != NIL && lender != i) {
        return Names.of(i) + " owes the token to " + Names.of(lender);
      }
    }
    return null;
  }

  private static @Nullable String aTree(Snapshot s) {
    ATree tree = new ATree(s);
    return tree.violation();
  }

  /** The relation a_tree of §3.3: built edge by edge, refused at the second father of a node. */
  private static final class ATree {
    private final int[] parent;
    private @Nullable String wrong;

    ATree(Snapshot s) {
      parent = new int[s.nodes()];
      Arrays.fill(parent, NIL);
      for (int i = 0; i < s.nodes(); i++) {
        SchemeState state = at(s, i);
        if (!state.asked()) {
          edge(i, state.father()); // (a1)
        } else if (state.tokenHere()) {
          edge(i, state.father()); // (a5)
        }
        for (Request request : state.waiting()) { // (a2), waiting on
          edgeIfAsked(s, request.origin(), i);
        }
        edgeIfAsked(s, state.mandator(), i); // (a3)
      }
      s.messages(
          (from, to, message) -> {
            if (message instanceof Request request) { // (a2), in transit towards
              edgeIfAsked(s, request.origin(), to);
            } else if (message instanceof Token token && token.lender() != NIL) { // (a4)
              edgeIfAsked(s, to, from);
            }
          });
    }

    private void edgeIfAsked(Snapshot s, int i, int j) {
      if (i != NIL && i != j && at(s, i).asked()) {
        edge(i, j);
      }
    }

    private void edge(int i, int j) {
      if (j == NIL || parent[i] == j) {
        return;
      }
      if (parent[i] != NIL) {
        wrong = Names.of(i) + " has two fathers, " + Names.of(parent[i]) + " and " + Names.of(j);
      }
      parent[i] = j;
    }

    /** One root, and every node leads to it. */
    @Nullable String violation() {
      if (wrong != null) {
        return wrong;
      }
      int root = NIL;
      for (int i = 0; i < parent.length; i++) {
        if (parent[i] == NIL) {
          if (root != NIL) {
            return "two roots, " + Names.of(root) + " and " + Names.of(i);
          }
          root = i;
        }
      }
      if (root == NIL) {
        return "no root";
      }
      int[] reachedFrom = new int[parent.length]; // 1 + the node whose walk came by first
      for (int start = 0; start < parent.length; start++) {
        int node = start;
        while (node != NIL && reachedFrom[node] == 0) {
          reachedFrom[node] = start + 1;
          node = parent[node];
        }
        if (node != NIL && reachedFrom[node] == start + 1) {
          return Names.of(node) + " is its own ancestor";
        }
      }
      return null;
    }
  }
}
