package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of locks, over members in one process. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // what happens without it is the subject
class BatonLockTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final BatonCluster cluster =
      BatonCluster.local(3, BatonConfig.builder().lease(Duration.ofMillis(500)).build());

  @AfterEach
  void close() {
    cluster.close();
  }

  private BatonLock lock(int member) {
    return cluster.member(member).lock("x");
  }

  /** Runs something on another thread, and waits for it. */
  private static <T> T elsewhere(java.util.concurrent.Callable<T> action) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(action.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.start();
    return result.get(30, TimeUnit.SECONDS);
  }

  /** A thread that is parked, as seen from outside. */
  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  // Holds.

  @Test
  void fencesRiseFromGrantToGrantWhereverItIs() throws InterruptedException {
    long last = 0;
    for (int k = 0; k < 30; k++) {
      Instant began = Instant.now().minusMillis(1); // it is counted back from the present
      try (Hold hold = lock(k % 3).acquire()) {
        assertThat(hold.isValid()).isTrue();
        assertThat(hold.fence()).isGreaterThan(last);
        assertThat(hold.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofMillis(500));
        assertThat(hold.since()).isBetween(began, Instant.now());
        last = hold.fence();
      }
    }
  }

  @Test
  void aHoldBelongsToWhoeverHasItAndMayBeClosedTwiceAndByAnyThread() throws Exception {
    Hold hold = lock(0).acquire();
    elsewhere(
        () -> {
          hold.close();
          return true;
        });
    hold.close();
    assertThat(hold.isValid()).isFalse();
    assertThat(hold.lost()).isEmpty();
    lock(1).acquire().close();
  }

  @ParameterizedTest
  @EnumSource(TokenRule.class)
  void noTwoHoldsOverlapWhileManyThreadsOfAllMembersContend(TokenRule rule) throws Exception {
    BatonConfig.Builder config =
        BatonConfig.builder().tree(rule == TokenRule.OPEN_CUBE ? "cube" : "star").rule("x", rule);
    try (BatonCluster three = BatonCluster.local(3, config.build())) {
      contend(three);
      long first = three.member(0).lock("other").acquire().fence();
      long last = three.member(0).lock("x").acquire().fence();
      assertThat(last - first).as("each grant counts").isGreaterThanOrEqualTo(9 * 200);
    }
  }

  private static void contend(BatonCluster three) throws InterruptedException {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger entered = new AtomicInteger();
    AtomicReference<String> wrong = new AtomicReference<>();
    FenceGuard store = new FenceGuard();
    List<Thread> threads =
        java.util.stream.IntStream.range(0, 9)
            .mapToObj(
                k ->
                    new Thread(
                        () -> {
                          for (int turn = 0; turn < 200; turn++) {
                            try (Hold hold = three.member(k % 3).lock("x").acquire()) {
                              if (inside.incrementAndGet() != 1) {
                                wrong.set("two inside");
                              }
                              store.check("x", hold.fence());
                              entered.incrementAndGet();
                              inside.decrementAndGet();
                            } catch (InterruptedException | RuntimeException e) {
                              wrong.set(e.toString());
                            }
                          }
                        }))
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong.get()).isNull();
    assertThat(entered.get()).isEqualTo(9 * 200);
  }

  @Test
  void tryAcquireGivesUpInTimeAndLeavesNothingBehind() throws InterruptedException {
    try (Hold hold = lock(0).acquire()) {
      assertThat(lock(1).tryAcquire(Duration.ofMillis(20))).isEmpty();
      assertThat(lock(0).tryAcquire(Duration.ZERO)).isEmpty();
      assertThat(hold.isValid()).isTrue();
    }
    Optional<Hold> next = lock(1).tryAcquire(LONG);
    assertThat(next).isPresent();
    next.get().close();
    assertThat(lock(2).tryAcquire(Duration.ofNanos(Long.MAX_VALUE))).isPresent();
  }

  @Test
  void acquireAsyncCompletesWhenGrantedAndCanBeCancelled() throws Exception {
    Hold first = lock(0).acquire();
    CompletableFuture<Hold> second = lock(1).acquireAsync();
    CompletableFuture<Hold> third = lock(2).acquireAsync();
    assertThat(second).isNotDone();
    second.cancel(false);
    first.close();
    try (Hold hold = third.get(30, TimeUnit.SECONDS)) {
      assertThat(hold.fence()).isGreaterThan(first.fence());
    }
    try (Hold again = lock(1).acquire()) {
      assertThat(again.isValid()).isTrue();
    }
  }

  // Loss.

  @Test
  void whoIsCutOffIsToldBeforeAnybodyElseIsGranted() throws Exception {
    Hold hold = lock(2).acquire();
    CompletableFuture<LossReason> told = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread sleeper =
        new Thread(
            () -> {
              try {
                new java.util.concurrent.CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.complete(true);
              }
            });
    sleeper.start();
    hold.onLost(told::complete);
    hold.interruptOnLoss(sleeper);
    cluster.isolate(2);
    try (Hold next = lock(0).acquire()) {
      assertThat(hold.isValid()).isFalse();
      assertThat(hold.lost()).contains(LossReason.PARTITIONED);
      assertThat(next.fence()).isGreaterThan(hold.fence());
    }
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.PARTITIONED);
    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
    cluster.reconnect(2);
    lock(2).acquire().close();
  }

  @Test
  void waitersSurviveThatTheirMemberIsCutOffForAWhile() throws Exception {
    Hold hold = lock(0).acquire();
    CompletableFuture<Hold> waiting = lock(2).acquireAsync();
    CompletableFuture<LossReason> lost = new CompletableFuture<>();
    Hold other = cluster.member(2).lock("y").acquire();
    other.onLost(lost::complete);
    cluster.isolate(2);
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.PARTITIONED);
    cluster.reconnect(2);
    hold.close();
    waiting.get(30, TimeUnit.SECONDS).close();
  }

  @Test
  void aCallbackThatBlocksDelaysNeitherTheLeaseNorOthers() throws Exception {
    Hold hold = lock(1).acquire();
    java.util.concurrent.CountDownLatch never = new java.util.concurrent.CountDownLatch(1);
    hold.onLost(
        reason -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    CompletableFuture<LossReason> second = new CompletableFuture<>();
    hold.onLost(second::complete);
    cluster.member(0).forceRelease("x", hold.fence()).get(30, TimeUnit.SECONDS);
    assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.FORCED);
    lock(1).acquire().close();
    never.countDown();
  }

  @Test
  void whoHasClosedItsHoldIsNotInterruptedAnyMore() throws Exception {
    for (int k = 0; k < 100; k++) {
      Hold hold = lock(0).acquire();
      hold.interruptOnLoss(Thread.currentThread());
      assertThat(cluster.member(0).forceRelease("x", hold.fence()).join()).isTrue();
      hold.close();
      Thread.interrupted(); // that may have come before
      LockSupport.parkNanos(1_000_000);
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void aForcedReleaseEndsTheHoldWithThatFenceAndNoOther() throws Exception {
    Hold hold = lock(1).acquire();
    assertThat(cluster.member(0).forceRelease("x", hold.fence() + 1).get()).isFalse();
    assertThat(hold.isValid()).isTrue();
    assertThat(cluster.member(0).forceRelease("x", hold.fence()).get()).isTrue();
    assertThat(hold.lost()).contains(LossReason.FORCED);
    CompletableFuture<LossReason> late = new CompletableFuture<>();
    hold.onLost(late::complete);
    assertThat(late.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.FORCED);
  }

  @Test
  void whoLeavesTellsHoldersAndWaitersAndHandsOn() throws Exception {
    Hold hold = lock(1).acquire();
    CompletableFuture<Hold> waiting = lock(1).acquireAsync();
    CompletableFuture<Hold> elsewhere = lock(2).acquireAsync();
    cluster.member(1).close();
    assertThat(hold.lost()).contains(LossReason.CLOSED);
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .withCauseInstanceOf(BatonClosedException.class);
    elsewhere.get(30, TimeUnit.SECONDS).close();
    assertThatThrownBy(() -> lock(1).acquire()).isInstanceOf(BatonClosedException.class);
    assertThatThrownBy(() -> lock(1).lock()).isInstanceOf(BatonClosedException.class);
  }

  @Test
  void aHoldThatWasGivenBackIsNotLostAfterwards() throws Exception {
    Hold hold = lock(1).acquire();
    hold.close(); // the process keeps it
    cluster.member(1).close();
    assertThat(hold.lost()).isEmpty();
  }

  @Test
  void whoAsksAMemberThatHasLeftIsAnswered() throws Exception {
    cluster.member(1).close();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> lock(1).acquireAsync().get(30, TimeUnit.SECONDS))
        .withCauseInstanceOf(BatonClosedException.class);
    assertThat(cluster.member(1).forceRelease("x", 1).get(30, TimeUnit.SECONDS)).isFalse();
  }

  @Test
  void withoutAMajorityNobodyHoldsAnything() throws Exception {
    Hold hold = lock(0).acquire();
    CompletableFuture<LossReason> told = new CompletableFuture<>();
    hold.onLost(told::complete);
    cluster.isolate(1);
    cluster.isolate(2);
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.PARTITIONED);
    assertThat(lock(0).tryAcquire(Duration.ofMillis(50))).isEmpty();
    cluster.reconnect(1);
    lock(0).acquire().close();
  }

  // The adapter.

  @Test
  void eachUnlockSaysThatTheLockWasLost() throws Exception {
    BatonLock lock = lock(0);
    lock.lock();
    lock.lock();
    cluster.member(1).forceRelease("x", lock.hold().fence()).get(30, TimeUnit.SECONDS);
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void aThreadMayLockAgainAndUnlocksAsOften() throws Exception {
    BatonLock lock = lock(0);
    lock.lock();
    lock.lockInterruptibly();
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
    long fence = lock.hold().fence();
    for (int k = 0; k < 3; k++) {
      cluster.member(0).lock("x").unlock();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      assertThat(elsewhere(() -> lock(0).tryLock())).isFalse();
      assertThat(lock.hold().fence()).isEqualTo(fence);
    }
    lock.unlock();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(
            elsewhere(
                () -> {
                  boolean taken = lock(0).tryLock();
                  lock(0).unlock();
                  return taken;
                }))
        .isTrue();
  }

  @Test
  void whoHasNotLockedCannotUnlock() throws Exception {
    assertThatThrownBy(() -> lock(0).unlock())
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("Lock \"x\" is not held by thread");
    lock(0).lock();
    assertThatThrownBy(
            () ->
                elsewhere(
                    () -> {
                      lock(0).unlock();
                      return true;
                    }))
        .hasCauseInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(() -> lock(1).unlock()).isInstanceOf(IllegalMonitorStateException.class);
    assertThat(lock(0).isHeldByCurrentThread()).isTrue();
    lock(0).unlock();
    assertThatThrownBy(() -> lock(0).hold()).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void whoClosedTheHoldBehindALockIsToldSoAndNotOfALoss() throws Exception {
    BatonLock lock = lock(0);
    lock.lock();
    lock.hold().close();
    assertThatThrownBy(lock::lock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("given back already");
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining("given back already");
    lock.lock();
    lock.unlock();
  }

  @Test
  void lockIsNotInterruptedAndKeepsTheInterruptForLater() throws Exception {
    Hold hold = lock(0).acquire();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              lock(1).lock();
              flag.complete(Thread.currentThread().isInterrupted());
              lock(1).unlock();
            });
    thread.start();
    awaitParked(thread);
    thread.interrupt();
    awaitParked(thread);
    hold.close();
    assertThat(flag.get(30, TimeUnit.SECONDS)).isTrue();
    Thread.currentThread().interrupt();
    lock(0).lock();
    lock(0).unlock();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void whatIsInterruptibleIsInterruptedBeforeAndDuring() throws Exception {
    List<InterruptibleAction> actions =
        List.of(
            () -> lock(1).lockInterruptibly(),
            () -> assertThat(lock(1).tryLock(1, TimeUnit.MINUTES)).isFalse(),
            () -> lock(1).acquire().close(),
            () -> lock(1).tryAcquire(LONG).ifPresent(Hold::close));
    Hold hold = lock(0).acquire();
    for (InterruptibleAction action : actions) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(action::run).isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  action.run();
                  interrupted.complete(false);
                } catch (InterruptedException e) {
                  interrupted.complete(!Thread.currentThread().isInterrupted());
                }
              });
      thread.start();
      awaitParked(thread);
      thread.interrupt();
      assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
    }
    hold.close();
    lock(1).acquire().close();
  }

  private interface InterruptibleAction {
    void run() throws InterruptedException;
  }

  @Test
  void tryLockFailsWhereTheLockIsHeldAndSucceedsWhereItIsFree() throws Exception {
    lock(0).lock();
    assertThat(lock(1).tryLock()).isFalse();
    assertThat(lock(1).tryLock(0, TimeUnit.SECONDS)).isFalse();
    assertThat(lock(1).tryLock(-5, TimeUnit.SECONDS)).isFalse();
    assertThat(elsewhere(() -> lock(0).tryLock(10, TimeUnit.MILLISECONDS))).isFalse();
    lock(0).unlock();
    while (!lock(1).tryLock()) { // it was called: it comes
      Thread.onSpinWait();
    }
    lock(1).unlock();
    assertThat(lock(2).tryLock(30, TimeUnit.SECONDS)).isTrue();
    lock(2).unlock();
  }

  @Test
  void aThreadMayHoldManyLocksAndGivesThemBackInAnyOrder() throws Exception {
    try (BatonCluster one = BatonCluster.local(1)) {
      List<BatonLock> locks =
          IntStream.range(0, 100).mapToObj(k -> one.member(0).lock("lock-" + k)).toList();
      locks.forEach(BatonLock::lock);
      List<Integer> order = IntStream.range(0, 100).map(k -> k * 37 % 100).boxed().toList();
      for (int place = 0; place < 100; place++) {
        locks.get(order.get(place)).unlock();
        for (int k = 0; k < 100; k++) {
          boolean given = order.indexOf(k) <= place;
          assertThat(locks.get(k).isHeldByCurrentThread()).isEqualTo(!given);
        }
      }
      assertThatThrownBy(locks.get(0)::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }
  }

  @Test
  void aThreadThatLostItsLockIsToldWhenItUnlocksOrLocksAgain() throws Exception {
    BatonLock lock = lock(0);
    lock.lock();
    cluster.member(1).forceRelease("x", lock.hold().fence()).get(30, TimeUnit.SECONDS);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(lock::lock)
        .withMessageMatching("Lock \"x\" was lost.*forced.*Fence \\d+ is no longer valid.")
        .withMessageContaining("To go on, call unlock() once more, then lock() anew")
        .extracting(LockLostException::reason)
        .isEqualTo(LossReason.FORCED);
    assertThat(lock.holdCount()).isEqualTo(1);
    elsewhere(
        () -> {
          lock(0).lock();
          lock(0).unlock();
          return true;
        });
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(IllegalMonitorStateException.class)
        .isNotInstanceOf(LockLostException.class);
    lock.lock();
    lock.unlock();
  }

  @Test
  void conditionsAreNotOfferedAndSayso() {
    assertThatThrownBy(() -> lock(0).newCondition())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("Baton offers no conditions");
  }

  // Names and listing.

  @Test
  void namesAreCheckedWhereTheyAreGiven() {
    Baton baton = cluster.member(0);
    assertThatThrownBy(() -> baton.lock("")).hasMessageContaining("is empty");
    assertThatThrownBy(() -> baton.lock("x".repeat(513))).hasMessageContaining("has 513 bytes");
    assertThatThrownBy(() -> baton.lock("é".repeat(257))).hasMessageContaining("has 514 bytes");
    assertThatThrownBy(() -> baton.lock("a\ud800b")).hasMessageContaining("not valid Unicode");
    assertThatThrownBy(() -> baton.lock("a\udc00")).hasMessageContaining("not valid Unicode");
    baton.lock("x".repeat(512)).lock();
    baton.lock("😀".repeat(128)).lock();
  }

  @Test
  void locksTellsWhoHoldsAndWhoWaits() throws Exception {
    try (BatonCluster three = BatonCluster.local(3)) {
      Hold hold = three.member(0).lock("x").acquire();
      CompletableFuture<Hold> second = three.member(0).lock("x").acquireAsync();
      CompletableFuture<Hold> third = three.member(1).lock("x").acquireAsync();
      String thread = Thread.currentThread().getName();
      List<LockInfo> here = three.member(0).locks();
      assertThat(here).hasSize(1);
      assertThat(here.get(0).holder().orElseThrow().thread()).isEqualTo(thread);
      assertThat(here.get(0).fence()).isEqualTo(hold.fence());
      assertThat(here.get(0).holder().orElseThrow().since())
          .isCloseTo(Instant.now(), within(30, ChronoUnit.SECONDS));
      assertThat(here.get(0).rule()).isEqualTo(TokenRule.NAIMI_TREHEL);
      List<LockInfo> everywhere = three.member(2).locksEverywhere().get(30, TimeUnit.SECONDS);
      assertThat(everywhere).hasSize(1);
      assertThat(everywhere.get(0).holder().orElseThrow().member()).isEqualTo(three.member(0).id());
      assertThat(everywhere.get(0).waiters())
          .containsExactly(
              new LockInfo.Waiter(three.member(0).id(), thread),
              new LockInfo.Waiter(three.member(1).id(), thread));
      hold.close();
      second.get(30, TimeUnit.SECONDS).close();
      third.get(30, TimeUnit.SECONDS).close();
    }
  }
}
