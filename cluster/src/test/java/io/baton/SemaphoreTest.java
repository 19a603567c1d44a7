package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Permits for a whole cluster. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class SemaphoreTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final BatonCluster cluster =
      BatonCluster.local(3, BatonConfig.builder().lease(Duration.ofSeconds(1)).build());

  @AfterEach
  void close() {
    cluster.close();
  }

  private BatonSemaphore semaphore(int member) {
    return cluster.member(member).semaphore("s", 2);
  }

  @Test
  void asManyAsThereArePermitsAreHeldAndNoMore() throws Exception {
    Hold first = semaphore(0).acquire();
    Hold second = semaphore(1).tryAcquire(Duration.ZERO).orElseThrow();
    assertThat(first.lock()).isNotEqualTo(second.lock());
    for (Duration limit : List.of(Duration.ZERO, Duration.ofMillis(50))) {
      assertThat(semaphore(2).tryAcquire(limit)).isEmpty();
      assertThat(semaphore(0).tryAcquire(limit)).isEmpty();
    }
    second.close();
    assertThat(semaphore(2).tryAcquire(LONG)).isPresent();
    first.close();
    assertThat(semaphore(2).tryAcquire(Duration.ZERO)).isPresent();
  }

  @Test
  void whoWaitsGetsWhicheverPermitIsFreeFirst() throws Exception {
    for (int freed = 0; freed < 2; freed++) {
      List<Hold> holds = List.of(semaphore(0).acquire(), semaphore(1).acquire());
      CompletableFuture<Hold> waiting = acquireElsewhere(2);
      while (cluster.member(2).lock("s#2").info().get().waiters().isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(semaphore(0).tryAcquire(Duration.ZERO)).isEmpty();
      holds.get(freed).close();
      Hold hold = waiting.get(30, TimeUnit.SECONDS);
      assertThat(hold.lock()).isEqualTo(holds.get(freed).lock());
      hold.close();
      holds.get(1 - freed).close();
      assertThat(semaphore(0).tryAcquire(LONG)).hasValueSatisfying(Hold::close);
    }
  }

  private CompletableFuture<Hold> acquireElsewhere(int member) {
    CompletableFuture<Hold> future = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                future.complete(semaphore(member).acquire());
              } catch (InterruptedException | RuntimeException e) {
                future.completeExceptionally(e);
              }
            })
        .start();
    return future;
  }

  @Test
  void thePermitsOfAMemberThatIsCutOffAreFreeAfterItsLease() throws Exception {
    Hold first = semaphore(0).acquire();
    Hold second = semaphore(0).acquire();
    cluster.isolate(0);
    assertThat(semaphore(1).tryAcquire(LONG)).isPresent();
    assertThat(semaphore(2).tryAcquire(LONG)).isPresent();
    assertThat(first.isValid() || second.isValid()).isFalse();
  }

  @Test
  void whileManyContendNeverMoreAreInsideThanThereArePermits() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int k = 0; k < 6; k++) {
      int member = k % 3;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                BatonSemaphore mine = semaphore(member);
                for (int turn = 0; turn < 40; turn++) {
                  try (Hold hold = mine.acquire()) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    assertThat(hold.isValid()).isTrue();
                    inside.decrementAndGet();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> each : all) {
      each.get(50, TimeUnit.SECONDS);
    }
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void whoIsInterruptedWhileItWaitsTakesNothing() throws Exception {
    Hold first = semaphore(0).acquire();
    Hold second = semaphore(0).acquire();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (Hold hold = semaphore(1).acquire()) {
                interrupted.complete(!hold.isValid());
              } catch (InterruptedException e) {
                interrupted.complete(true);
              }
            });
    thread.start();
    while (cluster.member(2).lock("s#1").info().get().waiters().isEmpty()) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
    first.close();
    second.close();
    assertThat(semaphore(2).tryAcquire(LONG)).isPresent();
    assertThat(semaphore(2).tryAcquire(LONG)).isPresent();
  }

  @Test
  void whoIsInterruptedJustAsAPermitComesKeepsNone() throws Exception {
    for (int k = 0; k < 50; k++) {
      Hold first = semaphore(0).acquire();
      Hold second = semaphore(0).acquire();
      CompletableFuture<Boolean> ended = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try (Hold hold = semaphore(1).acquire()) {
                  ended.complete(hold.isValid());
                } catch (InterruptedException e) {
                  ended.complete(true);
                }
              });
      thread.start();
      while (cluster.member(1).lock("s#2").info().get().waiters().isEmpty()) {
        Thread.onSpinWait();
      }
      first.close();
      thread.interrupt();
      second.close();
      assertThat(ended.get(30, TimeUnit.SECONDS)).isTrue();
      List<Hold> all = List.of(semaphore(2).acquire(), semaphore(2).acquire());
      all.forEach(Hold::close);
    }
  }

  @Test
  void anotherNumberOfPermitsIsRefusedHereAndElsewhere() throws Exception {
    assertThat(semaphore(0).permits()).isEqualTo(2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cluster.member(0).semaphore("s", 3))
        .withMessageContaining("has 2 permits at " + cluster.member(0).id() + ", not 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cluster.member(1).semaphore("s", 3))
        .withMessageContaining("has 2 permits at " + cluster.member(0).id() + ", not 3");
    assertThat(semaphore(1).tryAcquire(Duration.ZERO)).as("with the right number").isPresent();
  }

  @Test
  void numbersAndNamesThatMakeNoSenseAreRefused() {
    Baton baton = cluster.member(0);
    for (int wrong : new int[] {0, -1, 1_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> baton.semaphore("t", wrong))
          .withMessageContaining("1 to 1000 permits, not " + wrong);
    }
    assertThatIllegalArgumentException().isThrownBy(() -> baton.semaphore("x".repeat(510), 2));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> baton.semaphore("t", 1).tryAcquire(Duration.ofMillis(-1)))
        .withMessageContaining("negative");
  }

  @Test
  void whereTheMemberHasLeftNoPermitIsGiven() {
    BatonSemaphore mine = semaphore(0);
    cluster.member(0).close();
    assertThatExceptionOfType(BatonClosedException.class).isThrownBy(mine::acquire);
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      Hold first = members.get(0).semaphore("s", 2).acquire();
      assertThat(members.get(1).semaphore("s", 2).tryAcquire(LONG)).isPresent();
      assertThat(members.get(2).semaphore("s", 2).tryAcquire(Duration.ZERO)).isEmpty();
      assertThatIllegalArgumentException().isThrownBy(() -> members.get(2).semaphore("s", 3));
      first.close();
      assertThat(members.get(2).semaphore("s", 2).tryAcquire(LONG)).isPresent();
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void anotherNumberIsRefusedAsSoonAsTheOthersCanBeAsked() throws Exception {
    Hold first = semaphore(1).acquire();
    cluster.isolate(0);
    BatonSemaphore wrong = cluster.member(0).semaphore("s", 5);
    cluster.reconnect(0);
    assertThat(cluster.member(0).lock("x").tryAcquire(LONG)).as("it is back").isPresent();
    assertThatIllegalArgumentException()
        .isThrownBy(wrong::acquire)
        .withMessageContaining("has 2 permits at " + cluster.member(1).id() + ", not 5");
    assertThatIllegalArgumentException().isThrownBy(() -> wrong.tryAcquire(Duration.ZERO));
    assertThat(semaphore(0).tryAcquire(LONG)).as("with the right number").isPresent();
    assertThat(first.isValid()).isTrue();
  }

  @Test
  void whomTheOthersWentOnWithoutAsksOnceMoreHowManyPermitsThereAre() throws Exception {
    BatonSemaphore two = semaphore(0); // agreed with all
    cluster.isolate(0);
    while (cluster.member(1).status().members().size() > 2) {
      Thread.onSpinWait();
    }
    Hold ofThree = cluster.member(1).semaphore("s", 3).acquire(); // as after a deployment
    cluster.reconnect(0);
    assertThat(cluster.member(0).lock("x").tryAcquire(LONG)).as("it is back").isPresent();
    assertThatIllegalArgumentException()
        .isThrownBy(two::acquire)
        .withMessageContaining("has 3 permits at " + cluster.member(1).id() + ", not 2");
    assertThat(ofThree.isValid()).isTrue();
  }

  @Test
  void namesAreCheckedBeforeAnythingIsNoted() throws Exception {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cluster.member(0).semaphore("", 2))
        .withMessageContaining("The name of a semaphore is empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cluster.member(0).semaphore("x".repeat(508), 2))
        .withMessageContaining("has 508 bytes in UTF-8, and may have 507");
    assertThat(cluster.member(0).semaphore("x".repeat(507), 2).tryAcquire(LONG)).isPresent();
  }
}
