package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a member leaves, and when it has come. */
@Timeout(60)
class ClosingTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void closingWithPatienceWaitsForHoldsToEndAndTakesNoNewOnes() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(2)) {
      Baton leaving = cluster.member(0);
      Hold hold = leaving.lock("x").acquire();
      leaving.lock("kept").acquire().close();
      CompletableFuture<Hold> waiting = leaving.lock("x").acquireAsync();
      CompletableFuture<Boolean> closed =
          CompletableFuture.supplyAsync(
              () -> leaving.close(LONG), task -> new Thread(task).start());
      assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(BatonClosedException.class);
      assertThatExceptionOfType(BatonClosedException.class)
          .isThrownBy(() -> leaving.lock("kept").acquire());
      assertThatExceptionOfType(BatonClosedException.class)
          .isThrownBy(() -> leaving.lock("y").tryAcquire(Duration.ZERO));
      assertThat(hold.isValid()).isTrue();
      assertThat(closed).isNotDone();
      assertThat(cluster.member(1).lock("x").tryAcquire(Duration.ZERO)).isEmpty();
      hold.close();
      assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
      assertThat(hold.lost()).isEmpty();
    }
  }

  @Test
  void whoWaitsForOthersToVoteHasGivenUpItsLocksBefore() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(3)) {
      Baton leaving = cluster.member(0);
      CompletableFuture<LossReason> lost = new CompletableFuture<>();
      leaving.lock("x").acquire().onLost(lost::complete);
      cluster.isolate(1);
      cluster.isolate(2);
      CompletableFuture<Void> closed =
          CompletableFuture.runAsync(leaving::close, task -> new Thread(task).start());
      assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.CLOSED);
      assertThat(closed).as("nobody has heard of it").isNotDone();
      cluster.reconnect(1);
      cluster.reconnect(2);
      closed.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whenThePatienceEndsWhatIsHeldIsGivenUp() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(2)) {
      Hold hold = cluster.member(0).lock("x").acquire();
      assertThat(cluster.member(0).close(Duration.ofMillis(50))).isFalse();
      assertThat(hold.lost()).contains(LossReason.CLOSED);
      assertThat(cluster.member(1).lock("x").tryAcquire(LONG)).isPresent();
    }
  }

  @Test
  void aNegativePatienceIsRefusedAndNothingIsClosed() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> cluster.member(0).close(Duration.ofSeconds(-1)))
          .withMessageContaining("negative");
      assertThat(cluster.member(0).lock("x").tryAcquire(Duration.ZERO)).isPresent();
    }
  }

  @Test
  void whoHasJoinedAClusterOfOneCanHoldLocksAtOnce(@TempDir Path folder) {
    BatonConfig config = BatonConfig.builder().data(folder).lease(Duration.ofMinutes(5)).build();
    try (Baton baton = Baton.join(config)) { // no rest of a lease: five minutes
      assertThat(baton.lock("x").tryLock()).isTrue();
    }
  }

  @Test
  void whoHasJoinedOthersCanHoldLocksAtOnce(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      for (Baton member : members) {
        assertThat(member.status().lease()).isPositive();
        assertThat(member.lock(member.id()).tryLock()).isTrue();
      }
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  /** A program whose own hook takes its time, and works under a lock meanwhile. */
  static final class EndsInItsOwnOrder {
    private EndsInItsOwnOrder() {}

    public static void main(String[] args) throws InterruptedException {
      Baton baton =
          Baton.join(
              BatonConfig.builder().data(Path.of(args[0])).set("shutdown-hook", "false").build());
      Hold hold = baton.lock("x").acquire();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
                    System.out.println(hold.isValid() ? "still held" : "lost");
                    baton.close();
                  }));
      System.exit(0);
    }
  }

  @Test
  void withoutItsHookAMemberDoesNotLeaveBesideWhatElseAProcessDoesAtItsEnd(@TempDir Path folder)
      throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EndsInItsOwnOrder.class.getName(),
                folder.toString())
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(said).contains("still held");
  }
}
