package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Holds that end by themselves, and locks that are kept from others for a while. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class LimitedHoldsTest {
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration LONGER = Duration.ofMinutes(30);

  private final BatonCluster cluster = BatonCluster.local(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  private BatonLock lock(int member) {
    return cluster.member(member).lock("x");
  }

  @Test
  void aHoldEndsByItselfWhenItsTimeIsOverAndItsHolderIsTold() throws Exception {
    long start = System.nanoTime();
    Hold hold = lock(0).atMost(SHORT).acquire();
    CompletableFuture<LossReason> lost = new CompletableFuture<>();
    hold.onLost(lost::complete);
    assertThat(hold.remaining()).isLessThanOrEqualTo(SHORT);
    Hold next = lock(1).acquire();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
    assertThat(hold.isValid()).isFalse();
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
    assertThat(hold.lost()).contains(LossReason.EXPIRED);
    assertThat(next.fence()).isGreaterThan(hold.fence());
    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(() -> hold.extend(LONG))
        .withMessageContaining("the time is over for which it was taken");
  }

  @Test
  void soDoesOneThatIsTakenAgainWhereItsTokenLies() throws Exception {
    lock(0).acquire().close();
    Hold hold = lock(0).atMost(SHORT).acquire();
    assertThat(lock(1).tryAcquire(LONG)).isPresent();
    assertThat(hold.lost()).contains(LossReason.EXPIRED);
  }

  @Test
  void andOneOfALockOfAThread() throws Exception {
    BatonLock lock = lock(0).atMost(SHORT);
    lock.lock();
    assertThat(lock(1).tryAcquire(LONG)).isPresent();
    assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
  }

  @Test
  void whoHoldsALockCanExtendItBeforeItEnds() throws Exception {
    Hold hold = lock(0).atMost(Duration.ofSeconds(1)).acquire();
    hold.extend(LONGER);
    assertThat(lock(1).tryAcquire(Duration.ofMillis(1_200))).isEmpty();
    assertThat(hold.isValid()).isTrue();
    hold.extend(SHORT);
    assertThat(lock(1).tryAcquire(LONG)).isPresent();
    assertThat(hold.lost()).contains(LossReason.EXPIRED);
  }

  @Test
  void aHoldThatWasGivenBackIsNotExtended() throws Exception {
    Hold hold = lock(0).atMost(LONG).acquire();
    hold.close();
    assertThatExceptionOfType(IllegalMonitorStateException.class)
        .isThrownBy(() -> hold.extend(LONG))
        .withMessageContaining("given back already");
    assertThat(lock(1).tryAcquire(Duration.ZERO)).isPresent();
  }

  @Test
  void othersGetTheLockNoSoonerThanItWasToBeKeptFromThem() throws Exception {
    Duration least = Duration.ofMillis(300);
    for (BatonLock next : List.of(lock(1), lock(0))) { // elsewhere, and at the same member
      long start = System.nanoTime();
      Hold first = lock(0).atLeast(least).acquire();
      first.close();
      assertThat(first.isValid()).isFalse();
      assertThat(next.tryAcquire(Duration.ZERO)).as("as if it were held").isEmpty();
      Hold hold = next.tryAcquire(LONG).orElseThrow();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(least);
      hold.close();
    }
  }

  @Test
  void whoWorksForLongerThanThatGivesTheLockBackAtOnce() throws Exception {
    Hold hold = lock(0).atLeast(Duration.ofNanos(1)).acquire();
    hold.close();
    assertThat(lock(1).tryAcquire(Duration.ZERO)).isPresent();
  }

  @Test
  void anExtensionKeepsItFromOthersTooIfThatIsSaid() throws Exception {
    Hold hold = lock(0).atMost(LONG).acquire();
    hold.extend(LONG, Duration.ofMillis(300));
    hold.close();
    assertThat(lock(1).tryAcquire(Duration.ZERO)).isEmpty();
    assertThat(lock(1).tryAcquire(LONG)).isPresent();
  }

  @Test
  void anExtensionThatEndsTooSoonForThatIsRefused() throws Exception {
    Hold hold = lock(0).atMost(LONGER).atLeast(LONG).acquire();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> hold.extend(SHORT))
        .withMessageContaining("atLeast is longer than atMost");
    assertThat(hold.remaining()).isGreaterThan(Duration.ofSeconds(1));
    hold.extend(LONG, Duration.ZERO); // what was said before is forgotten
    hold.close();
    assertThat(lock(1).tryAcquire(Duration.ZERO)).isPresent();
  }

  @Test
  void aHoldForNoTimeAtAllIsGrantedAndOver() throws Exception {
    for (int k = 0; k < 3; k++) {
      Hold hold = lock(k).atMost(Duration.ofNanos(1)).tryAcquire(LONG).orElseThrow();
      assertThat(hold.isValid()).isFalse();
      assertThat(hold.lost()).contains(LossReason.EXPIRED);
      hold.close();
    }
  }

  @Test
  void whatIsKeptFromOthersIsFreeOnceItsMemberHasLeft() throws Exception {
    lock(0).atLeast(LONGER).acquire().close();
    assertThat(lock(1).tryAcquire(Duration.ZERO)).isEmpty();
    cluster.member(0).close();
    assertThat(lock(1).tryAcquire(LONG)).isPresent();
  }

  @Test
  void aTickOfSeveralInstancesRunsOnceHoweverShortItsWork() throws Exception {
    int ran = 0;
    for (Baton member : cluster.members()) { // one after the other, as clocks differ a little
      if (member.lock("tick").atLeast(LONGER).tryAcquire(Duration.ZERO).isPresent()) {
        ran++;
      }
    }
    assertThat(ran).isEqualTo(1);
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      Hold hold = members.get(0).lock("y").atMost(SHORT).acquire();
      Hold next = members.get(1).lock("y").atLeast(Duration.ofMillis(300)).acquire();
      assertThat(hold.lost()).contains(LossReason.EXPIRED);
      next.close();
      assertThat(members.get(2).lock("y").tryAcquire(Duration.ZERO)).isEmpty();
      assertThat(members.get(2).lock("y").tryAcquire(LONG)).isPresent();
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void timesThatMakeNoSenseAreRefusedAndNothingIsTaken() throws Exception {
    Duration negative = Duration.ofMillis(-1);
    Duration beyond = Duration.ofSeconds(Long.MAX_VALUE);
    for (Duration wrong : List.of(negative, beyond)) {
      String why = wrong.isNegative() ? "is negative" : "is out of range";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lock(0).atMost(wrong))
          .withMessageContaining("atMost " + why);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lock(0).atLeast(wrong))
          .withMessageContaining("atLeast " + why);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lock(0).tryAcquire(wrong))
          .withMessageContaining(why);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lock(0).atMost(Duration.ZERO))
        .withMessageContaining("zero");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lock(0).atMost(SHORT).atLeast(LONG))
        .withMessageContaining("atLeast is longer than atMost");
    Hold hold = lock(0).acquire();
    assertThatIllegalArgumentException().isThrownBy(() -> hold.extend(SHORT, LONG));
    assertThatIllegalArgumentException().isThrownBy(() -> hold.extend(negative));
    assertThat(hold.isValid()).isTrue();
    hold.close();
    assertThat(lock(1).tryAcquire(Duration.ZERO)).isPresent();
  }

  @Test
  void notesAndOwnersHaveALength() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lock(0).note("n".repeat(201)))
        .withMessageContaining("201");
    assertThatIllegalArgumentException().isThrownBy(() -> lock(0).ownedBy(""));
    assertThatIllegalArgumentException().isThrownBy(() -> lock(0).ownedBy("o".repeat(65)));
  }

  @Test
  void workThatCameTooLateKeepsTheLockFromNobody() throws Exception {
    Hold hold = lock(1).acquire();
    CompletableFuture<String> late =
        lock(0)
            .atLeast(LONGER)
            .callAsync(mine -> CompletableFuture.completedFuture("never"))
            .orTimeout(50, TimeUnit.MILLISECONDS);
    assertThatThrownBy(() -> late.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TimeoutException.class);
    hold.close();
    assertThat(lock(2).tryAcquire(LONG)).isPresent();
  }

  @Test
  void whatIsKeptFromOthersIsFreeALeaseAfterItsMemberWasCutOff() throws Exception {
    try (BatonCluster brief =
        BatonCluster.local(3, BatonConfig.builder().lease(Duration.ofSeconds(1)).build())) {
      brief.member(0).lock("x").atLeast(LONGER).acquire().close();
      brief.isolate(0);
      assertThat(brief.member(1).lock("x").tryAcquire(LONG)).isPresent();
    }
  }
}
