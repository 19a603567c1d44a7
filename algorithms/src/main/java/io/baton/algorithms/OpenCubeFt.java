package io.baton.algorithms;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The open cube with node failures, [OC] §5 repaired: safe while nodes crash and come back, live
 * once they stop, and the tree finds back to its shape. Without failures and suspicions it sends
 * the very messages of the open cube. To be read beside {@link OpenCubeLiteral}.
 *
 * <p>Assumes what [OC] does: fail-stop nodes that forget all, a bound δ on delays, no partition.
 *
 * <p>Invariant: there is at most one token, and while a node has lent it and is up, there is no
 * other token than the one it lent (which may be lost). A token is made in two places only. Who has
 * lent it makes it anew when the borrower surely no longer has it ({@link #onAlarm}, ENQUIRY). Who
 * found no father asks everybody ({@link #claim}), and makes one if nobody objects. docs/PAPERS.md
 * argues for both, and names the repairs as they are named here.
 */
public final class OpenCubeFt extends OpenCubeServer {
  private static final int SEARCHES = 3; // before everybody is asked
  private static final int CALM = 16; // requests served in good time before patience shrinks
  private static final int MOST_PATIENCE = 20;

  private int suspicions; // during the current request
  private int patience; // how often the delay before a suspicion is doubled
  private int calm; // requests in a row that were served in good time
  private final List<Integer> watchers = new ArrayList<>(); // are to hear of a token that comes
  private final int[] sons; // by distance, as far as known; nil elsewhere
  private int sentAway = NIL; // who was last sent to another son
  private boolean misplaced; // the father is too weak: look for another before asking again

  /**
   * Node i of an open cube, initially without requests; the root (father nil) has the token.
   *
   * @param delta the bound on delays, in the host's units of time
   * @param e an estimation of how long a critical section lasts
   */
  public OpenCubeFt(int i, int father, int nodes, long delta, long e, Policy policy) {
    super(i, father, nodes, delta, e, policy);
    this.sons = new int[pmax + 1];
    Arrays.fill(sons, NIL);
  }

  private boolean isSilent() {
    return recovering && phase == 0;
  }

  private boolean hasLent() {
    return asked && !tokenHere && mandator == NIL && lender == i;
  }

  private boolean isClaiming() {
    return phase > pmax;
  }

  // §3.1, with the timers of §5.

  @Override
  void onRequest(Request request, Effects out) {
    int j = request.origin();
    int d = dist(j);
    if (power() < d && !request.firm()) { // "an anomaly is detected by f"
      out.send(j, new Anomaly(NIL));
    } else if (isSecondSon(j, d) && !request.firm()) {
      sentAway = j;
      out.send(j, new Anomaly(sons[d]));
    } else if (d != power() || misplaced) {
      if (power() < d) { // Departs from [OC] §5 (firm): i serves it all the same
        out.send(j, new Anomaly.Notice());
      }
      sons[d] = j;
      becomeProxy(request, out);
    } else {
      Arrays.fill(sons, d, sons.length, NIL);
      passOn(new Request(j, request.sink(), true), out);
    }
  }

  /**
   * Departs from [OC] §5 (shape): in an open cube the son at a distance changes only by a request
   * that the old one passes on. Another that asks by itself belongs below the first.
   */
  private boolean isSecondSon(int j, int d) {
    return sons[d] != NIL && sons[d] != j && sentAway != j;
  }

  @Override
  void onToken(Token token, int k, Effects out) {
    if (isSilent()) {
      return; // Departs from [OC] §5 (silence): lost, as if i were still down
    }
    int j = token.lender() == i ? NIL : token.lender(); // a loan that comes round is a return
    for (int watcher : watchers) {
      out.send(watcher, new Census.Here(j == NIL ? i : j));
    }
    watchers.clear();
    if (j != NIL && !isExpected(token)) {
      father = j; // who waits behind i's request leads to the root, too
      out.send(j, new Token(NIL, token.sink(), token.cargo()));
      if (isClaiming()) {
        conclude(j, true, out); // who has seen the token needs no one to object
      }
    } else {
      if (suspicions == 0 && patience > 0 && ++calm == CALM) {
        patience--;
        calm = 0;
      }
      accept(token, j, k, out);
    }
  }

  /**
   * Departs from [OC] §5 (match, relays): a loan must be for whom i asks, must not have been here
   * before, and goes over no more proxies than an open cube has. Else it goes back at once.
   */
  private boolean isExpected(Token loan) {
    return mandator != NIL
        && loan.sink() == source
        && !loan.relays().contains(i)
        && (mandator == i || loan.relays().size() < pmax - 1);
  }

  private void accept(Token token, int j, int k, Effects out) {
    tokenHere = true;
    cargo = token.cargo();
    enquiring = false;
    recovering = false;
    phase = 0;
    misplaced &= j != NIL;
    if (mandator == NIL) { // return of the token after loan, or (unexpected) i becomes the root
      asked = false;
      lender = i;
      father = NIL;
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
        List<Integer> relays = new ArrayList<>(token.relays());
        relays.add(i);
        out.send(to, new Token(j, token.sink(), token.cargo(), List.copyOf(relays)));
        asked = false;
        tokenHere = false;
      }
    }
  }

  /** Departs from [OC] §5 (relays): even to the source itself a loan may take the long way. */
  @Override
  long loanDelay(int j) {
    return longestLoan();
  }

  @Override
  void ask(Effects out) {
    suspicions = 0;
    if (misplaced) {
      misplaced = false;
      searchFather(1, out);
    } else {
      request(false, out);
    }
  }

  private void request(boolean firm, Effects out) {
    out.send(father, new Request(i, source, firm));
    await(out);
  }

  /** Departs from [OC] §5 (patience): how long requests wait in queues, i learns as it goes. */
  private void await(Effects out) {
    out.setAlarm(Timer.SUSPICION, (2L * pmax * delta) << patience);
  }

  // "Suspicion of failure"

  @Override
  void onAlarm(Alarm alarm, Effects out) {
    switch ((Timer) alarm) {
      case SUSPICION -> {
        if (mandator != NIL && phase == 0) {
          patience = Math.min(MOST_PATIENCE, patience + 1);
          suspect(out);
        } else if (hasLent()) { // "Root"
          enquiring = true;
          if (source != i) { // i may have lent it for a proxy's late request on its own behalf
            out.send(source, new Enquiry());
          }
          out.setAlarm(Timer.ENQUIRY, 2 * delta);
        }
      }
      case ENQUIRY -> {
        if (enquiring) { // "concludes that s is down and regenerates the token"
          enquiring = false;
          tokenHere = true;
          asked = false;
        }
      }
      case PHASE -> {
        if (isClaiming()) { // nobody objected
          accept(new Token(NIL, source, cargo), NIL, NIL, out);
        } else if (phase > 0) {
          searchFather(phase + 1, out);
        }
      }
      case WATCH -> watchers.clear();
      case SILENCE -> {
        if (isSilent()) {
          searchFather(1, out);
        }
      }
    }
  }

  /**
   * Departs from [OC] §5 (enquiry): who does not have the token says nothing. A token that was
   * given back just now arrives before the delay is over.
   */
  private void onEnquiry(int from, Effects out) {
    if (tokenHere) {
      out.send(from, new Enquiry.Answer(Enquiry.Outcome.STILL_INSIDE));
    }
  }

  private void onEnquiryAnswer(Effects out) {
    if (enquiring) { // "keep waiting for the token and eventually try another enquiry"
      enquiring = false;
      out.setAlarm(Timer.SUSPICION, longestLoan());
    }
  }

  private void suspect(Effects out) {
    suspicions++;
    calm = 0;
    if (suspicions <= SEARCHES) {
      searchFather(1, out);
    } else {
      claim(out);
    }
  }

  // "search_father"

  /** Departs from [OC] §5 (bottom): always from phase 1, so that a misplaced node finds down. */
  private void searchFather(int d, Effects out) {
    phase = d;
    if (isClaiming()) {
      claim(out);
    } else {
      test(!recovering, out);
    }
  }

  /** Departs from [OC] §5 (later): who cannot be the father now says nothing. */
  private void onTest(int j, Test test, Effects out) {
    int d = test.d();
    if (test.asks() && (mandator == j || hasWaiting(j))) {
      out.send(j, new Test.Answer(Test.Verdict.KEPT)); // Departs from [OC] §5 (kept)
    } else if (phase > 0 ? phase > d || (phase == d && i < j) : power() >= d && !isSilent()) {
      out.send(j, new Test.Answer(Test.Verdict.OK));
    }
  }

  private void onTestAnswer(int k, Test.Answer answer, Effects out) {
    if (phase == 0 || dist(k) != phase) {
      return; // an answer to an earlier phase
    }
    if (answer.verdict() == Test.Verdict.OK) {
      conclude(k, false, out);
    } else {
      phase = 0;
      await(out);
    }
  }

  private void conclude(int k, boolean firm, Effects out) {
    phase = 0;
    father = k;
    if (recovering) {
      recovering = false;
      asked = false;
    } else {
      request(firm, out); // "and regenerating its request"
    }
  }

  // Departs from [OC] §5 (census): "the token is regenerated by i" only after all were asked.

  private void claim(Effects out) {
    phase = pmax + 1;
    for (int k = 0; k < nodes; k++) {
      if (k != i) {
        out.send(k, new Census());
      }
    }
    out.setAlarm(Timer.PHASE, 3 * delta);
  }

  private void onCensus(int from, Effects out) {
    if (tokenHere || hasLent()) {
      out.send(from, new Census.Here(lender));
    } else if (isClaiming() && i < from) {
      out.send(from, new Census.Here(i));
    } else {
      if (!watchers.contains(from)) {
        watchers.add(from);
      }
      out.setAlarm(Timer.WATCH, 2 * delta);
      if (isClaiming()) {
        conclude(from, true, out);
      }
    }
  }

  private void onHere(int from, Census.Here here, Effects out) {
    if (isClaiming()) {
      conclude(here.root() == i ? from : here.root(), true, out);
    }
  }

  // "Node recovery"

  private void onAnomaly(Anomaly anomaly, Effects out) {
    if (mandator != NIL && phase == 0) {
      if (anomaly.instead() == NIL) {
        suspect(out);
      } else {
        conclude(anomaly.instead(), false, out);
      }
    }
  }

  @Override
  public void recover(Revival revival, Effects out) {
    tokenHere = false;
    father = NIL;
    lender = NIL;
    recovering = true;
    asked = true; // requests wait until the father is found
    out.setAlarm(Timer.SILENCE, 2 * delta);
  }

  @Override
  void onOther(int from, Message message, Effects out) {
    if (message instanceof Enquiry) {
      onEnquiry(from, out);
    } else if (message instanceof Enquiry.Answer) {
      onEnquiryAnswer(out);
    } else if (message instanceof Test test) {
      onTest(from, test, out);
    } else if (message instanceof Test.Answer answer) {
      onTestAnswer(from, answer, out);
    } else if (message instanceof Census) {
      onCensus(from, out);
    } else if (message instanceof Census.Here here) {
      onHere(from, here, out);
    } else if (message instanceof Anomaly anomaly) {
      onAnomaly(anomaly, out);
    } else if (message instanceof Anomaly.Notice) {
      misplaced = true;
    } else {
      super.onOther(from, message, out);
    }
  }

  private record Memory(
      CubeState cube,
      int suspicions,
      int patience,
      int calm,
      List<Integer> watchers,
      List<Integer> sons,
      int sentAway,
      boolean misplaced)
      implements CubeState.Extended {
    @Override
    public List<Variable> variables() {
      List<Variable> all = cube.variables();
      all.add(new Variable("suspicions", Integer.toString(suspicions)));
      all.add(Variable.of("misplaced", misplaced));
      return all;
    }
  }

  private List<Integer> knownSons() {
    List<Integer> known = new ArrayList<>();
    for (int son : sons) {
      known.add(son);
    }
    return List.copyOf(known);
  }

  @Override
  public State capture() {
    return new Memory(
        captureCube(),
        suspicions,
        patience,
        calm,
        List.copyOf(watchers),
        knownSons(),
        sentAway,
        misplaced);
  }

  @Override
  public void restore(State state) {
    Memory memory = (Memory) state;
    restoreCube(memory.cube());
    suspicions = memory.suspicions();
    patience = memory.patience();
    calm = memory.calm();
    watchers.clear();
    watchers.addAll(memory.watchers());
    Arrays.setAll(sons, d -> memory.sons().get(d));
    sentAway = memory.sentAway();
    misplaced = memory.misplaced();
  }
}
