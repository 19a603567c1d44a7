package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Work under a lock: it ends with it. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class LockedWorkTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final BatonCluster cluster = BatonCluster.local(2);
  private final Baton member = cluster.member(0);
  private final BatonLock lock = member.lock("x");

  @AfterEach
  void close() {
    cluster.close();
  }

  private boolean isFree() throws InterruptedException {
    return cluster.member(1).lock("x").tryAcquire(LONG).map(this::closed).orElse(false);
  }

  private boolean closed(Hold hold) {
    hold.close();
    return true;
  }

  /** Somebody else ends the present hold. */
  private void force(Hold hold) {
    assertThat(cluster.member(1).forceRelease("x", hold.fence()).join()).isTrue();
  }

  @Test
  void aTaskRunsUnderTheLockWhichIsGivenBackAfterwards() throws Exception {
    AtomicReference<LockInfo.State> during = new AtomicReference<>();
    lock.run(() -> during.set(lock.info().join().state()));
    assertThat(during.get()).isEqualTo(LockInfo.State.HELD);
    assertThat(isFree()).isTrue();
    assertThat(lock.call(() -> 7)).isEqualTo(7);
    assertThat(lock.<Long>call(hold -> hold.fence())).isPositive();
    assertThat(isFree()).isTrue();
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      BatonLock here = members.get(0).lock("x");
      BatonLock there = members.get(1).lock("x");
      here.run(() -> assertThat(there.tryLock()).isFalse());
      assertThat(there.<Long>call(hold -> hold.fence())).isPositive();
      assertThat(here.callAsync(hold -> CompletableFuture.completedFuture(7)).get()).isEqualTo(7);
      assertThatExceptionOfType(LockLostException.class)
          .isThrownBy(
              () ->
                  here.call(
                      hold -> {
                        var unused = members.get(2).forceRelease("x", hold.fence());
                        TimeUnit.SECONDS.sleep(60); // is interrupted
                        return true;
                      }))
          .satisfies(
              lost ->
                  assertThat(lost.getSuppressed())
                      .hasAtLeastOneElementOfType(InterruptedException.class));
      assertThat(there.tryAcquire(LONG)).hasValueSatisfying(Hold::close);
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void whatATaskThrowsIsThrownAndTheLockIsGivenBack() throws Exception {
    assertThatThrownBy(
            () ->
                lock.call(
                    () -> {
                      throw new IOException("disk");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("disk");
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                lock.run(
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .withMessage("no");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(
            () ->
                lock.run(
                    () -> {
                      throw new AssertionError("an Error");
                    }));
    assertThat(isFree()).isTrue();
  }

  @Test
  void aTaskIsInterruptedWhenTheLockIsLostAndTheLossIsThrown() {
    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(
            () ->
                lock.call(
                    hold -> {
                      force(hold);
                      TimeUnit.SECONDS.sleep(60);
                      return true;
                    }))
        .satisfies(
            lost -> {
              assertThat(lost.reason()).isEqualTo(LossReason.FORCED);
              assertThat(lost.getSuppressed()).hasSize(1);
              assertThat(lost.getSuppressed()[0]).isInstanceOf(InterruptedException.class);
            });
    assertThat(Thread.currentThread().isInterrupted()).as("that was meant for the task").isFalse();
  }

  @Test
  void theLossIsThrownEvenIfTheTaskTakesNoNoticeOfIt() {
    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(
            () ->
                lock.call(
                    hold -> {
                      force(hold);
                      return "as if nothing had happened";
                    }));
  }

  @Test
  void soItIsWhereTheTimeOfTheHoldIsOver() {
    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(
            () ->
                lock.atMost(Duration.ofMillis(50))
                    .call(
                        () -> {
                          TimeUnit.SECONDS.sleep(60);
                          return true;
                        }))
        .satisfies(lost -> assertThat(lost.reason()).isEqualTo(LossReason.EXPIRED));
  }

  @Test
  void anInterruptOfSomebodyElseStaysOne() throws Exception {
    lock.run(() -> Thread.currentThread().interrupt());
    assertThat(Thread.interrupted()).isTrue();
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> lock.run(() -> assertThat(true).as("not begun").isFalse()));
  }

  @Test
  void aStageIsBegunUnderTheLockWhichIsGivenBackWhenItIsOver() throws Exception {
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<Hold> begun = new CompletableFuture<>();
    CompletableFuture<String> result =
        lock.callAsync(
            hold -> {
              begun.complete(hold);
              return stage;
            });
    Hold hold = begun.get(30, TimeUnit.SECONDS);
    assertThat(hold.isValid()).isTrue();
    assertThat(cluster.member(1).lock("x").tryAcquire(Duration.ZERO)).isEmpty();
    stage.complete("done");
    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(isFree()).isTrue();
  }

  @Test
  void aStageIsCancelledWhenTheLockIsLost() throws Exception {
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<Hold> begun = new CompletableFuture<>();
    CompletableFuture<String> result =
        lock.callAsync(
            hold -> {
              begun.complete(hold);
              return stage;
            });
    force(begun.get(30, TimeUnit.SECONDS));
    assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(LockLostException.class);
    assertThatExceptionOfType(CancellationException.class)
        .isThrownBy(() -> stage.get(30, TimeUnit.SECONDS));
    assertThat(isFree()).isTrue();
  }

  @Test
  void aStageThatFailsAndOneThatCannotEvenBeginGiveTheLockBack() throws Exception {
    assertThatThrownBy(
            () ->
                lock.callAsync(hold -> CompletableFuture.failedFuture(new IOException("disk")))
                    .get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(
            () ->
                lock.callAsync(
                        hold -> {
                          throw new IllegalStateException("no");
                        })
                    .get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
    CompletableFuture<String> nothing = null;
    assertThatThrownBy(() -> lock.callAsync(hold -> nothing).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(NullPointerException.class)
        .hasMessageContaining("The task gave no stage");
    assertThat(isFree()).isTrue();
  }

  @Test
  void whoCancelsGivesUpWaitingOrEndsTheStage() throws Exception {
    Hold hold = lock.acquire();
    CompletableFuture<String> waiting =
        lock.callAsync(mine -> CompletableFuture.completedFuture("never"));
    waiting.cancel(false);
    hold.close();
    assertThat(isFree()).isTrue();
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    CompletableFuture<String> working =
        lock.callAsync(
            mine -> {
              begun.complete(true);
              return stage;
            });
    begun.get(30, TimeUnit.SECONDS);
    working.cancel(true); // perhaps before it has the stage
    assertThatThrownBy(() -> stage.get(30, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
    assertThat(isFree()).isTrue();
  }

  @Test
  void workAroundOtherWorkHearsOfItsOwnLossToo() {
    AtomicReference<Hold> outerHold = new AtomicReference<>();
    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(
            () ->
                lock.call(
                    outer -> {
                      outerHold.set(outer);
                      assertThatExceptionOfType(LockLostException.class)
                          .isThrownBy(() -> member.lock("y").call(inner -> loseBoth(outer, inner)));
                      TimeUnit.SECONDS.sleep(60); // is told at once
                      return true;
                    }))
        .satisfies(
            lost -> assertThat(lost.getSuppressed()[0]).isInstanceOf(InterruptedException.class));
    assertThat(outerHold.get()).isNotNull().returns(Optional.of(LossReason.FORCED), Hold::lost);
  }

  private boolean loseBoth(Hold outer, Hold inner) {
    force(outer);
    assertThat(cluster.member(1).forceRelease("y", inner.fence()).join()).isTrue();
    while (inner.lost().isEmpty() || !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    return true;
  }

  @Test
  void aTaskThatGivesNoStageYetIsInterruptedWhenTheLockIsLost() throws Exception {
    CompletableFuture<Hold> begun = new CompletableFuture<>();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    CompletableFuture<String> result =
        lock.callAsync(
            hold -> {
              begun.complete(hold);
              try {
                TimeUnit.SECONDS.sleep(60);
              } catch (InterruptedException e) {
                interrupted.complete(true);
              }
              return CompletableFuture.completedFuture("too late");
            });
    force(begun.get(30, TimeUnit.SECONDS));
    assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockLostException.class);
    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whoWaitsNoLongerGivesUpItsWish() throws Exception {
    Hold hold = lock.acquire();
    CompletableFuture<String> waiting =
        lock.callAsync(mine -> CompletableFuture.completedFuture("never"))
            .orTimeout(50, TimeUnit.MILLISECONDS);
    assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TimeoutException.class);
    while (!lock.info().get().waiters().isEmpty()) {
      Thread.onSpinWait();
    }
    hold.close();
    assertThat(isFree()).isTrue();
  }
}
