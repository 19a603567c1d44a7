package io.baton.agreement;

/**
 * What a voter asks of its host while it handles one event. The host does these in order, and does
 * nothing that comes after {@link #store} before that state is on disk for good.
 */
public interface Output {
  /** The state has to be on disk, synced, before anything that follows. */
  void store(Durable state);

  /** The state may be written when it suits the host: if it is lost, the voter learns it again. */
  void note(Durable state);

  /** Sends a message to a voter, this one included; it may get lost. */
  void send(String to, Message message);

  /**
   * This voter leads from now on, in this term.
   *
   * @param until when, by its own clock, those who elected it may last have confirmed an earlier
   *     leader (R28)
   */
  void elected(long term, long until);

  /** This voter leads no more. */
  void deposed();

  /** This publication, which this voter has accepted, is committed. */
  void committed(Publication publication);

  /** The wall clock: minutes since the beginning of 2025. */
  long minutes();

  /** A quorum has said, since it was asked, that the term of this leader stands. */
  void confirmed(long term, long batch);

  /**
   * A message contradicts what this voter knows to be committed: somebody lost what it had agreed
   * to.
   */
  void contradicted(String from, Publication publication);
}
