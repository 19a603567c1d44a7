package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** [GS] §4.1. */
class PolicyTest {
  private final Log log = new Log();

  private GeneralScheme lenderWithQueue(Policy policy) {
    GeneralScheme root = new GeneralScheme(0, NIL, Rule.ALWAYS_PROXY, policy);
    root.receive(1, new Request(1, 1), log); // the token is lent to node 2
    root.receive(2, new Request(2, 2), log);
    root.enter(log);
    root.receive(3, new Request(3, 3), log);
    log.take();
    return root;
  }

  @Test
  void fifoServesInOrderOfArrival() {
    GeneralScheme root = lenderWithQueue(Policy.FIFO);
    root.receive(1, new Token(NIL, 1, 1), log);
    assertThat(log.take()).containsExactly("to 3: token(1)");
  }

  @Test
  void liftServesTheNodesOwnCallFirst() {
    GeneralScheme root = lenderWithQueue(Policy.LIFT);
    root.receive(1, new Token(NIL, 1, 1), log);
    assertThat(log.take()).containsExactly("grant 1");
  }

  @Test
  void betweenTwoOwnCriticalSectionsLiftServesSomebodyWhoWaited() {
    GeneralScheme root = lenderWithQueue(Policy.LIFT);
    root.receive(1, new Token(NIL, 1, 1), log);
    root.exit(2, log);
    root.enter(log); // as soon as anyone can
    assertThat(log.take()).containsExactly("grant 1", "to 3: token(1)");
    root.receive(2, new Token(NIL, 2, 3), log);
    root.exit(4, log);
    root.enter(log);
    assertThat(log.take()).containsExactly("grant 3", "to 4: token(1)");
  }

  @Test
  void aUserWritesAPolicyInALine() {
    Policy lowestFirst =
        (waiting, i) -> {
          int best = 0;
          for (int place = 1; place < waiting.size(); place++) {
            best = waiting.get(place).origin() < waiting.get(best).origin() ? place : best;
          }
          return best;
        };
    GeneralScheme root = lenderWithQueue(lowestFirst);
    root.receive(1, new Token(NIL, 1, 1), log);
    assertThat(log.take()).containsExactly("grant 1");
  }

  @Test
  void aQueueKeepsItsOrderWhenItGrowsAndWhenOneLeavesTheMiddle() {
    WaitingQueue queue = new WaitingQueue();
    for (int round = 0; round < 3; round++) {
      for (int j = 0; j < 100; j++) {
        queue.add(new Request(j, j));
      }
      assertThat(queue.remove(50).origin()).isEqualTo(50);
      for (int j = 0; j < 100; j++) {
        if (j != 50) {
          assertThat(queue.remove(0).origin()).isEqualTo(j);
        }
      }
      assertThat(queue.isEmpty()).isTrue();
    }
    assertThatThrownBy(() -> queue.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
