package io.baton.algorithms;

/**
 * {@code request(j)} of [GS] §2.2: whoever has the token shall send it to j.
 *
 * @param origin the paper's j: the sink itself, or the proxy that asks on its account
 * @param sink the node that wants to enter; [OC] §5 adds it to the message
 */
public record Request(int origin, int sink) implements Message {
  @Override
  public String toString() {
    return "request(" + Names.of(origin) + ")";
  }
}
