package io.baton.algorithms;

import java.util.List;

/**
 * "req(req_id, rt_info)" of [NET] §4.1, with the kinship of §7.1.1. The sender is known from the
 * channel.
 *
 * @param origin req_origin
 * @param stamp req_time
 * @param alreadySeen who has received the request or is about to
 * @param brothers to whom the sender sent it together with the receiver
 * @param uncles the sender's brothers
 */
record NetworkRequest(
    int origin,
    Stamp stamp,
    List<Integer> alreadySeen,
    List<Integer> brothers,
    List<Integer> uncles)
    implements Message {
  @Override
  public int sink() {
    return origin;
  }

  @Override
  public long ticket() {
    return stamp.ticket();
  }

  @Override
  public boolean isRequest() {
    return true;
  }

  @Override
  public int bytes() {
    int names = 1 + alreadySeen.size() + brothers.size() + uncles.size();
    return 1 + NAME * names + NUMBER;
  }

  @Override
  public String toString() {
    return "req(" + Names.of(origin) + "," + stamp + ")";
  }
}
