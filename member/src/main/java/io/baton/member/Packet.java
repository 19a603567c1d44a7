package io.baton.member;

import io.baton.agreement.Message;
import org.jspecify.annotations.Nullable;

/**
 * What goes from one process to another. Packets may get lost, doubled or overtaken; letters in
 * them are not ({@link Links}).
 */
public sealed interface Packet {
  /**
   * A letter, or only a confirmation.
   *
   * @param seq its number on this link, from 1; 0 without a letter
   * @param ack up to where letters of the other direction have come
   */
  record Mail(Peer from, Peer to, long seq, long ack, @Nullable Letter letter) implements Packet {}

  /** To the leader, who passes it on and keeps nothing (R25). */
  record Relayed(Mail mail) implements Packet {}

  /**
   * To the leader: my lease, please.
   *
   * @param sent by the clock of who asks; comes back unread
   * @param view installed there
   */
  record Renewal(Peer from, long sent, long view) implements Packet {}

  /** From the leader: your lease counts from when you sent this. */
  record Renewed(Peer to, long sent) implements Packet {}

  /** From the leader, unasked or in place of a lease (R8, R12). */
  record Agreed(View view) implements Packet {}

  /** To the leader: let me in. */
  record Join(Newcomer newcomer) implements Packet {}

  /** From the leader: a life of yours may still hold locks (R4). */
  record InUse(String id, long run) implements Packet {}

  /** To the leader: I hold nothing any more, and go (R6). */
  record Leave(Peer from) implements Packet {}

  /** From voter to voter. */
  record Vote(Message message) implements Packet {}

  /** To the leader: numbers or memory run short, a new epoch please (R21, R23). */
  record Renew(long epoch) implements Packet {}
}
