package io.baton.cluster;

import io.baton.member.Command;

/** The log that the voters agree on, as one member uses it. Nothing here blocks. */
public interface AgreedLog extends AutoCloseable {
  /** What the log tells a member, in order. */
  interface Reader {
    /** This member leads the voters. */
    void elected(long term);

    /** It leads no more. */
    void deposed();

    /** The next entry. */
    void applied(long index, long term, Command command);

    /** A majority has said, since it was asked, that the term stands. */
    void confirmed(long term, long batch);
  }

  /** Has the log take an entry, where this member leads; it may get lost. */
  void propose(Command command);

  /** Asks a majority whether the term still stands; the answer is {@link Reader#confirmed}. */
  void confirm(long term, long batch);

  @Override
  void close();
}
