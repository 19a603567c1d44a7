package io.baton.algorithms;

import java.util.List;

/**
 * [NET] §7.1.2 with a new token as soon as a majority agrees that it does not have the old one, as
 * the text proposes. Here to be broken (A8): the old token may live on in the minority.
 */
public final class NetworkMajority extends Network {
  /** Process i, initially without requests. */
  public NetworkMajority(int i, List<Integer> neighbours, boolean owner, int processes) {
    super(i, neighbours, owner, processes);
  }

  @Override
  void channelLost(Effects out) {
    lookForToken(out);
  }

  @Override
  boolean mayAsk() {
    return true;
  }

  @Override
  boolean isEnough(ByProcess<NetworkCensus.Answer> answers, int all) {
    return 2 * answers.size() > all;
  }

  @Override
  boolean isLost(ByProcess<NetworkCensus.Answer> answers) {
    boolean[] somewhere = {false};
    answers.forEach((process, answer) -> somewhere[0] |= answer.to() == process);
    return !somewhere[0];
  }
}
