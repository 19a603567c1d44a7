package io.baton.algorithms;

/**
 * {@code test(d)} of [OC] §5: a node in phase d of search_father asks who could be its father.
 *
 * @param asks whether it wants the token, else it comes back after a crash; not in [OC], said by
 *     {@link OpenCubeFt} alone
 */
public record Test(int d, boolean asks) implements Message {
  /** A test as [OC] has it. */
  public Test(int d) {
    this(d, false);
  }

  /** What an answer says; who has nothing to say is silent. */
  public enum Verdict {
    /** I can be your father. */
    OK("ok"),
    /** I may yet become able to. */
    TRY_LATER("later"),
    /** Your request is with me: wait. Not in [OC]; said by {@link OpenCubeFt} alone. */
    KEPT("kept");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }
  }

  /** {@code answer("ok")} or {@code answer("try later")}. */
  public record Answer(Verdict verdict) implements Message {
    @Override
    public int sink() {
      return Algorithm.NIL;
    }

    @Override
    public String toString() {
      return "answer(" + verdict.text + ")";
    }
  }

  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return "test(" + d + ")";
  }
}
