package io.baton.algorithms;

/**
 * The answer to a request that its sink would rather see refused than wait for. Not of a paper:
 * members of a cluster refuse those who only try, see {@link RequestServer#dismiss}.
 *
 * <p>It goes the way that the token would have gone, from who refuses to the origin of the request,
 * and through the proxies to the sink. Each of them hangs below who told it afterwards, as if the
 * token had been lent and returned at once: so the abstract tree stays a tree.
 *
 * @param sink whose request is refused
 */
public record Refusal(int sink) implements Message {
  @Override
  public String toString() {
    return "refusal(" + Names.of(sink) + ")";
  }
}
