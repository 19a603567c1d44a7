package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Who leads, and who is told so. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class LeadershipTest {
  private static final BatonConfig CONFIG =
      BatonConfig.builder().lease(Duration.ofSeconds(1)).build();

  private final BatonCluster cluster = BatonCluster.local(3, CONFIG);

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Notes what a candidate is told. */
  private static final class Notes implements LeaderCallbacks {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile long fence;

    @Override
    public void onElected(long newFence) throws Exception {
      fence = newFence;
      threads.add(Thread.currentThread());
      told.add("elected");
    }

    @Override
    public void onRevoked(LossReason reason) throws Exception {
      threads.add(Thread.currentThread());
      told.add("revoked " + reason);
    }

    @Nullable String next() throws InterruptedException {
      return told.poll(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void oneLeadsAndTheNextIsElectedWhenItStepsDown() throws Exception {
    Notes first = new Notes();
    Notes second = new Notes();
    Leadership a = cluster.member(0).lead("job", first);
    assertThat(first.next()).isEqualTo("elected");
    Leadership b = cluster.member(1).lead("job", second);
    assertThat(a.isLeader()).isTrue();
    assertThat(b.isLeader()).isFalse();
    assertThat(second.told).isEmpty();
    while (cluster.member(0).lock("job#leader").info().get().waiters().isEmpty()) {
      Thread.onSpinWait(); // until the other one stands for election
    }
    a.stepDown();
    assertThat(first.next()).isEqualTo("revoked STEPPED_DOWN");
    assertThat(second.next()).isEqualTo("elected");
    assertThat(second.fence).isGreaterThan(first.fence);
    assertThat(a.isLeader()).isFalse();
    b.close();
    assertThat(second.next()).isEqualTo("revoked STEPPED_DOWN");
    assertThat(first.next()).as("it stands for election again").isEqualTo("elected");
    assertThat(first.threads).as("a thread of its own").hasSize(1);
    assertThat(first.told).isEmpty();
  }

  @Test
  void theNextIsElectedOnlyAfterTheOneWhoStepsDownHasEndedItsWork() throws Exception {
    CountDownLatch endsWork = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch elected = new CountDownLatch(1);
    LeaderCallbacks slow =
        new LeaderCallbacks() {
          @Override
          public void onElected(long fence) {
            elected.countDown();
          }

          @Override
          public void onRevoked(LossReason reason) throws InterruptedException {
            endsWork.countDown();
            mayEnd.await();
          }
        };
    Leadership a = cluster.member(0).lead("job", slow);
    elected.await();
    Notes second = new Notes();
    Leadership b = cluster.member(1).lead("job", second);
    a.close();
    endsWork.await();
    assertThat(second.told.poll(300, TimeUnit.MILLISECONDS)).isNull();
    assertThat(a.isLeader()).as("it does not act as one any more").isFalse();
    mayEnd.countDown();
    assertThat(second.next()).isEqualTo("elected");
    b.close();
  }

  @Test
  void aLeaderThatIsCutOffIsToldBeforeTheNextIsElected() throws Exception {
    Notes first = new Notes();
    Notes second = new Notes();
    Leadership a = cluster.member(0).lead("job", first);
    assertThat(first.next()).isEqualTo("elected");
    cluster.member(1).lead("job", second);
    cluster.isolate(0);
    assertThat(second.next()).isEqualTo("elected");
    assertThat(first.told.peek()).isEqualTo("revoked PARTITIONED");
    assertThat(a.isLeader()).isFalse();
  }

  @Test
  void aLeaderAtWorkInItsCallbackIsInterruptedWhenItLosesTheLeadership() throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    LeaderCallbacks worker =
        new LeaderCallbacks() {
          @Override
          public void onElected(long fence) throws InterruptedException {
            working.countDown();
            try {
              TimeUnit.MINUTES.sleep(1);
            } catch (InterruptedException e) {
              told.add("interrupted");
              throw e;
            }
          }

          @Override
          public void onRevoked(LossReason reason) {
            told.add("revoked " + reason + " " + Thread.currentThread().isInterrupted());
          }
        };
    cluster.member(0).lead("job", worker);
    working.await();
    long fence = cluster.member(1).leader("job").get().orElseThrow().fence();
    assertThat(cluster.member(1).forceRelease("job#leader", fence).get()).isTrue();
    assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
    assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("revoked FORCED false");
  }

  @Test
  void whoseCallbackThrowsResignsAndAnotherLeads() throws Exception {
    BlockingQueue<LossReason> revoked = new LinkedBlockingQueue<>();
    LeaderCallbacks failing =
        new LeaderCallbacks() {
          @Override
          public void onElected(long fence) {
            throw new IllegalStateException("planted");
          }

          @Override
          public void onRevoked(LossReason reason) {
            revoked.add(reason);
          }
        };
    Leadership a = cluster.member(0).lead("job", failing);
    assertThat(revoked.poll(30, TimeUnit.SECONDS)).isEqualTo(LossReason.STEPPED_DOWN);
    Notes second = new Notes();
    cluster.member(1).lead("job", second);
    assertThat(second.next()).isEqualTo("elected");
    a.close();
  }

  @Test
  void aCallbackWhoseStackEndsHarmsOneTermOnly() throws Exception {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    LeaderCallbacks overflowing =
        new LeaderCallbacks() {
          private boolean overflowed;

          @Override
          public void onElected(long fence) {
            if (!overflowed) {
              overflowed = true;
              told.add("deep");
              told.add("" + depthBelow()); // it does not come to that
            }
            told.add("elected");
          }

          /** Takes no lock: one that is being given up at the end of the stack stays taken. */
          @SuppressWarnings("InfiniteRecursion") // it is the subject
          private int depthBelow() {
            return 1 + depthBelow();
          }

          @Override
          public void onRevoked(LossReason reason) {
            told.clear();
            told.add("revoked " + reason);
          }
        };
    Leadership a = cluster.member(0).lead("job", overflowing);
    assertThat(told.poll(30, TimeUnit.SECONDS)).isIn("deep", "revoked STEPPED_DOWN");
    String next = told.poll(30, TimeUnit.SECONDS);
    while (!"elected".equals(next)) {
      next = told.poll(30, TimeUnit.SECONDS);
    }
    assertThat(a.isLeader()).isTrue();
  }

  @Test
  void everybodyCanSeeWhoLeadsAndHearsOfANewLeader() throws Exception {
    assertThat(cluster.member(2).leader("job").get()).isEmpty();
    Notes first = new Notes();
    Leadership a = cluster.member(0).lead("job", first);
    BlockingQueue<LeaderInfo> heard = new LinkedBlockingQueue<>();
    a.onNewLeader(heard::add);
    assertThat(first.next()).isEqualTo("elected");
    LeaderInfo leader = cluster.member(2).leader("job").get().orElseThrow();
    assertThat(leader.member()).isEqualTo(cluster.member(0).id());
    assertThat(leader.fence()).isEqualTo(first.fence);
    assertThat(heard.poll(30, TimeUnit.SECONDS))
        .isNotNull()
        .extracting(LeaderInfo::member, LeaderInfo::fence)
        .containsExactly(leader.member(), leader.fence());
    BlockingQueue<LeaderInfo> later = new LinkedBlockingQueue<>();
    a.onNewLeader(
        info -> {
          throw new IllegalStateException("planted");
        });
    a.onNewLeader(later::add);
    assertThat(later.poll(30, TimeUnit.SECONDS))
        .as("told who leads now")
        .extracting(LeaderInfo::fence)
        .isEqualTo(leader.fence());
    Notes second = new Notes();
    Leadership b = cluster.member(1).lead("job", second);
    a.stepDown();
    assertThat(heard.poll(30, TimeUnit.SECONDS))
        .satisfies(next -> assertThat(next.fence()).isGreaterThan(leader.fence()));
    assertThat(b.leader().get().map(LeaderInfo::fence))
        .isEqualTo(a.leader().get().map(LeaderInfo::fence));
  }

  @Test
  void whoIsNoCandidateHearsOfNewLeadersTooUntilItHasHeardEnough() throws Exception {
    BlockingQueue<LeaderInfo> heard = new LinkedBlockingQueue<>();
    LeaderWatch watch = cluster.member(2).onNewLeader("job", heard::add);
    Notes first = new Notes();
    Leadership a = cluster.member(0).lead("job", first);
    assertThat(heard.poll(30, TimeUnit.SECONDS))
        .isNotNull()
        .extracting(LeaderInfo::member)
        .isEqualTo(cluster.member(0).id());
    a.close();
    Notes second = new Notes();
    Leadership b = cluster.member(1).lead("job", second);
    assertThat(heard.poll(30, TimeUnit.SECONDS))
        .isNotNull()
        .extracting(LeaderInfo::member)
        .isEqualTo(cluster.member(1).id());
    watch.close();
    b.close();
    Notes third = new Notes();
    cluster.member(0).lead("job", third);
    assertThat(third.next()).isEqualTo("elected");
    assertThat(heard.poll(500, TimeUnit.MILLISECONDS)).as("after the end of the watch").isNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cluster.member(2).onNewLeader("", heard::add))
        .withMessageContaining("empty");
  }

  @Test
  void aLeaderThatClosesItsMemberInItsCallbackIsNotWaitedFor() throws Exception {
    Duration lease = Duration.ofMinutes(5); // for as long a leader would be waited for
    try (BatonCluster two = BatonCluster.local(2, BatonConfig.builder().lease(lease).build())) {
      CompletableFuture<LossReason> revoked = new CompletableFuture<>();
      LeaderCallbacks closing =
          new LeaderCallbacks() {
            @Override
            public void onElected(long fence) {
              two.member(1).close();
            }

            @Override
            public void onRevoked(LossReason reason) {
              revoked.complete(reason);
            }
          };
      two.member(1).lead("job", closing);
      assertThat(revoked.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.CLOSED);
      Notes second = new Notes();
      two.member(0).lead("job", second);
      assertThat(second.next()).isEqualTo("elected");
    }
  }

  @Test
  void aMemberThatClosesWithPatienceEndsItsLeadershipInOrder() throws Exception {
    Notes first = new Notes();
    Notes second = new Notes();
    cluster.member(0).lead("job", first);
    assertThat(first.next()).isEqualTo("elected");
    cluster.member(1).lead("job", second);
    assertThat(cluster.member(0).close(Duration.ofSeconds(30))).isTrue();
    assertThat(first.told).containsExactly("revoked CLOSED");
    assertThat(second.next()).isEqualTo("elected");
  }

  @Test
  void aMemberThatClosesAtOnceTellsItsLeader() throws Exception {
    Notes first = new Notes();
    cluster.member(0).lead("job", first);
    assertThat(first.next()).isEqualTo("elected");
    cluster.member(0).close();
    assertThat(first.next()).isEqualTo("revoked CLOSED");
  }

  @Test
  void aMemberIsACandidateOnceForAName() throws Exception {
    Leadership a = cluster.member(0).lead("job", fence -> {});
    assertThatIllegalStateException()
        .isThrownBy(() -> cluster.member(0).lead("job", fence -> {}))
        .withMessageContaining("is a candidate for \"job\" already");
    a.close();
    Notes again = new Notes();
    cluster.member(0).lead("job", again);
    assertThat(again.next()).isEqualTo("elected");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cluster.member(0).lead("", fence -> {}))
        .withMessageContaining("empty");
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      Notes first = new Notes();
      Notes second = new Notes();
      members.get(0).lead("job", first);
      assertThat(first.next()).isEqualTo("elected");
      members.get(1).lead("job", second);
      Optional<LeaderInfo> leader = members.get(2).leader("job").get(30, TimeUnit.SECONDS);
      assertThat(leader.map(LeaderInfo::member)).contains(members.get(0).id());
      members.get(0).close();
      assertThat(first.next()).isEqualTo("revoked CLOSED");
      assertThat(second.next()).isEqualTo("elected");
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void aMemberThatClosesAtOnceEndsTheWorkOfItsLeaderBeforeTheNextIsElected() throws Exception {
    for (int k = 0; k < 2; k++) {
      AtomicBoolean working = new AtomicBoolean();
      CountDownLatch elected = new CountDownLatch(1);
      LeaderCallbacks worker =
          new LeaderCallbacks() {
            @Override
            public void onElected(long fence) throws InterruptedException {
              working.set(true);
              elected.countDown();
              try {
                TimeUnit.MINUTES.sleep(1);
              } finally {
                TimeUnit.MILLISECONDS.sleep(100); // it takes a while to end
                working.set(false);
              }
            }

            @Override
            public void onRevoked(LossReason reason) {}
          };
      cluster.member(k).lead("job", worker);
      elected.await();
      CompletableFuture<Boolean> besideIt = new CompletableFuture<>();
      Leadership next = cluster.member(2).lead("job", fence -> besideIt.complete(working.get()));
      cluster.member(k).close();
      assertThat(besideIt.get(30, TimeUnit.SECONDS)).as("two at work at once").isFalse();
      next.close();
    }
  }

  @Test
  void whoHasLeftDoesNotLead() {
    cluster.member(0).close();
    assertThatExceptionOfType(BatonClosedException.class)
        .isThrownBy(() -> cluster.member(0).lead("job", fence -> {}))
        .withMessageContaining("Cannot lead \"job\"")
        .withMessageContaining("has left the cluster");
  }
}
