package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** An event allocates nothing but the messages it sends. */
class AllocationTest {
  private static final int ROUNDS = 100_000;

  private static final Effects NOWHERE =
      new Effects() {
        @Override
        public void send(int to, Message message) {}

        @Override
        public void grant(int resource, long cargo) {}

        @Override
        public void setAlarm(Alarm alarm, long delay) {}
      };

  @Test
  void takingTheLockAgainAllocatesNothing() {
    GeneralScheme root = new GeneralScheme(0, NIL, Rule.ALWAYS_TRANSIT, Policy.FIFO);
    assertThat(
            bytesPerRound(
                () -> {
                  root.enter(NOWHERE);
                  root.exit(1, NOWHERE);
                }))
        .isLessThan(1);
  }

  @Test
  void queueingAndForwardingRequestsAllocatesNothing() {
    GeneralScheme root = new GeneralScheme(0, NIL, Rule.ALWAYS_TRANSIT, Policy.FIFO);
    Request first = new Request(1, 1);
    Request second = new Request(2, 2);
    Token token = new Token(NIL, 0, 1);
    double bytes =
        bytesPerRound(
            () -> {
              root.enter(NOWHERE);
              root.receive(1, first, NOWHERE); // waits
              root.receive(2, second, NOWHERE); // waits
              root.exit(1, NOWHERE); // sends the token, which is allocated, and forwards
              root.enter(NOWHERE); // asks
              root.receive(2, token, NOWHERE);
              root.exit(2, NOWHERE);
            });
    assertThat(bytes).isLessThan(33); // one token
  }

  private static double bytesPerRound(Runnable round) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int k = 0; k < ROUNDS; k++) {
      round.run(); // lets the compiler finish what it allocates itself
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int k = 0; k < ROUNDS; k++) {
      round.run();
    }
    return (double) (threads.getCurrentThreadAllocatedBytes() - before) / ROUNDS;
  }
}
