package io.baton.member;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between two lives (R25): numbers what goes out and keeps it until it is
 * confirmed, takes in what comes in order and throws away the rest, which comes again. No more than
 * a window is under way; what waits behind it has no number yet.
 */
final class Link {
  static final long NEVER = Long.MAX_VALUE;
  private static final int WINDOW = 256;
  private static final int PROMPT = WINDOW / 4; // so many letters are confirmed at once

  /** A letter that has been sent and not confirmed. */
  record Numbered(long seq, Letter letter) {}

  final Peer peer;
  private final ArrayDeque<Letter> waiting = new ArrayDeque<>();
  private final ArrayDeque<Numbered> sent = new ArrayDeque<>();
  private long lastSent;
  private long lastTaken;
  private int owed; // letters taken since the last confirmation
  private long resendAt = NEVER;
  private long ackAt = NEVER;
  private boolean unheard; // the other side repeats itself: confirmations do not get through

  Link(Peer peer) {
    this.peer = peer;
  }

  void accept(Letter letter) {
    waiting.add(letter);
  }

  /** What may go out now for the first time. */
  List<Numbered> next(long now, Settings settings) {
    List<Numbered> next = new ArrayList<>(1);
    while (sent.size() < WINDOW && !waiting.isEmpty()) {
      Numbered letter = new Numbered(++lastSent, waiting.remove());
      sent.add(letter);
      next.add(letter);
    }
    if (resendAt == NEVER && !sent.isEmpty()) {
      resendAt = now + settings.resend();
    }
    return next;
  }

  /** What is to be sent again now, oldest first. */
  List<Numbered> again(long now, Settings settings) {
    resendAt = sent.isEmpty() ? NEVER : now + settings.resend();
    return List.copyOf(sent);
  }

  /** A new epoch: nobody wants what has not even been sent. */
  void forgetWaiting() {
    waiting.clear();
  }

  /** What the other side is told to have come; telling it once is enough. */
  long ack() {
    ackAt = NEVER;
    owed = 0;
    return lastTaken;
  }

  /** Takes in a packet; the letter, if it is the next one. */
  @Nullable Letter take(Packet.Mail mail, long now, Settings settings) {
    confirm(mail.ack(), now, settings);
    Letter letter = mail.letter();
    if (letter == null) {
      return null;
    }
    ackAt = ++owed >= PROMPT ? now : Math.min(ackAt, now + settings.ackDelay());
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
    return sent.size() + waiting.size();
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
