package io.baton.cluster;

import io.baton.member.ClusterState;
import io.baton.member.Register;

/** The log that the voters agree on, as one member uses it. Nothing here blocks. */
public interface AgreedLog extends Register, AutoCloseable {
  /** What the log tells a member, in order. */
  interface Reader {
    /**
     * This member leads the voters.
     *
     * @param until when, by its own clock, an earlier leader may last have granted a lease
     */
    void elected(long term, long until);

    /** It leads no more. */
    void deposed();

    /** The voters have agreed on a state, which was published in this term. */
    void committed(long term, ClusterState state);

    /** A majority has said, since it was asked, that the term stands. */
    void confirmed(long term, long batch);
  }

  @Override
  void close();
}
