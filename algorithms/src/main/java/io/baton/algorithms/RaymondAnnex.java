package io.baton.algorithms;

/**
 * The variant of Raymond's algorithm in [GS] Annex 3, as printed: a node is transit when it has the
 * token and proxy otherwise, so behavior and lender are gone and the token carries no value (it is
 * written {@code token(nil)} here).
 */
public final class RaymondAnnex extends RequestServer {
  private int mandator = NIL;

  /** Node i of a tree, initially without requests; the root (father nil) has the token. */
  public RaymondAnnex(int i, int father, Policy policy) {
    super(i, father, policy);
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
    asked = false;
  }

  @Override
  void onRequest(Request request, Effects out) {
    int j = request.origin();
    if (tokenHere) { // here equivalent to: behavior = transit
      out.send(j, new Token(NIL, request.sink(), cargo));
      tokenHere = false;
      father = j;
    } else {
      asked = true;
      mandator = j;
      out.send(father, new Request(i, request.sink()));
    }
  }

  @Override
  void onToken(Token token, int k, Effects out) {
    tokenHere = true;
    cargo = token.cargo();
    if (mandator == i) {
      father = NIL;
      out.grant(cargo);
    } else {
      asked = false;
      father = mandator;
      out.send(mandator, token);
      tokenHere = false;
    }
    mandator = NIL;
  }

  @Override
  public SchemeState capture() {
    return capture(NIL, mandator);
  }

  @Override
  public void restore(State state) {
    super.restore(state);
    mandator = ((SchemeState) state).mandator();
  }
}
