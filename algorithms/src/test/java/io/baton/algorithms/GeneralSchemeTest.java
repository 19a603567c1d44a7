package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Sentences of [GS] §2, one node at a time. Node numbers in code count from 0, in text from 1. */
class GeneralSchemeTest {
  private final Log log = new Log();

  private static GeneralScheme node(int i, int father, Rule rule) {
    return new GeneralScheme(i, father, rule, Policy.FIFO);
  }

  @Test
  void theRootEntersWithoutAMessage() {
    GeneralScheme root = node(0, NIL, Rule.ALWAYS_PROXY);
    root.enter(log);
    assertThat(log.take()).containsExactly("grant 0");
    root.exit(7, log);
    assertThat(log.take()).isEmpty();
    root.enter(log);
    assertThat(log.take()).containsExactly("grant 7");
  }

  @Test
  void aNodeWithoutTheTokenAsksItsFather() {
    GeneralScheme node = node(2, 1, Rule.ALWAYS_TRANSIT);
    node.enter(log);
    assertThat(log.take()).containsExactly("to 2: request(3)");
  }

  @Test
  void aTransitRootGivesUpTheTokenForGood() {
    GeneralScheme root = node(0, NIL, Rule.ALWAYS_TRANSIT);
    root.receive(1, new Request(4, 4), log);
    assertThat(log.take()).containsExactly("to 5: token(nil)");
    assertThat(root.capture()).isEqualTo(new SchemeState(false, false, 4, NIL, NIL, List.of(), 0));
  }

  @Test
  void aProxyRootLendsTheTokenAndIsBusyUntilItReturns() {
    GeneralScheme root = node(0, NIL, Rule.ALWAYS_PROXY);
    root.receive(1, new Request(1, 1), log);
    root.receive(2, new Request(2, 2), log);
    assertThat(log.take()).containsExactly("to 2: token(1)");
    root.receive(1, new Token(NIL, 1, 1), log);
    assertThat(log.take()).containsExactly("to 3: token(1)");
  }

  @Test
  void aTransitNodeForwardsTheRequestAndTurnsToTheRequester() {
    GeneralScheme node = node(3, 1, Rule.ALWAYS_TRANSIT);
    node.receive(5, new Request(6, 6), log);
    assertThat(log.take()).containsExactly("to 2: request(7)");
    assertThat(node.father()).isEqualTo(6);
    assertThat(node.capture().asked()).isFalse();
  }

  @Test
  void aProxyAsksInItsOwnNameAndPassesTheTokenOn() {
    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    node.receive(5, new Request(5, 6), log);
    assertThat(log.take()).containsExactly("to 2: request(4)");
    node.receive(2, new Token(0, 6, 9), log);
    assertThat(log.take()).containsExactly("to 6: token(1)");
    assertThat(node.father()).isEqualTo(2);
    assertThat(node.tokenHere()).isFalse();
  }

  @Test
  void aProxyThatGetsTheTokenForGoodBecomesItsLender() {
    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    node.receive(5, new Request(5, 5), log);
    node.receive(1, new Token(NIL, 5, 0), log);
    assertThat(log.take()).containsExactly("to 2: request(4)", "to 6: token(4)");
    assertThat(node.capture()).isEqualTo(new SchemeState(false, true, NIL, 3, NIL, List.of(), 0));
  }

  @Test
  void aBorrowerGivesTheTokenBackToItsLender() {
    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    node.enter(log);
    node.receive(1, new Token(0, 3, 4), log);
    node.exit(5, log);
    assertThat(log.take()).containsExactly("to 2: request(4)", "grant 4", "to 1: token(nil)");
  }

  @Test
  void requestsThatCameWhileBusyAreAllServedAsTransit() {
    GeneralScheme node = node(3, NIL, Rule.ALWAYS_TRANSIT);
    node.enter(log);
    node.receive(4, new Request(4, 4), log);
    node.receive(5, new Request(5, 5), log);
    assertThat(log.take()).containsExactly("grant 0");
    node.exit(1, log);
    assertThat(log.take()).containsExactly("to 5: token(nil)", "to 5: request(6)");
  }

  @Test
  void aBehaviourMayChangeWhileTheTokenIsAwaited() {
    Behavior[] now = {Behavior.PROXY};
    GeneralScheme node = node(3, 1, (i, j) -> now[0]);
    node.receive(5, new Request(5, 5), log);
    now[0] = Behavior.TRANSIT;
    node.receive(1, new Token(NIL, 5, 0), log);
    assertThat(log.take()).containsExactly("to 2: request(4)", "to 6: token(nil)");
    assertThat(node.father()).isEqualTo(5);
  }

  @Test
  void aRestoredNodeGoesOnWhereTheCapturedOneWas() {
    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    node.receive(5, new Request(5, 6), log);
    node.receive(7, new Request(7, 7), log);
    GeneralScheme other = node(3, NIL, Rule.ALWAYS_PROXY);
    other.restore(node.capture());
    assertThat(other.capture()).isEqualTo(node.capture()).hasSameHashCodeAs(node.capture());
    log.take();
    other.receive(2, new Token(0, 6, 9), log);
    assertThat(log.take()).containsExactly("to 6: token(1)", "to 3: request(4)");
  }

  @Test
  void aStateIsReadAsThePaperWritesIt() {
    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    node.enter(log);
    node.receive(7, new Request(7, 7), log);
    assertThat(node.capture().variables())
        .extracting(variable -> variable.name() + "=" + variable.value())
        .containsExactly(
            "tokenHere=false", "asked=true", "father=2", "lender=nil", "mandator=4", "waiting=[8]");
  }

  @Test
  void anUnknownMessageIsNotSilentlyDropped() {
    record Hello(int sink) implements Message {}

    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    assertThatThrownBy(() -> node.receive(1, new Hello(0), log))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Hello");
  }

  @Test
  void anAlarmThatNobodySetIsAnError() {
    enum Bell implements Alarm {
      RING
    }

    GeneralScheme node = node(3, 1, Rule.ALWAYS_PROXY);
    assertThatThrownBy(() -> node.alarm(Bell.RING, log))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RING");
  }
}
