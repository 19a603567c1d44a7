package io.baton.algorithms;

import org.jspecify.annotations.Nullable;

/**
 * A question to all processes of [NET]: where did you last see the token?
 *
 * @param asker who asks
 * @param life of the asker
 * @param number of the question, in that life
 * @param lives the crashes that the asker knew of
 * @param answers as far as known
 */
record NetworkCensus(
    int asker, int life, int number, ByProcess<Integer> lives, ByProcess<Answer> answers) {
  /**
   * What one process says.
   *
   * @param hop the number of the last hop of the token that it had to do with; -1: none
   * @param to where the token went on that hop; the process itself where it is still there
   * @param toLife the life of that process then
   * @param served when it last gave the privilege away
   */
  record Answer(long hop, int to, int toLife, Stamp served, long cargo) {
    /** No process has ever had to do with the token. */
    static final Answer NONE = new Answer(-1, Algorithm.NIL, 0, Stamp.NEVER, 0);
  }

  /** Whether this question was asked later than another. */
  boolean laterThan(@Nullable NetworkCensus other) {
    if (other == null || asker != other.asker) {
      return other == null || asker > other.asker; // a smaller asker is gone
    }
    return life > other.life || (life == other.life && number > other.number);
  }

  NetworkCensus with(int process, Answer answer) {
    return new NetworkCensus(asker, life, number, lives, answers.with(process, answer));
  }

  /** What is known of the latest of two questions. */
  static @Nullable NetworkCensus merge(@Nullable NetworkCensus a, @Nullable NetworkCensus b) {
    if (b == null || (a != null && a.laterThan(b))) {
      return a;
    }
    if (a == null || b.laterThan(a)) {
      return b;
    }
    return new NetworkCensus(
        a.asker, a.life, a.number, a.lives, a.answers.merge(b.answers, (mine, theirs) -> mine));
  }
}
