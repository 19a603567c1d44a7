package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was not done is tried again, and costs little meanwhile. */
@Timeout(60)
class RescueTest {
  private final Rescue rescue = new Rescue("m", () -> {});
  private final AtomicInteger tries = new AtomicInteger();
  private final CountDownLatch done = new CountDownLatch(1);

  @AfterEach
  void close() {
    rescue.close();
  }

  private Errand failing(int times) {
    return new Errand() {
      @Override
      void run() {
        if (tries.incrementAndGet() <= times) {
          throw new LinkageError("planted");
        }
        done.countDown();
      }
    };
  }

  @Test
  void whatFailsIsTriedUntilItIsDone() throws Exception {
    rescue.start();
    rescue.add(failing(5));
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(tries.get()).isEqualTo(6);
  }

  @Test
  void whatKeepsFailingIsTriedMoreAndMoreSeldom() throws Exception {
    rescue.start();
    rescue.add(failing(1_000));
    assertThat(done.await(1, TimeUnit.SECONDS)).isFalse();
    assertThat(tries.get()).isBetween(2, 50);
    tries.set(1_000);
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
