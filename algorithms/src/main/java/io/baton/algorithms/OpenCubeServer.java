package io.baton.algorithms;

/**
 * What [OC] §5 as written ({@link OpenCubeLiteral}) and as repaired ({@link OpenCubeFt}) have in
 * common: the variables, the messages of §3.1, and the tests of search_father.
 */
abstract class OpenCubeServer extends RequestServer {
  enum Timer implements Alarm {
    /** The token has not come, or not come back, in time. */
    SUSPICION,
    /** An enquiry has not been answered in time. */
    ENQUIRY,
    /** A phase of search_father is over. */
    PHASE,
    /** Nobody needs to hear any more of a token that comes; only in {@link OpenCubeFt}. */
    WATCH,
    /** Whatever was sent to this node before its crash is gone; only in {@link OpenCubeFt}. */
    SILENCE
  }

  final int nodes;
  final int pmax;
  final long delta; // the bound on delays, in the host's units of time
  final long e; // an estimation of the critical section's duration

  int lender;
  int mandator = NIL;
  int source = NIL; // for whom the current request or loan is
  int phase; // of search_father; 0: not searching
  boolean enquiring;
  boolean recovering; // the search is that of a node that came back

  OpenCubeServer(int i, int father, int nodes, long delta, long e, Policy policy) {
    super(i, father, policy);
    this.nodes = nodes;
    this.pmax = OpenCube.pmax(nodes);
    this.delta = delta;
    this.e = e;
    this.lender = father == NIL ? i : NIL;
  }

  /** "While performing the phase d, the node i evaluates its power as d-1." */
  final int power() {
    return phase > 0 ? phase - 1 : OpenCube.power(i, father, pmax);
  }

  final int dist(int j) {
    return OpenCube.distance(i, j);
  }

  /** When a loan to j is suspected to be lost. */
  abstract long loanDelay(int j);

  /** Asks for the token on the account of the mandator. */
  abstract void ask(Effects out);

  @Override
  final void onEnter(Effects out) {
    asked = true;
    if (!tokenHere) {
      mandator = i;
      source = i;
      ask(out);
    } else {
      out.grant(cargo);
    }
  }

  @Override
  final void onExit(Effects out) {
    if (lender != i) {
      out.send(lender, new Token(NIL, i, cargo));
      tokenHere = false;
    }
    asked = false;
  }

  /** "i becomes proxy for j". */
  final void becomeProxy(Request request, Effects out) {
    asked = true;
    source = request.sink();
    if (tokenHere) {
      lend(request.origin(), out);
    } else {
      mandator = request.origin();
      ask(out);
    }
  }

  /** "i has a transit behavior". */
  final void passOn(Request request, Effects out) {
    if (tokenHere) {
      lender = NIL;
      out.send(request.origin(), new Token(NIL, request.sink(), cargo));
      tokenHere = false;
    } else {
      out.send(father, request);
    }
    father = request.origin();
  }

  final void lend(int j, Effects out) {
    out.send(j, new Token(i, source, cargo));
    tokenHere = false;
    out.setAlarm(Timer.SUSPICION, loanDelay(j));
  }

  /** How long a loan takes that goes over proxies, [OC] §5 "Root". */
  final long longestLoan() {
    return (pmax + 1) * delta + e;
  }

  /** Sends the tests of the present phase, to every node at distance d. */
  final void test(boolean asks, Effects out) {
    int first = OpenCube.firstOfGroup(i ^ (1 << (phase - 1)), phase - 1);
    for (int k = first; k < Math.min(nodes, first + (1 << (phase - 1))); k++) {
      out.send(k, new Test(phase, asks));
    }
    out.setAlarm(Timer.PHASE, 2 * delta);
  }

  final CubeState captureCube() {
    return new CubeState(capture(lender, mandator), source, phase, enquiring, recovering);
  }

  final void restoreCube(CubeState s) {
    super.restore(s.scheme());
    lender = s.scheme().lender();
    mandator = s.scheme().mandator();
    source = s.source();
    phase = s.phase();
    enquiring = s.enquiring();
    recovering = s.recovering();
  }
}
