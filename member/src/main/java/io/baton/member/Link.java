package io.baton.member;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between two lives (R25): numbers what goes out and keeps it until it is
 * confirmed, takes in what comes in order and throws away the rest, which comes again.
 */
final class Link {
  static final long NEVER = Long.MAX_VALUE;
  private static final int WINDOW = 256; // letters sent again at once

  /** A letter that has been sent and not confirmed. */
  record Unconfirmed(long seq, Letter letter) {}

  final Peer peer;
  private final ArrayDeque<Unconfirmed> sent = new ArrayDeque<>();
  private long lastSent;
  private long lastTaken;
  private long resendAt = NEVER;
  private long ackAt = NEVER;
  private boolean unheard; // the other side repeats itself: confirmations do not get through

  Link(Peer peer) {
    this.peer = peer;
  }

  /** Takes a letter to be sent, and gives its number. */
  long accept(Letter letter, long now, Settings settings) {
    sent.add(new Unconfirmed(++lastSent, letter));
    if (resendAt == NEVER) {
      resendAt = now + settings.resend();
    }
    return lastSent;
  }

  /** What the other side is told to have come; telling it once is enough. */
  long ack() {
    ackAt = NEVER;
    return lastTaken;
  }

  /** Takes in a packet; the letter, if it is the next one. */
  @Nullable Letter take(Packet.Mail mail, long now, Settings settings) {
    confirm(mail.ack(), now, settings);
    Letter letter = mail.letter();
    if (letter == null) {
      return null;
    }
    ackAt = Math.min(ackAt, now + settings.ackDelay());
    unheard = mail.seq() <= lastTaken;
    if (mail.seq() != lastTaken + 1) {
      return null;
    }
    lastTaken = mail.seq();
    return letter;
  }

  private void confirm(long ack, long now, Settings settings) {
    int before = sent.size();
    while (!sent.isEmpty() && sent.peek().seq() <= ack) {
      sent.remove();
    }
    if (sent.isEmpty()) {
      resendAt = NEVER;
    } else if (sent.size() < before) {
      resendAt = now + settings.resend();
    }
  }

  boolean isUnheard() {
    return unheard;
  }

  int unconfirmed() {
    return sent.size();
  }

  /** What is to be sent again now, oldest first. */
  Iterable<Unconfirmed> again(long now, Settings settings) {
    resendAt = sent.isEmpty() ? NEVER : now + settings.resend();
    return () -> sent.stream().limit(WINDOW).iterator();
  }

  boolean isResendDue(long now) {
    return now >= resendAt;
  }

  boolean isAckDue(long now) {
    return now >= ackAt;
  }

  long nextWake() {
    return Math.min(resendAt, ackAt);
  }
}
