package io.baton.algorithms;

/**
 * {@code token(j)} of [GS] §2.2: the right to enter.
 *
 * @param lender the paper's j: to whom the token must be given back; nil: the receiver keeps it
 * @param sink the node whose request this hop serves; on its way back, the one that borrowed it
 * @param cargo what the last holder left at its exit
 */
public record Token(int lender, int sink, long cargo) implements Message {
  @Override
  public String toString() {
    return "token(" + Names.of(lender) + ")";
  }
}
