package io.baton.algorithms;

/**
 * The listing of [OC] §3.3 as printed, its flaw included: where a proxy receives token(nil) for its
 * mandator and becomes the lender, the listing forgets {@code lender_i := i}. The proxy's next own
 * critical section then ends with the token sent to whoever lent it before, or to nil.
 *
 * <p>To be read and broken; {@code open-cube} is the general scheme under {@link Rule#lastSon}.
 * Where the listing says asking_i this says {@code asked}, and dist_i(nil) is read as pmax + 1. The
 * initial lender of the root is itself, as in [GS]; [OC] does not say.
 */
public final class OpenCubeListing extends RequestServer {
  private final int pmax;
  private int lender;
  private int mandator = NIL;

  /** Node i of a tree, initially without requests; the root (father nil) has the token. */
  public OpenCubeListing(int i, int father, int pmax, Policy policy) {
    super(i, father, policy);
    this.pmax = pmax;
    this.lender = father == NIL ? i : NIL;
  }

  private int dist(int j) {
    return j == NIL ? pmax + 1 : OpenCube.distance(i, j);
  }

  @Override
  void onEnter(Effects out) {
    asked = true;
    if (!tokenHere) {
      mandator = i;
      out.send(father, own);
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
    if (dist(j) != dist(father) - 1) { // i becomes proxy for j
      asked = true;
      if (tokenHere) { // i temporarily lends the token
        out.send(j, new Token(i, request.sink(), cargo));
        tokenHere = false;
      } else { // i requires the token
        mandator = j;
        out.send(father, new Request(i, request.sink()));
      }
    } else { // i has a transit behavior
      if (tokenHere) { // i gives up the token
        out.send(j, new Token(NIL, request.sink(), cargo));
        tokenHere = false;
      } else { // i forwards the request
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
    if (mandator == NIL) { // return of the token after loan
      asked = false;
    } else if (mandator == i) { // the claim of i to enter critical section is satisfied
      if (j == NIL) { // the token has no lender, i becomes the lender
        lender = i;
        father = NIL;
      } else { // i will have to give back the token
        lender = j;
        father = k;
      }
      mandator = NIL; // asked remains true until leaving the critical section
      out.grant(cargo);
    } else { // i honors the request of its mandator
      if (j == NIL) { // the token has no lender, i becomes the root and lends the token
        father = NIL; // and nothing is said of lender_i
        out.send(mandator, new Token(i, token.sink(), cargo)); // asked until the token returns
      } else { // j is the lender of the token
        father = k;
        out.send(mandator, token);
        asked = false;
      }
      mandator = NIL;
      tokenHere = false;
    }
  }

  @Override
  public SchemeState capture() {
    return capture(lender, mandator);
  }

  @Override
  public void restore(State state) {
    super.restore(state);
    lender = ((SchemeState) state).lender();
    mandator = ((SchemeState) state).mandator();
  }
}
