package io.baton.algorithms;

import java.util.List;

/**
 * {@code token(j)} of [GS] §2.2: the right to enter.
 *
 * @param lender the paper's j: to whom the token must be given back; nil: the receiver keeps it
 * @param sink the node whose request this hop serves; on its way back, the one that borrowed it
 * @param cargo what the last holder left at its exit
 * @param relays the proxies that have passed this loan on; noted by {@link OpenCubeFt} alone
 */
public record Token(int lender, int sink, long cargo, List<Integer> relays)
    implements CarriesToken {
  /** A token that no proxy has passed on. */
  public Token(int lender, int sink, long cargo) {
    this(lender, sink, cargo, List.of());
  }

  @Override
  public int bytes() {
    return 1 + NAME + NUMBER + NAME * relays.size();
  }

  @Override
  public String toString() {
    return "token(" + Names.of(lender) + ")";
  }
}
