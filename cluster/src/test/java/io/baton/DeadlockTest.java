package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Those who wait for themselves, over others: they are named, and nothing is broken. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class DeadlockTest {
  private static final Duration SOON = Duration.ofMillis(200);

  private static BatonCluster cluster(int size) {
    return BatonCluster.local(size, BatonConfig.builder().deadlockAfter(SOON).build());
  }

  private static BlockingQueue<Deadlock> listen(Baton member) {
    BlockingQueue<Deadlock> heard = new LinkedBlockingQueue<>();
    member.addListener(
        new BatonListener() {
          @Override
          public void deadlock(Deadlock deadlock) {
            heard.add(deadlock);
          }
        });
    return heard;
  }

  /** A thread that holds one lock and waits for another; the future tells when it has both. */
  private static CompletableFuture<Boolean> holdAndWait(Hold hold, BatonLock next) {
    CompletableFuture<Boolean> both = new CompletableFuture<>();
    assertThat(hold.isValid()).isTrue();
    return both.completeAsync(
        () -> {
          try (Hold other = next.acquireUninterruptibly()) {
            return other.isValid();
          }
        },
        task -> new Thread(task).start());
  }

  /** The same, once both have their first lock. */
  private static CompletableFuture<Boolean> takeThenWait(
      Baton member, String first, String second, CyclicBarrier taken) {
    CompletableFuture<Boolean> both = new CompletableFuture<>();
    new Thread(
            () -> {
              try (Hold hold = member.lock(first).acquireUninterruptibly()) {
                taken.await();
                try (Hold other = member.lock(second).acquireUninterruptibly()) {
                  both.complete(hold.isValid() && other.isValid());
                }
              } catch (InterruptedException | BrokenBarrierException e) {
                both.completeExceptionally(e);
              }
            },
            "takes " + first + " then " + second)
        .start();
    return both;
  }

  @Test
  void aCircleOverThreeMembersIsFoundWhole() throws Exception {
    try (BatonCluster cluster = cluster(3)) {
      BlockingQueue<Deadlock> heard = listen(cluster.member(0));
      CyclicBarrier taken = new CyclicBarrier(3);
      List<CompletableFuture<Boolean>> all = new ArrayList<>();
      for (int k = 0; k < 3; k++) {
        String next = "lock-" + (k + 1) % 3;
        all.add(takeThenWait(cluster.member(k), "lock-" + k, next, taken));
      }
      Deadlock found = heard.poll(30, TimeUnit.SECONDS);
      assertThat(found).isNotNull();
      assertThat(found.cycle()).hasSize(3);
      assertThat(all).as("nothing is broken by force").noneMatch(CompletableFuture::isDone);
      Deadlock.Waiter first = found.cycle().get(0);
      assertThat(
              cluster.member(0).forceRelease(first.lock(), first.fence()).get(30, TimeUnit.SECONDS))
          .isTrue();
      for (CompletableFuture<Boolean> each : all) {
        assertThat(each.get(30, TimeUnit.SECONDS)).isNotNull();
      }
    }
  }

  private static void checkTwo(Baton a, Baton b) throws Exception {
    BlockingQueue<Deadlock> atA = listen(a);
    BlockingQueue<Deadlock> atB = listen(b);
    CyclicBarrier taken = new CyclicBarrier(2);
    CompletableFuture<Boolean> one = takeThenWait(a, "x", "y", taken);
    CompletableFuture<Boolean> other = takeThenWait(b, "y", "x", taken);
    Deadlock found = atA.poll(30, TimeUnit.SECONDS);
    assertThat(found).isNotNull();
    assertThat(found.cycle())
        .extracting(Deadlock.Waiter::member, Deadlock.Waiter::owner, Deadlock.Waiter::lock)
        .containsExactlyInAnyOrder(
            tuple(a.id(), "takes x then y", "y"), tuple(b.id(), "takes y then x", "x"));
    assertThat(found.text()).contains("takes x then y of " + a.id() + " waits for \"y\"");
    BlockingQueue<Deadlock> there = a.id().equals(b.id()) ? atA : atB;
    assertThat(there.poll(30, TimeUnit.SECONDS)).as("each waiter finds it").isNotNull();
    assertThat(one.isDone() || other.isDone()).as("nothing is broken by force").isFalse();
    long fence =
        found.cycle().stream()
            .filter(step -> step.lock().equals("y"))
            .mapToLong(Deadlock.Waiter::fence)
            .sum();
    assertThat(a.forceRelease("y", fence).get()).isTrue();
    assertThat(one.get(30, TimeUnit.SECONDS)).isTrue();
    other.get(30, TimeUnit.SECONDS);
    assertThat(atA).as("once").isEmpty();
  }

  @Test
  void twoThreadsOfTwoMembersThatWaitForEachOtherAreNamed() throws Exception {
    try (BatonCluster cluster = cluster(3)) {
      checkTwo(cluster.member(0), cluster.member(1));
    }
  }

  @Test
  void soAreTwoThreadsOfOneMember() throws Exception {
    try (BatonCluster cluster = cluster(2)) {
      checkTwo(cluster.member(0), cluster.member(0));
    }
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members =
        Members.join(folder, Members.freeAddresses(3), config -> config.deadlockAfter(SOON));
    try {
      checkTwo(members.get(0), members.get(1));
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void aThreadThatTakesALockThatItHoldsWaitsForItself() throws Exception {
    try (BatonCluster cluster = cluster(1)) {
      Baton member = cluster.member(0);
      member.addListener(
          new BatonListener() {
            @Override
            public void deadlock(Deadlock deadlock) {
              var unused = member.forceRelease("x", deadlock.cycle().get(0).fence());
            }
          });
      Hold first = member.lock("x").acquire();
      try (Hold second = member.lock("x").acquire()) { // a hold is not reentrant
        assertThat(second.fence()).isGreaterThan(first.fence());
      }
      assertThat(first.lost()).as("once it was told").contains(LossReason.FORCED);
    }
  }

  @Test
  void ownersThatWaitForEachOtherAreNamedWhateverTheirThreads() throws Exception {
    try (BatonCluster cluster = cluster(3)) {
      BlockingQueue<Deadlock> heard = listen(cluster.member(2));
      Baton a = cluster.member(0);
      Baton c = cluster.member(2);
      a.lock("x").ownedBy("order-1").acquireAsync().get(30, TimeUnit.SECONDS);
      Hold hold = c.lock("y").ownedBy("order-2").acquireAsync().get(30, TimeUnit.SECONDS);
      var one = a.lock("y").ownedBy("order-1").acquireAsync();
      var other = c.lock("x").ownedBy("order-2").acquireAsync();
      Deadlock found = heard.poll(30, TimeUnit.SECONDS);
      assertThat(found).isNotNull();
      assertThat(found.cycle())
          .extracting(Deadlock.Waiter::owner)
          .containsExactly("order-2", "order-1");
      other.cancel(false);
      hold.close();
      one.get(30, TimeUnit.SECONDS).close();
    }
  }

  @Test
  void aLockThatIsOnlyKeptFromOthersForAWhileBelongsToNobody() throws Exception {
    try (BatonCluster cluster = cluster(2)) {
      BlockingQueue<Deadlock> heard = listen(cluster.member(0));
      cluster.member(0).lock("x").atLeast(Duration.ofSeconds(3)).acquire().close();
      Hold again = cluster.member(0).lock("x").acquire(); // by the same thread
      assertThat(again.isValid()).isTrue();
      assertThat(heard).isEmpty();
      again.close();
    }
  }

  @Test
  void whoWaitsForLongAndNotForItselfIsNotNamed() throws Exception {
    try (BatonCluster cluster = cluster(2)) {
      BlockingQueue<Deadlock> heard = listen(cluster.member(0));
      BlockingQueue<Deadlock> there = listen(cluster.member(1));
      Hold x = cluster.member(0).lock("x").acquire();
      Hold y = cluster.member(1).lock("y").ownedBy("another").acquire();
      CompletableFuture<Boolean> waits = holdAndWait(x, cluster.member(0).lock("y"));
      assertThat(heard.poll(3, TimeUnit.SECONDS)).isNull();
      assertThat(there).isEmpty();
      y.close();
      assertThat(waits.get(30, TimeUnit.SECONDS)).isTrue();
      x.close();
    }
  }
}
