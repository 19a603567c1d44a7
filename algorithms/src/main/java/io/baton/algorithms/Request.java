package io.baton.algorithms;

/**
 * {@code request(j)} of [GS] §2.2: whoever has the token shall send it to j.
 *
 * @param origin the paper's j: the sink itself, or the proxy that asks on its account
 * @param sink the node that wants to enter; [OC] §5 adds it to the message
 * @param firm whether it must not be refused; said by {@link OpenCubeFt} alone
 */
public record Request(int origin, int sink, boolean firm) implements Message {
  /** A request that comes from its origin. */
  public Request(int origin, int sink) {
    this(origin, sink, false);
  }

  @Override
  public String toString() {
    return "request(" + Names.of(origin) + ")";
  }
}
