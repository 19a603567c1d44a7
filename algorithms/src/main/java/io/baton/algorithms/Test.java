package io.baton.algorithms;

/** {@code test(d)} of [OC] §5: a node in phase d of search_father asks who could be its father. */
public record Test(int d) implements Message {
  /**
   * {@code answer("ok")} or {@code answer("try later")}.
   *
   * @param ok else: try later
   */
  public record Answer(boolean ok) implements Message {
    @Override
    public int sink() {
      return Algorithm.NIL;
    }

    @Override
    public String toString() {
      return ok ? "answer(ok)" : "answer(later)";
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
