package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Waiting for a lock costs a virtual thread no carrier. */
@Timeout(60)
class VirtualThreadsTest {
  private static final int MANY = 500; // far more than there are carriers

  private static void startVirtual(Runnable task) throws ReflectiveOperationException {
    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_25)
  void manyWaitAndAnotherStillRuns() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(2)) {
      Hold hold = cluster.member(0).lock("x").acquire();
      AtomicInteger served = new AtomicInteger();
      CountDownLatch asking = new CountDownLatch(MANY);
      CountDownLatch done = new CountDownLatch(MANY);
      for (int k = 0; k < MANY; k++) {
        int member = k % 2;
        startVirtual(
            () -> {
              BatonLock lock = cluster.member(member).lock("x");
              asking.countDown();
              lock.lock();
              try {
                served.incrementAndGet();
              } finally {
                lock.unlock();
              }
              done.countDown();
            });
      }
      asking.await();
      CountDownLatch ran = new CountDownLatch(1);
      startVirtual(ran::countDown);
      assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(served.get()).isZero();
      hold.close();
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(served.get()).isEqualTo(MANY);
    }
  }
}
