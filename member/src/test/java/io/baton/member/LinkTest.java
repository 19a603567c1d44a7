package io.baton.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two ends of a link and a connection that breaks. */
class LinkTest {
  private static final Settings SETTINGS = Settings.ofSecond(1_000);
  private static final Peer A = new Peer("a", 1);
  private static final Peer B = new Peer("b", 1);

  private final ArrayDeque<Packet> underWay = new ArrayDeque<>();
  private final List<Long> taken = new ArrayList<>();
  private final Links a = new Links(SETTINGS, A, new Wire());
  private final Links b = new Links(SETTINGS, B, new Wire());
  private long now;

  private static Letter letter(long number) {
    return new Letter(1, 1, new Letter.Recall("x", number));
  }

  private void deliver() {
    while (!underWay.isEmpty()) {
      if (underWay.remove() instanceof Packet.Mail mail) {
        Letter letter = (mail.to().equals(A) ? a : b).take(mail, true, now);
        if (letter != null) {
          taken.add(((Letter.Recall) letter.body()).loan());
        }
      }
    }
  }

  private void pass(long time) {
    for (long end = now + time; now < end; now += 10) {
      a.tick(now);
      b.tick(now);
      deliver();
    }
  }

  @Test
  void whatWasLostWithAConnectionComesAgainInOrderAndOnce() {
    a.connected("b", now);
    b.connected("a", now);
    List<Long> all = new ArrayList<>();
    for (long k = 0; k < 1_000; k++) {
      a.send(B, letter(k), now);
      all.add(k);
      if (k % 7 == 0) {
        underWay.pollLast(); // lost
      }
      if (k % 100 == 0) {
        deliver();
      }
    }
    pass(20 * SETTINGS.resend());
    assertThat(taken).isEqualTo(all);
  }

  @Test
  void aLongBacklogIsWorkedOffAtOnceWhenTheConnectionIsBack() {
    for (long k = 0; k < 10_000; k++) {
      a.send(B, letter(k), now);
    }
    underWay.clear();
    a.connected("b", now);
    b.connected("a", now);
    pass(2 * SETTINGS.resend());
    assertThat(taken).hasSize(10_000).isSorted();
    assertThat(a.hasRoom()).isTrue();
  }

  @Test
  void inANewEpochWhatWasNotEvenSentIsForgotten() {
    for (long k = 0; k < 10_000; k++) {
      a.send(B, letter(k), now);
    }
    a.beginEpoch();
    underWay.clear();
    a.send(B, letter(77_777), now);
    a.connected("b", now);
    b.connected("a", now);
    pass(2 * SETTINGS.resend());
    assertThat(taken).hasSizeLessThan(300).endsWith(77_777L);
  }

  private final class Wire implements Output {
    @Override
    public void send(String id, Packet packet) {
      underWay.add(packet);
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      throw new IllegalStateException("no force here");
    }

    @Override
    public void inUse() {
      throw new IllegalStateException("no names here");
    }

    @Override
    public void left() {
      throw new IllegalStateException("nobody leaves");
    }
  }
}
