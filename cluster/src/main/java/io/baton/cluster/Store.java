package io.baton.cluster;

import io.baton.agreement.Durable;

/** Where a member keeps what it must not forget as a voter. */
interface Store {
  /**
   * Keeps a state instead of all before it. Never blocks; may be called by one thread after the
   * other in another order than that of the tickets.
   *
   * @param ticket greater with each state: an older one never takes the place of a newer one
   * @param done is run once this state, or a later one, is there for good; perhaps never
   */
  void write(Durable state, long ticket, Runnable done);
}
