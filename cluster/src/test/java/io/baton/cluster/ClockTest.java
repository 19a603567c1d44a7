package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Loss;
import io.baton.member.Shape;
import io.baton.member.VotingMember;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A clock that stands still is noticed by the time since boot (R13). */
@Timeout(60)
class ClockTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong ticking = new AtomicLong(5 * SECOND);
  private final AtomicLong booted = new AtomicLong(99 * SECOND);
  private final Clock clock = new Clock(ticking::get, booted::get);

  @Test
  void whatTheClockMissedWhileTheMachineWasSuspendedIsMadeUpFor() {
    pass(SECOND);
    assertThat(clock.now()).isEqualTo(6 * SECOND);
    booted.addAndGet(30 * SECOND);
    pass(SECOND / 5);
    assertThat(clock.now()).isEqualTo(36 * SECOND + SECOND / 5);
  }

  @Test
  void theCoarsenessOfBootTimeChangesNothing() {
    for (int k = 0; k < 100; k++) {
      booted.set(99 * SECOND + (ticking.get() - 5 * SECOND) / 10_000_000 * 10_000_000);
      ticking.addAndGet(SECOND / 9);
      assertThat(clock.now()).isEqualTo(ticking.get());
    }
  }

  @Test
  void aClockThatDoesNotMoveAtAllIsNoticedWhenLookedAt() {
    booted.addAndGet(10 * SECOND);
    assertThat(clock.now()).isEqualTo(5 * SECOND);
    clock.compare();
    assertThat(clock.now()).isEqualTo(15 * SECOND);
  }

  @Test
  void aStopBetweenTheFirstTwoLooksHidesNothingLater() {
    AtomicBoolean stopped = new AtomicBoolean();
    Clock late =
        new Clock(
            ticking::get,
            () -> {
              if (!stopped.getAndSet(true)) {
                pass(10 * SECOND);
              }
              return booted.get();
            });
    long before = late.now();
    booted.addAndGet(5 * SECOND);
    pass(SECOND);
    assertThat(late.now() - before).isEqualTo(6 * SECOND);
  }

  @Test
  void theTimeGoesOnWhereTheTimeSinceBootCannotBeRead() {
    AtomicBoolean broken = new AtomicBoolean();
    Clock half =
        new Clock(
            ticking::get,
            () -> {
              if (broken.get()) {
                throw new UncheckedIOException(new IOException("Too many open files"));
              }
              return booted.get();
            });
    broken.set(true);
    pass(SECOND);
    assertThat(half.now()).isEqualTo(6 * SECOND);
    broken.set(false);
    booted.addAndGet(2 * SECOND);
    pass(SECOND);
    assertThat(half.now()).as("what was missed meanwhile").isEqualTo(9 * SECOND);
  }

  @Test
  void whatWasMissedCountsOnceThoughSeveralLookAtTheSameTime() {
    AtomicBoolean beside = new AtomicBoolean();
    CompletableFuture<Clock> self = new CompletableFuture<>();
    Clock busy =
        new Clock(
            ticking::get,
            () -> {
              if (beside.compareAndSet(true, false)) { // as another thread just now
                self.join().compare();
              }
              return booted.get();
            });
    self.complete(busy);
    booted.addAndGet(10 * SECOND);
    beside.set(true);
    busy.compare();
    assertThat(beside).isFalse();
    assertThat(busy.now()).isEqualTo(15 * SECOND);
  }

  @Test
  void aThreadWithoutStackOrMemoryHasTheTimeAndTheNextOneLooks() {
    AtomicReference<@Nullable Error> planted = new AtomicReference<>();
    Clock poor =
        new Clock(
            ticking::get,
            () -> {
              Error error = planted.get();
              if (error != null) {
                throw error;
              }
              return booted.get();
            });
    for (Error error :
        List.of(new StackOverflowError("planted"), new OutOfMemoryError("planted"))) {
      long before = poor.now();
      booted.addAndGet(2 * SECOND);
      planted.set(error);
      pass(SECOND);
      assertThat(poor.now()).isEqualTo(before + SECOND);
      planted.set(null);
      pass(SECOND);
      assertThat(poor.now()).as("what was missed meanwhile").isEqualTo(before + 4 * SECOND);
    }
  }

  private static final VotingMember.Origin ORIGIN = Origins.ofOne(SECOND / 2);

  private static Grip acquire(LocalShell shell) throws Exception {
    CompletableFuture<Claim> granted = new CompletableFuture<>();
    Claim claim = new Claim(shell.host(), "x", Terms.NONE, granted::complete);
    shell.host().acquire(claim);
    granted.get(30, TimeUnit.SECONDS);
    return Objects.requireNonNull(claim.taken());
  }

  /** As after a process was stopped: its lease is over, and nobody has had time to notice. */
  @Test
  void whoGivesBackTooLateIsToldOfTheLoss() throws Exception {
    AtomicLong slept = new AtomicLong();
    Clock jumping =
        new Clock(() -> System.nanoTime() + slept.get(), () -> System.nanoTime() + slept.get());
    LocalNetwork network = new LocalNetwork();
    try (LocalShell shell = new LocalShell(ORIGIN, jumping, network, Duration.ofSeconds(10))) {
      network.start(Shape.STAR);
      Grip grip = acquire(shell);
      CompletableFuture<Loss> lost = new CompletableFuture<>();
      grip.onLost(lost::complete);
      slept.addAndGet(SECOND);
      assertThat(grip.loss()).isEqualTo(Loss.PARTITIONED);
      grip.release();
      assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.PARTITIONED);
      assertThat(grip.loss()).isEqualTo(Loss.PARTITIONED);
    }
  }

  @Test
  void aHolderWhoseClockStandsStillLosesItsLock() throws Exception {
    AtomicLong stopped = new AtomicLong(); // where it stands still; 0: it moves
    Clock failing =
        new Clock(() -> stopped.get() == 0 ? System.nanoTime() : stopped.get(), System::nanoTime);
    LocalNetwork network = new LocalNetwork();
    try (LocalShell shell = new LocalShell(ORIGIN, failing, network, Duration.ofSeconds(10))) {
      network.start(Shape.STAR);
      Grip grip = acquire(shell);
      CompletableFuture<Loss> lost = new CompletableFuture<>();
      grip.onLost(lost::complete);
      network.isolate("m");
      stopped.set(System.nanoTime());
      assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.PARTITIONED);
      assertThat(grip.isValid()).isFalse();
      stopped.set(0);
    }
  }

  private void pass(long time) {
    ticking.addAndGet(time);
    booted.addAndGet(time);
  }
}
