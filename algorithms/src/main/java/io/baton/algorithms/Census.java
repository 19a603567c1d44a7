package io.baton.algorithms;

/**
 * A node that found no father asks everybody whether there is still a token. Not in [OC]: see
 * {@link OpenCubeFt}.
 */
public record Census() implements Message {
  /**
   * "There is": from who has the token, has lent it, gets it soon after, or asks the same with more
   * right.
   *
   * @param root where to ask for the token
   */
  public record Here(int root) implements Message {
    @Override
    public int sink() {
      return Algorithm.NIL;
    }

    @Override
    public String toString() {
      return "here(" + Names.of(root) + ")";
    }
  }

  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return "census";
  }
}
