package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What listeners hear. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class ListenerTest {
  private static final Duration LEASE = Duration.ofSeconds(1);

  private final BatonCluster cluster =
      BatonCluster.local(3, BatonConfig.builder().lease(LEASE).build());
  private final Notes notes = new Notes();

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Notes what it hears, but for leases. */
  private static final class Notes implements BatonListener {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final BlockingQueue<Duration> leases = new LinkedBlockingQueue<>();

    @Nullable String next() throws InterruptedException {
      return heard.poll(30, TimeUnit.SECONDS);
    }

    @Override
    public void ready() {
      heard.add("ready");
    }

    @Override
    public void suspended(String why) {
      heard.add("suspended: " + why);
    }

    @Override
    public void left() {
      heard.add("left");
    }

    @Override
    public void members(int count) {
      heard.add("members " + count);
    }

    @Override
    public void lease(Duration remaining) {
      leases.add(remaining);
    }

    @Override
    public void waited(String lock, Duration waited, boolean granted) {
      assertThat(waited).isGreaterThanOrEqualTo(Duration.ZERO);
      heard.add("waited " + lock + " " + granted);
    }

    @Override
    public void held(String lock, Duration held) {
      assertThat(held).isGreaterThanOrEqualTo(Duration.ZERO);
      heard.add("held " + lock);
    }

    @Override
    public void lost(String lock, long fence, LossReason reason) {
      heard.add("lost " + lock + " " + reason);
    }

    @Override
    public void handedOver(String lock) {
      heard.add("handed over " + lock);
    }

    @Override
    public void dropped(String lock, long fence) {
      heard.add("dropped " + lock + " " + fence);
    }
  }

  @Test
  void whoBeginsToListenHearsThatLocksCanBeHeldThenOfWaitingHoldingAndHandingOver()
      throws Exception {
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).isEqualTo("ready");
    for (int k = 0; k < 2; k++) { // the second one is taken where its token lies
      Hold hold = cluster.member(0).lock("x").acquire();
      assertThat(notes.next()).isEqualTo("waited x true");
      assertThat(cluster.member(1).lock("x").tryAcquire(Duration.ZERO)).isEmpty();
      hold.close();
      hold.close();
      assertThat(notes.next()).isEqualTo("held x");
    }
    cluster.member(1).lock("x").acquire().close();
    assertThat(notes.next()).isEqualTo("handed over x");
    Hold there = cluster.member(1).lock("x").acquire();
    assertThat(cluster.member(0).lock("x").tryLock()).isFalse();
    assertThat(notes.next()).isEqualTo("waited x false");
    there.close();
    assertThat(notes.leases.poll(30, TimeUnit.SECONDS)).isBetween(Duration.ofMillis(1), LEASE);
  }

  @Test
  void aMemberThatIsCutOffIsSuspendedAndReadyAgain() throws Exception {
    Hold hold = cluster.member(0).lock("x").acquire();
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).isEqualTo("ready");
    cluster.isolate(0);
    List<String> two = List.of(String.valueOf(notes.next()), String.valueOf(notes.next()));
    assertThat(two).contains("lost x PARTITIONED");
    assertThat(two)
        .anySatisfy(
            event ->
                assertThat(event)
                    .startsWith("suspended: ")
                    .contains("no majority of the voters answers"));
    assertThat(cluster.member(1).lock("x").tryAcquire(Duration.ofSeconds(30))).isPresent();
    cluster.reconnect(0);
    while (!"ready".equals(notes.next())) {
      assertThat(hold.isValid()).isFalse();
    }
    assertThat(cluster.member(0).lock("y").tryAcquire(Duration.ofSeconds(30))).isPresent();
  }

  @Test
  void whoeverLeavesIsHeardOf() throws Exception {
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).isEqualTo("ready");
    cluster.member(2).close();
    assertThat(notes.next()).isEqualTo("members 2");
    cluster.member(0).close();
    String last = notes.next();
    while (!"left".equals(last)) {
      last = notes.next();
    }
    assertThat(notes.heard).isEmpty();
  }

  @Test
  void aListenerThatThrowsHarmsNobody() throws Exception {
    cluster
        .member(0)
        .addListener(
            new BatonListener() {
              @Override
              public void waited(String lock, Duration waited, boolean granted) {
                throw new AssertionError("planted");
              }

              @Override
              public void held(String lock, Duration held) {
                throw new AssertionError("planted");
              }

              @Override
              public void lost(String lock, long fence, LossReason reason) {
                throw new IllegalStateException("planted");
              }
            });
    cluster.member(0).addListener(notes);
    Hold hold = cluster.member(0).lock("x").acquire();
    assertThat(hold.isValid()).isTrue();
    hold.onLost(
        reason -> {
          throw new AssertionError("planted");
        });
    CompletableFuture<LossReason> told = new CompletableFuture<>();
    hold.onLost(told::complete);
    assertThat(cluster.member(1).forceRelease("x", hold.fence()).get()).isTrue();
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.FORCED);
    while (!"lost x FORCED".equals(notes.next())) {
      assertThat(hold.lost()).contains(LossReason.FORCED);
    }
    assertThat(cluster.member(0).lock("x").tryAcquire(Duration.ofSeconds(30)))
        .hasValueSatisfying(Hold::close);
    assertThat(cluster.member(1).lock("x").tryAcquire(Duration.ofSeconds(30))).isPresent();
  }

  @Test
  void whoDoesNotListenAnyMoreHearsNothing() throws Exception {
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).isEqualTo("ready");
    cluster.member(0).removeListener(notes);
    cluster.member(0).lock("x").acquire().close();
    assertThat(notes.heard).isEmpty();
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).as("who listens again hears how it is").isEqualTo("ready");
    cluster.member(0).lock("x").acquire().close();
    assertThat(notes.next()).isEqualTo("waited x true");
  }

  private static long dropOne(Baton baton, boolean async) throws Exception {
    BatonLock lock = baton.lock("x");
    Hold dropped = async ? lock.acquireAsync().get() : lock.acquire();
    return dropped.fence();
  }

  @ParameterizedTest
  @CsvSource({"false,true", "true,true", "false,false"})
  void aHoldThatNobodyCanCloseAnyMoreIsToldOnceAndStaysHeld(boolean async, boolean detection)
      throws Exception {
    try (BatonCluster one =
        BatonCluster.local(2, BatonConfig.builder().leakDetection(detection).build())) {
      one.member(0).addListener(notes);
      assertThat(notes.next()).isEqualTo("ready");
      long fence = dropOne(one.member(0), async);
      Hold kept = one.member(0).lock("y").acquire();
      String expected = "dropped x " + fence;
      String heard = notes.next();
      long collected = 0;
      while (!expected.equals(heard)) {
        System.gc();
        collected++;
        heard = notes.heard.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(collected).isPositive();
      assertThat(one.member(1).lock("x").tryAcquire(Duration.ZERO)).as("still held").isEmpty();
      System.gc();
      assertThat(notes.heard.poll(2_500, TimeUnit.MILLISECONDS)).as("once").isNull();
      assertThat(kept.isValid()).isTrue();
      assertThat(one.member(1).forceRelease("x", fence).get()).isTrue();
    }
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      members.get(0).addListener(notes);
      assertThat(notes.next()).isEqualTo("ready");
      members.get(0).lock("z").acquire().close();
      members.get(1).lock("z").acquire().close();
      String last = notes.next();
      while (!"handed over z".equals(last)) {
        last = notes.next();
      }
      members.get(2).close();
      while (!"members 2".equals(last)) {
        last = notes.next();
      }
      members.get(0).close();
      while (!"left".equals(last)) {
        last = notes.next();
      }
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void whoBeginsToListenToAMemberThatIsCutOffHearsSo() throws Exception {
    cluster.isolate(0);
    while (!cluster.member(0).status().lease().isZero()) {
      Thread.onSpinWait();
    }
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).startsWith("suspended: ");
    cluster.reconnect(0);
    String next = notes.next();
    while (!"ready".equals(next)) {
      next = notes.next();
    }
    assertThat(next).isEqualTo("ready");
  }

  @Test
  void whoBeginsToListenToAMemberThatHasLeftHearsNothingElse() throws Exception {
    cluster.member(0).close();
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).isEqualTo("left");
    assertThat(notes.heard.poll(300, TimeUnit.MILLISECONDS)).isNull();
  }

  @Test
  void theEndOfAHoldIsToldOnce() throws Exception {
    cluster.member(0).addListener(notes);
    assertThat(notes.next()).isEqualTo("ready");
    Hold hold = cluster.member(0).lock("x").atMost(Duration.ofMillis(50)).acquire();
    assertThat(notes.next()).isEqualTo("waited x true");
    assertThat(notes.next()).isEqualTo("lost x EXPIRED");
    hold.close();
    assertThat(notes.next()).isEqualTo("held x");
    assertThat(notes.heard.poll(300, TimeUnit.MILLISECONDS)).isNull();
  }
}
