package io.baton.algorithms;

/**
 * The variant of Naimi and Trehel's algorithm in [GS] Annex 2, as printed: every node is transit,
 * so behavior, lender and mandator are gone and the token carries no value (it is written {@code
 * token(nil)} here).
 */
public final class NaimiTrehelAnnex extends RequestServer {
  /** Node i of a tree, initially without requests; the root (father nil) has the token. */
  public NaimiTrehelAnnex(int i, int father, Policy policy) {
    super(i, father, policy);
  }

  @Override
  void onEnter(Effects out) {
    asked = true;
    if (!tokenHere) {
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
    if (tokenHere) {
      out.send(j, new Token(NIL, request.sink(), cargo));
      tokenHere = false;
    } else {
      out.send(father, request);
    }
    father = j;
  }

  @Override
  void onToken(Token token, int k, Effects out) {
    tokenHere = true;
    cargo = token.cargo();
    father = NIL;
    out.grant(cargo);
  }

  @Override
  public SchemeState capture() {
    return capture(NIL, NIL);
  }
}
