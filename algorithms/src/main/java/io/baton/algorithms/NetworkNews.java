package io.baton.algorithms;

import org.jspecify.annotations.Nullable;

/**
 * All that a node of [NET] knows, sent to its neighbours after a channel or a process has failed or
 * come back.
 *
 * @param lives how often each process has crashed; those that never did are missing
 * @param changes how often each process saw its channels change, in its present life
 * @param clock of the sender
 * @param requests the youngest of each process
 * @param served when each process last gave the privilege away
 * @param census where the token was last seen; null: nobody asked
 */
record NetworkNews(
    ByProcess<Integer> lives,
    ByProcess<Stamp> changes,
    long clock,
    ByProcess<Stamp> requests,
    ByProcess<Stamp> served,
    @Nullable NetworkCensus census)
    implements Message {
  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public int bytes() {
    int stamps = lives.size() + changes.size() + requests.size() + served.size();
    int answers = census == null ? 0 : census.answers().size();
    return 1 + NUMBER + (NAME + NUMBER) * stamps + (2 * NAME + 3 * NUMBER) * answers;
  }

  @Override
  public String toString() {
    return "news(" + changes + ")";
  }
}
