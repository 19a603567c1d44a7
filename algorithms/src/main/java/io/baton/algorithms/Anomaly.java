package io.baton.algorithms;

/**
 * {@code anomaly} of [OC] §5: "I cannot be your father"; the receiver looks for another.
 *
 * @param instead who should be; nil: not known. [OC] has only the latter
 */
public record Anomaly(int instead) implements Message {
  /** "I serve you, but look for another father before you ask again." Not in [OC]. */
  public record Notice() implements Message {
    @Override
    public int sink() {
      return Algorithm.NIL;
    }

    @Override
    public String toString() {
      return "notice";
    }
  }

  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return instead == Algorithm.NIL ? "anomaly" : "anomaly(" + Names.of(instead) + ")";
  }
}
