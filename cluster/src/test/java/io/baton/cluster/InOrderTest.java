package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is told in order. */
@Timeout(60)
class InOrderTest {
  @Test
  void tasksRunOneAfterTheOtherInTheirOrderWhateverFails() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      InOrder inOrder = new InOrder(threads::execute);
      List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
      int many = 20_000;
      CountDownLatch done = new CountDownLatch(many);
      for (int k = 0; k < many; k++) {
        int number = k;
        inOrder.add(
            () -> {
              ran.add(number);
              done.countDown();
              if (number % 1_000 == 0) {
                throw new IllegalStateException("planted");
              } else if (number % 1_500 == 0) {
                throw new AssertionError("planted");
              }
            });
        if (k % 7 != 0) {
          inOrder.go();
        }
      }
      inOrder.go();
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(ran).isEqualTo(IntStream.range(0, many).boxed().toList());
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void whereTooMuchWaitsThereIsNoRoomForWhatMayBeLeftOut() {
    List<Runnable> started = new ArrayList<>();
    InOrder inOrder = new InOrder(started::add);
    for (int k = 0; k < 10_000; k++) {
      assertThat(inOrder.hasRoom()).isTrue();
      inOrder.add(() -> {});
    }
    assertThat(inOrder.hasRoom()).isFalse();
    inOrder.go();
    started.forEach(Runnable::run);
    assertThat(inOrder.hasRoom()).isTrue();
  }
}
