package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;

/**
 * The open cube with node failures, [OC] §5 as written, on the algorithm of §3 (with its lender,
 * see {@link OpenCubeListing}). Not safe: it is here to be read, run and broken.
 *
 * <p>Fail-stop nodes that may come back, a bound δ on delays, no partition. What the text leaves
 * open is taken in the simplest way: "eventually try another enquiry" and "some time later" are one
 * more round of the same delay; an answer counts if it comes from a node that this phase tests.
 */
public final class OpenCubeLiteral extends RequestServer {
  private enum Timer implements Alarm {
    /** The token has not come, or not come back, in time. */
    SUSPICION,
    /** An enquiry has not been answered in time. */
    ENQUIRY,
    /** A phase of search_father is over. */
    PHASE
  }

  private final int nodes;
  private final int pmax;
  private final long delta;
  private final long e; // an estimation of the critical section's duration

  private int lender;
  private int mandator = NIL;
  private int source = NIL;
  private int phase;
  private final List<Integer> tryLater = new ArrayList<>();
  private boolean enquiring;
  private boolean recovering;

  /**
   * Node i of an open cube, initially without requests; the root (father nil) has the token.
   *
   * @param delta the bound on delays, in the host's units of time
   * @param e an estimation of how long a critical section lasts
   */
  public OpenCubeLiteral(int i, int father, int nodes, long delta, long e, Policy policy) {
    super(i, father, policy);
    this.nodes = nodes;
    this.pmax = OpenCube.pmax(nodes);
    this.delta = delta;
    this.e = e;
    this.lender = father == NIL ? i : NIL;
  }

  /** "While performing the phase d, the node i evaluates its power as d-1." */
  private int power() {
    return phase > 0 ? phase - 1 : OpenCube.power(i, father, pmax);
  }

  private int dist(int j) {
    return OpenCube.distance(i, j);
  }

  // §3.1, with the timers of §5.

  @Override
  void onEnter(Effects out) {
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
  void onExit(Effects out) {
    if (lender != i) {
      out.send(lender, new Token(NIL, i, cargo));
      tokenHere = false;
    }
    asked = false;
  }

  @Override
  void onRequest(Request request, Effects out) {
    int j = request.origin();
    if (power() < dist(j)) { // "an anomaly is detected by f when it finds power(f) < dist_f(i)"
      out.send(j, new Anomaly());
    } else if (dist(j) != power()) { // i becomes proxy for j
      asked = true;
      source = request.sink();
      if (tokenHere) {
        lend(j, out);
      } else {
        mandator = j;
        ask(out);
      }
    } else { // i has a transit behavior
      if (tokenHere) {
        lender = NIL;
        out.send(j, new Token(NIL, request.sink(), cargo));
        tokenHere = false;
      } else {
        out.send(father, request);
      }
      father = j;
    }
  }

  @Override
  void onToken(Token token, int k, Effects out) {
    int j = token.lender();
    tokenHere = true;
    cargo = token.cargo();
    enquiring = false;
    phase = 0;
    if (mandator == NIL) { // return of the token after loan
      asked = false;
    } else if (mandator == i) { // the claim of i is satisfied
      lender = j == NIL ? i : j;
      father = j == NIL ? NIL : k;
      mandator = NIL;
      out.grant(cargo);
    } else { // i honors the request of its mandator
      int to = mandator;
      mandator = NIL;
      if (j == NIL) { // i becomes the root and lends the token
        lender = i;
        father = NIL;
        lend(to, out);
      } else {
        father = k;
        out.send(to, token);
        asked = false;
        tokenHere = false;
      }
    }
  }

  private void ask(Effects out) {
    out.send(father, new Request(i, source));
    out.setAlarm(Timer.SUSPICION, 2L * pmax * delta);
  }

  private void lend(int j, Effects out) {
    out.send(j, new Token(i, source, cargo));
    tokenHere = false;
    out.setAlarm(Timer.SUSPICION, loanDelay(j));
  }

  private long loanDelay(int j) {
    return j == source ? 2 * delta + e : (pmax + 1) * delta + e;
  }

  // "Suspicion of failure"

  @Override
  void onAlarm(Alarm alarm, Effects out) {
    switch ((Timer) alarm) {
      case SUSPICION -> {
        if (tokenHere || phase > 0) {
          return; // it was in time after all, or the search is on
        }
        if (mandator != NIL) {
          searchFather(power() + 1, out);
        } else if (asked && lender == i) { // "Root"
          enquiring = true;
          out.send(source, new Enquiry());
          out.setAlarm(Timer.ENQUIRY, 2 * delta);
        }
      }
      case ENQUIRY -> {
        if (enquiring) { // "concludes that s is down and regenerates the token"
          regenerateToken();
        }
      }
      case PHASE -> {
        if (phase > 0) {
          endPhase(out);
        }
      }
    }
  }

  private void onEnquiry(int from, Effects out) {
    Enquiry.Outcome outcome;
    if (tokenHere && asked) {
      outcome = Enquiry.Outcome.STILL_INSIDE;
    } else if (mandator == i) { // "s is not down but has not yet received the token"
      outcome = Enquiry.Outcome.LOST;
    } else {
      outcome = Enquiry.Outcome.RETURNED;
    }
    out.send(from, new Enquiry.Answer(outcome));
  }

  private void onEnquiryAnswer(Enquiry.Answer answer, Effects out) {
    if (!enquiring) {
      return;
    }
    if (answer.outcome() == Enquiry.Outcome.LOST) {
      regenerateToken();
    } else { // "keep waiting for the token and eventually try another enquiry"
      enquiring = false;
      out.setAlarm(Timer.SUSPICION, (pmax + 1) * delta + e);
    }
  }

  private void regenerateToken() {
    enquiring = false;
    tokenHere = true;
    asked = false;
  }

  // "search_father"

  private void searchFather(int d, Effects out) {
    tryLater.clear();
    if (d > pmax) { // "the node i becomes the root … and the token is regenerated by i"
      phase = 0;
      father = NIL;
      if (recovering) {
        recovering = false;
        lender = i;
        regenerateToken();
      } else {
        onToken(new Token(NIL, source, cargo), NIL, out);
      }
      return;
    }
    phase = d;
    int first = OpenCube.firstOfGroup(i ^ (1 << (d - 1)), d - 1);
    for (int k = first; k < Math.min(nodes, first + (1 << (d - 1))); k++) {
      out.send(k, new Test(d));
    }
    out.setAlarm(Timer.PHASE, 2 * delta);
  }

  private void endPhase(Effects out) {
    if (tryLater.isEmpty()) {
      searchFather(phase + 1, out);
      return;
    }
    for (int k : List.copyOf(tryLater)) { // "some time later, i will test k again"
      out.send(k, new Test(phase));
    }
    tryLater.clear();
    out.setAlarm(Timer.PHASE, 2 * delta);
  }

  private void onTest(int j, Test test, Effects out) {
    int d = test.d();
    if (phase > 0) { // "Concurrent suspicions of failure"
      if (phase > d || (phase == d && i < j)) {
        out.send(j, new Test.Answer(true));
      } else if (phase < d) {
        conclude(j, out); // "it clearly allows the node i to conclude immediately"
      }
    } else if (power() >= d) {
      out.send(j, new Test.Answer(true));
    } else if (asked) { // "since the power of k could increase"
      out.send(j, new Test.Answer(false));
    }
  }

  private void onTestAnswer(int k, Test.Answer answer, Effects out) {
    if (phase == 0 || dist(k) != phase) {
      return; // an answer to an earlier phase
    }
    if (answer.ok()) {
      conclude(k, out);
    } else {
      tryLater.add(k);
    }
  }

  private void conclude(int k, Effects out) {
    phase = 0;
    father = k;
    if (recovering) {
      recovering = false;
      asked = false;
    } else {
      ask(out); // "and regenerating its request"
    }
  }

  private void onAnomaly(Effects out) {
    if (mandator != NIL && phase == 0) {
      searchFather(power() + 1, out);
    }
  }

  // "Node recovery"

  @Override
  public void recover(Effects out) {
    tokenHere = false;
    father = NIL;
    lender = NIL;
    recovering = true;
    asked = true; // requests wait until the father is found
    searchFather(1, out);
  }

  @Override
  void onOther(int from, Message message, Effects out) {
    if (message instanceof Enquiry) {
      onEnquiry(from, out);
    } else if (message instanceof Enquiry.Answer answer) {
      onEnquiryAnswer(answer, out);
    } else if (message instanceof Test test) {
      onTest(from, test, out);
    } else if (message instanceof Test.Answer answer) {
      onTestAnswer(from, answer, out);
    } else if (message instanceof Anomaly) {
      onAnomaly(out);
    } else {
      super.onOther(from, message, out);
    }
  }

  @Override
  public CubeState capture() {
    return new CubeState(
        capture(lender, mandator), source, phase, List.copyOf(tryLater), enquiring, recovering);
  }

  @Override
  public void restore(State state) {
    CubeState s = (CubeState) state;
    super.restore(s.scheme());
    lender = s.scheme().lender();
    mandator = s.scheme().mandator();
    source = s.source();
    phase = s.phase();
    tryLater.clear();
    tryLater.addAll(s.tryLater());
    enquiring = s.enquiring();
    recovering = s.recovering();
  }
}
