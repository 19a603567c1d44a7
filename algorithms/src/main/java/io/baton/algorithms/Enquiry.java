package io.baton.algorithms;

/** {@code enquiry} of [OC] §5: the lender asks the source of a loan what became of the token. */
public record Enquiry() implements Message {
  /** What the source answers. */
  public enum Outcome {
    /** "Wait, I'm still in the critical section." */
    STILL_INSIDE,
    /** "I've already sent back the token." */
    RETURNED,
    /** It has not come yet, so it is lost. */
    LOST
  }

  /** The source's answer. */
  public record Answer(Outcome outcome) implements Message {
    @Override
    public int sink() {
      return Algorithm.NIL;
    }

    @Override
    public String toString() {
      return switch (outcome) {
        case STILL_INSIDE -> "answer(inside)";
        case RETURNED -> "answer(returned)";
        case LOST -> "answer(lost)";
      };
    }
  }

  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return "enquiry";
  }
}
