package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A scheduled job on every instance: each tick runs once. */
@Timeout(120)
@SuppressWarnings("LockNotBeforeTry") // it is taken in one method and given back in another
class TryLockTest {
  private static final int TICKS = 60;

  /** On every tick all members try at once; how many succeeded, by tick. */
  private static List<Integer> ticks(List<Baton> members) throws Exception {
    List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
    int[] taken = new int[1];
    CyclicBarrier begins = new CyclicBarrier(members.size(), () -> taken[0] = 0);
    CyclicBarrier tried = new CyclicBarrier(members.size(), () -> ran.add(taken[0]));
    ExecutorService instances = Executors.newFixedThreadPool(members.size());
    try {
      List<Callable<Void>> jobs = new ArrayList<>();
      for (Baton member : members) {
        jobs.add(
            () -> {
              for (int tick = 0; tick < TICKS; tick++) {
                BatonLock lock = member.lock("job");
                begins.await();
                boolean mine = lock.tryLock();
                if (mine) {
                  synchronized (ran) {
                    taken[0]++;
                  }
                }
                tried.await();
                if (mine) {
                  lock.unlock();
                }
                begins.await(); // the next tick comes when the lock is free
              }
              return null;
            });
      }
      for (Future<Void> job : instances.invokeAll(jobs)) {
        job.get();
      }
    } finally {
      instances.shutdownNow();
    }
    return ran;
  }

  @ParameterizedTest
  @EnumSource(TokenRule.class)
  void whereAllInstancesTryAtOnceEveryTickRunsOnce(TokenRule rule) throws Exception {
    BatonConfig config = BatonConfig.builder().rule(rule).build();
    try (BatonCluster cluster = BatonCluster.local(3, config)) {
      assertThat(ticks(cluster.members())).hasSize(TICKS).containsOnly(1);
    }
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      assertThat(ticks(members)).hasSize(TICKS).containsOnly(1);
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void aFreeLockIsTakenByWhoeverTriesFirst() {
    try (BatonCluster cluster = BatonCluster.local(5)) {
      for (int k : IntStream.range(0, 50).map(n -> n % 5).toArray()) {
        BatonLock lock = cluster.member(k).lock("x");
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
      }
    }
  }

  @Test
  void aWishThatWasGivenUpMakesNobodyFail() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(3)) {
      Hold hold = cluster.member(0).lock("x").acquire();
      assertThat(cluster.member(1).lock("x").tryAcquire(Duration.ofMillis(20))).isEmpty();
      assertThat(cluster.member(2).lock("x").tryAcquire(Duration.ZERO)).isEmpty();
      hold.close();
      assertThat(cluster.member(2).lock("x").tryAcquire(Duration.ZERO)).isPresent();
    }
  }

  @Test
  void aMemberThatIsCutOffGivesUpAfterAFifthOfItsLease() {
    try (BatonCluster cluster = BatonCluster.local(3)) {
      assertThat(cluster.member(1).lock("x").tryLock()).isTrue(); // the token is there
      cluster.isolate(0);
      long start = System.nanoTime();
      assertThat(cluster.member(0).lock("x").tryLock()).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(990));
      assertThat(cluster.member(2).lock("x").tryLock()).as("answered at once").isFalse();
    }
  }
}
