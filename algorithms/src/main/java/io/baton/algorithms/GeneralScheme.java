package io.baton.algorithms;

/**
 * The general token-and-tree algorithm of Hélary, Mostéfaoui and Raynal, [GS] §2.2, with the
 * behaviour rule and the service policy given from outside.
 *
 * <p>Transcribes §2.2; the numbers (1)…(22) in the margin are the paper's. Three translations:
 *
 * <pre>
 *   wait (not asked_i)    the request waits in the queue of {@link RequestServer}
 *   wait (token_here_i)   out.grant()
 *   nil                   NIL
 * </pre>
 *
 * <p>Departs from [GS] §2.2: messages also carry the sink, because [OC] §5 needs it and costs are
 * charged by it, and the token carries a cargo (see {@link Algorithm#exit}). Requests may be
 * refused ({@link Refusal}); no node of the laboratory refuses any.
 *
 * <p>Properties 1 to 3 of §3 and the abstract tree are checked by {@link SchemeInvariants}.
 */
public final class GeneralScheme extends RequestServer implements Rule.Position {
  private final Rule rule;
  private int lender; // whom to give the token back to on exit; itself: keep it
  private int mandator; // for whom the token was asked; nil: no current request

  /** Node i of a tree, initially without requests; the root (father nil) has the token. */
  public GeneralScheme(int i, int father, Rule rule, Policy policy) {
    super(i, father, policy);
    this.rule = rule;
    this.lender = father == NIL ? i : NIL;
    this.mandator = NIL;
  }

  // The paper's text, its line numbers in the margin.
  // @formatter:off

  @Override
  void onEnter(Effects out) {
    asked = true;                                                                          // (1)
    if (!tokenHere) {
      mandator = i;
      out.send(father, own);                                                               // (2)
    } else {
      out.grant(cargo);
    }
  }

  @Override
  void onExit(Effects out) {
    if (lender != i) {
      out.send(lender, new Token(NIL, i, cargo));
      tokenHere = false;                                                                   // (3)
    }
    asked = false;                                                                         // (4)
  }

  @Override
  void onRequest(Request request, Effects out) {
    int j = request.origin();
    switch (rule.behavior(this, j)) {
      case PROXY -> {                     // i becomes proxy for j
        asked = true;                                                                      // (5)
        if (tokenHere) {                  // i temporarily lends the token
          out.send(j, new Token(i, request.sink(), cargo));
          tokenHere = false;                                                               // (6)
        } else {                          // i requires the token
          mandator = j;
          out.send(father, new Request(i, request.sink()));                                // (7)
        }
      }
      case TRANSIT -> {
        if (tokenHere) {                  // i gives up the token
          lender = NIL;                                                                    // (8)
          out.send(j, new Token(NIL, request.sink(), cargo));
          tokenHere = false;                                                               // (9)
        } else {                          // i forwards the request
          out.send(father, request);                                                       // (10)
        }
        father = j;
      }
    }
  }

  @Override
  void onToken(Token token, int k, Effects out) {
    int j = token.lender();               // nil: the token does not have to be given back
    tokenHere = true;                                                                      // (11)
    cargo = token.cargo();
    if (mandator == NIL) {                // case α: return of the token after a loan
      asked = false;                                                                       // (12)
    } else if (mandator == i) {           // case β: the claim of i will be satisfied
      if (j == NIL) {                     // the token has no lender, i becomes the lender
        lender = i;
        father = NIL;                                                                      // (13)
      } else {                            // i will have to give back the token
        lender = j;
        father = k;                                                                        // (14)
      }
      mandator = NIL;
      out.grant(cargo);
    } else {                              // case γ: i honors the request of its mandator
      asked = false;                                                                       // (15)
      switch (rule.behavior(this, mandator)) {
        case PROXY -> {
          if (j == NIL) {                 // i becomes the lender and lends the token
            lender = i;
            father = NIL;                                                                  // (16)
            out.send(mandator, new Token(i, token.sink(), cargo));                         // (17)
            asked = true;
          } else {                        // j is the lender of the token
            father = k;
            out.send(mandator, token);                                                     // (18)
          }
        }
        case TRANSIT -> {
          if (j == NIL) {                 // the token has no lender
            lender = NIL;
            father = mandator;                                                             // (19)
            out.send(mandator, token);                                                     // (20)
          } else {                        // j is the lender of the token
            father = k;
            out.send(mandator, token);                                                     // (21)
          }
        }
      }
      mandator = NIL;
      tokenHere = false;                                                                   // (22)
    }
  }

  // @formatter:on

  /**
   * Not of the paper, in which every request is served: k does not serve what this node asked for.
   * Nothing of the request is left but fathers, so this node hangs below k from now on, as after a
   * loan (14), and a proxy passes the refusal on.
   */
  @Override
  void onOther(int k, Message message, Effects out) {
    if (!(message instanceof Refusal)) {
      super.onOther(k, message, out);
    }
    if (mandator == NIL) {
      throw new IllegalStateException("Refused by " + k + " what was not asked for");
    }
    if (mandator != i) {
      out.send(mandator, message);
    }
    mandator = NIL;
    asked = false;
    father = k;
  }

  @Override
  public int id() {
    return i;
  }

  @Override
  public int father() {
    return father;
  }

  @Override
  public boolean tokenHere() {
    return tokenHere;
  }

  /** Whether the token is here and must go back to another node. */
  public boolean isBorrower() {
    return tokenHere && lender != i;
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
