package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What members tell of locks. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class InsightTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final BatonCluster cluster =
      BatonCluster.local(4, BatonConfig.builder().lease(Duration.ofSeconds(1)).build());

  @AfterEach
  void close() {
    cluster.close();
  }

  private BatonLock lock(int member) {
    return cluster.member(member).lock("x");
  }

  private static LockInfo info(BatonLock lock) throws Exception {
    return lock.info().get(30, TimeUnit.SECONDS);
  }

  private static void awaitWaiters(BatonLock lock, int count) throws Exception {
    while (info(lock).waiters().size() != count) {
      Thread.onSpinWait();
    }
  }

  /** On two cores the common pool has one thread only, which a program may keep busy. */
  @Test
  void answersComeThoughTheCommonPoolOfTheProcessIsBusy() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    int threads = 2 * Runtime.getRuntime().availableProcessors();
    for (int k = 0; k < threads; k++) {
      ForkJoinPool.commonPool()
          .execute(
              () -> {
                while (answered.getCount() > 0) {
                  Thread.onSpinWait();
                }
              });
    }
    try {
      assertThat(info(lock(1)).state()).isEqualTo(LockInfo.State.FREE);
      assertThat(cluster.member(2).locksEverywhere().get(30, TimeUnit.SECONDS)).isEmpty();
    } finally {
      answered.countDown();
    }
  }

  /** A member has joined before all have told which tokens they have. */
  @Test
  void whoAsksWhileTheFirstEpochBeginsIsToldToo() throws Exception {
    BatonConfig config = BatonConfig.builder().lease(Duration.ofSeconds(1)).build();
    for (int k = 0; k < 15; k++) {
      try (BatonCluster another = BatonCluster.local(4, config)) {
        for (Baton member : another.members()) {
          assertThat(info(member.lock("x")).state()).isEqualTo(LockInfo.State.FREE);
        }
      }
    }
  }

  @Test
  void whoHoldsALockWithWhichFenceSinceWhenAndWhyIsSeenFromEverywhere() throws Exception {
    Hold hold = lock(1).note("nightly run").acquire();
    for (Baton member : cluster.members()) {
      LockInfo info = info(member.lock("x"));
      assertThat(info.state()).isEqualTo(LockInfo.State.HELD);
      assertThat(info.fence()).isEqualTo(hold.fence());
      assertThat(info.holder().orElseThrow())
          .satisfies(
              holder -> {
                assertThat(holder.member()).isEqualTo(cluster.member(1).id());
                assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
                assertThat(holder.note()).isEqualTo("nightly run");
                assertThat(Duration.between(holder.since(), hold.since()).abs())
                    .isLessThan(Duration.ofSeconds(1));
              });
    }
    hold.close();
    assertThat(info(lock(3)).state()).isEqualTo(LockInfo.State.FREE);
    assertThat(info(cluster.member(2).lock("never used")).state()).isEqualTo(LockInfo.State.FREE);
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      Hold hold = members.get(0).lock("y").note("here").ownedBy("order-7").acquire();
      CompletableFuture<Hold> second = members.get(1).lock("y").ownedBy("order-8").acquireAsync();
      awaitWaiters(members.get(2).lock("y"), 1);
      LockInfo info = info(members.get(2).lock("y"));
      assertThat(info.holder().map(LockInfo.Holder::thread)).contains("order-7");
      assertThat(info.waiters())
          .containsExactly(new LockInfo.Waiter(members.get(1).id(), "order-8"));
      assertThat(members.get(1).lock("y").explain().text())
          .contains("is held by order-7 of " + members.get(0).id() + " (here)")
          .contains("with fence " + hold.fence());
      hold.close();
      second.get(30, TimeUnit.SECONDS).close();
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void theOrderOfThoseWhoWaitIsTheSameWhoeverAsks() throws Exception {
    Hold hold = lock(0).acquire();
    int waiting = 0;
    for (int member : new int[] {2, 1, 0, 2, 3}) {
      var unused = lock(member).ownedBy("w" + waiting).acquireAsync();
      waiting++;
      awaitWaiters(lock(0), waiting);
    }
    List<LockInfo.Waiter> expected = info(lock(0)).waiters();
    assertThat(expected).hasSize(5);
    for (Baton member : cluster.members()) {
      assertThat(info(member.lock("x")).waiters()).isEqualTo(expected);
      List<LockInfo> all = member.locksEverywhere().get(30, TimeUnit.SECONDS);
      assertThat(all).hasSize(1);
      assertThat(all.get(0).waiters()).isEqualTo(expected);
    }
    assertThat(hold.isValid()).isTrue();
  }

  @Test
  void whoGaveUpWaitingElsewhereIsNotShownAsAWaiter() throws Exception {
    Hold hold = lock(0).acquire();
    assertThat(lock(1).tryAcquire(Duration.ofMillis(50))).isEmpty(); // its request stays in a queue
    for (Baton member : cluster.members()) {
      assertThat(info(member.lock("x")).waiters()).isEmpty();
      assertThat(member.locksEverywhere().get(30, TimeUnit.SECONDS).get(0).waiters()).isEmpty();
    }
    hold.close();
  }

  @Test
  void aLockOfAMemberThatDoesNotAnswerIsUnknownAndNotFree() throws Exception {
    Hold hold = lock(3).acquire();
    CompletableFuture<Hold> waiting = lock(1).acquireAsync();
    cluster.isolate(3);
    assertThat(info(lock(1)).state()).isEqualTo(LockInfo.State.UNKNOWN);
    assertThat(cluster.member(1).locksEverywhere().get(30, TimeUnit.SECONDS))
        .filteredOn(info -> info.name().equals("x"))
        .hasSize(1)
        .allMatch(info -> info.state() == LockInfo.State.UNKNOWN);
    assertThat(lock(1).explain().text()).contains("may be held or not");
    waiting.get(30, TimeUnit.SECONDS).close();
    assertThat(hold.isValid()).isFalse();
  }

  /** One of the founders of the next epoch cannot tell which tokens it has. */
  @Test
  void explainSaysThatAnEpochBegins() throws Exception {
    BatonConfig config = BatonConfig.builder().lease(Duration.ofSeconds(3)).build();
    try (BatonCluster five = BatonCluster.local(5, config)) {
      five.isolate(4);
      five.member(3).close();
      BatonLock lock = five.member(0).lock("x");
      String text = lock.explain().text();
      while (!text.contains("begins: not all members have told which tokens they have")) {
        text = lock.explain().text();
      }
      assertThat(text).contains("epoch " + five.member(0).status().epoch() + " begins");
    }
  }

  @Test
  void explainSaysWhoHoldsAndWhoComesBefore() throws Exception {
    Hold hold = lock(0).note("import of May").acquire();
    var second = lock(1).ownedBy("second").acquireAsync();
    awaitWaiters(lock(0), 1);
    var third = lock(2).ownedBy("third").acquireAsync();
    awaitWaiters(lock(0), 2);
    Explanation why = lock(2).explain();
    assertThat(why.lock().holder().map(LockInfo.Holder::member)).contains(cluster.member(0).id());
    assertThat(why.before()).containsExactly(new LockInfo.Waiter(cluster.member(1).id(), "second"));
    assertThat(why.obstacles()).isEmpty();
    assertThat(why.text())
        .contains(
            "is held by " + Thread.currentThread().getName() + " of " + cluster.member(0).id())
        .contains("(import of May)")
        .contains("with fence " + hold.fence())
        .contains("before it is the turn of this member come second of " + cluster.member(1).id());
    hold.close();
    second.get(30, TimeUnit.SECONDS).close();
    third.get(30, TimeUnit.SECONDS).close();
    assertThat(lock(2).explain().text()).contains("is free");
  }

  @Test
  void explainSaysThatAMajorityIsMissing() {
    cluster.isolate(0);
    while (!cluster.member(0).status().lease().isZero()) {
      Thread.onSpinWait();
    }
    assertThat(lock(0).explain().obstacles())
        .anySatisfy(why -> assertThat(why).contains("no majority of the voters answers it"));
    assertThat(lock(0).explain().text()).contains("no majority of the voters answers it");
  }

  @Test
  void howOftenAThreadHasTakenALockIsCounted() throws Exception {
    BatonLock lock = lock(0);
    assertThat(lock.holdCount()).isZero();
    for (int k = 1; k <= 3; k++) {
      lock.lock();
      assertThat(lock.holdCount()).isEqualTo(k);
    }
    assertThat(CompletableFuture.supplyAsync(lock::holdCount).get()).isZero();
    for (int k = 2; k >= 0; k--) {
      lock.unlock();
      assertThat(lock.holdCount()).isEqualTo(k);
    }
    assertThat(lock(1).tryAcquire(LONG)).isPresent();
  }

  @Test
  void explainSaysThatALockIsKeptFromOthersThoughItWasGivenBack() throws Exception {
    Hold hold = lock(0).atLeast(Duration.ofMinutes(30)).note("tick").acquire();
    hold.close();
    LockInfo info = info(lock(1));
    assertThat(info.state()).isEqualTo(LockInfo.State.HELD);
    Duration kept = Duration.between(hold.since(), info.holder().orElseThrow().keptUntil().get());
    assertThat(kept).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(31));
    assertThat(lock(1).explain().text())
        .contains("was given back by " + Thread.currentThread().getName())
        .contains("(tick)")
        .contains("keeps it from others until");
  }

  @Test
  void explainNamesThoseOfThisMemberWhoAskedBefore() throws Exception {
    Hold hold = lock(0).acquire();
    var first = lock(2).ownedBy("first").acquireAsync();
    awaitWaiters(lock(0), 1);
    var second = lock(2).ownedBy("second").acquireAsync();
    awaitWaiters(lock(0), 2);
    assertThat(lock(2).explain().before())
        .containsExactly(new LockInfo.Waiter(cluster.member(2).id(), "first"));
    hold.close();
    first.get(30, TimeUnit.SECONDS).close();
    second.get(30, TimeUnit.SECONDS).close();
  }

  @Test
  void explainSaysThatThisMemberHasLeft() {
    cluster.member(0).close();
    assertThat(lock(0).explain().text()).contains(cluster.member(0).id() + " has left its cluster");
  }
}
