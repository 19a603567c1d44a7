package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.member.Command;
import io.baton.member.Loss;
import io.baton.member.Rules;
import io.baton.member.Settings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member alone, with callbacks that the test carries out. */
@Timeout(60)
class HostTest {
  private static final long LEASE = 200_000_000L;

  private final ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(1);
  private final LocalNetwork network = new LocalNetwork();

  private Host host(Executor callbacks) throws Exception {
    Host host =
        new Host(
            new Host.Origin("m", "local", 1, Settings.ofSecond(LEASE), Rules.NAIMI_TREHEL),
            Clock.ofThisMachine(),
            loop,
            callbacks);
    network.add(host, loop);
    network.start();
    host.joined().get(30, TimeUnit.SECONDS);
    return host;
  }

  @AfterEach
  void end() {
    loop.shutdownNow();
  }

  private static Claim take(Host host) throws Exception {
    CompletableFuture<Claim> granted = new CompletableFuture<>();
    Claim claim = new Claim(host, "x", granted::complete);
    host.acquire(claim);
    return granted.get(30, TimeUnit.SECONDS);
  }

  private static Grip grip(Claim claim) {
    Grip grip = claim.taken();
    assertThat(grip).isNotNull();
    return grip;
  }

  @Test
  void aCallerIsToldOnceThereAreThreadsAgain() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    Host host =
        host(
            task -> {
              if (refused.incrementAndGet() <= 3) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              task.run();
            });
    Grip grip = grip(take(host));
    assertThat(refused.get()).isGreaterThan(3);
    refused.set(0);
    CompletableFuture<Loss> lost = new CompletableFuture<>();
    grip.onLost(lost::complete);
    network.isolate("m");
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.PARTITIONED);
  }

  @Test
  void aForcedReleaseEndsTheHoldItNamesAndNotTheNextOneOfItsProcess() throws Exception {
    Host host = host(Runnable::run);
    Claim claim = take(host);
    Grip first = grip(claim);
    assertThat(claim.isAt(first.fence(), first.fence())).isTrue(); // from here on it is being ended
    first.release();
    assertThat(claim.takeAgain()).as("the next hold of the same claim").isNull();
    Grip next = grip(take(host));
    assertThat(next.fence()).isGreaterThan(first.fence());
    assertThat(host.forceRelease("x", first.fence()).get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(next.isValid()).isTrue();
    assertThat(host.forceRelease("x", next.fence()).get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(next.loss()).isEqualTo(Loss.FORCED);
  }

  @Test
  void whoComesToAStopByADefectLeadsNoMore() throws Exception {
    Host host =
        new Host(
            new Host.Origin("m", "local", 1, Settings.ofSecond(LEASE), Rules.NAIMI_TREHEL),
            Clock.ofThisMachine(),
            loop,
            Runnable::run);
    CompletableFuture<Void> closed = breakByADefect(host);
    closed.get(30, TimeUnit.SECONDS);
    assertThat(host.isBroken()).isTrue();
  }

  @Test
  void whoseClockStoodStillIsToldOnceThatIsNoticed() throws Exception {
    AtomicLong asleep = new AtomicLong();
    Clock clock = new Clock(System::nanoTime, () -> System.nanoTime() + asleep.get());
    Settings settings = Settings.ofSecond(TimeUnit.SECONDS.toNanos(2));
    Host host =
        new Host(
            new Host.Origin("m", "local", 1, settings, Rules.NAIMI_TREHEL),
            clock,
            loop,
            Runnable::run);
    network.add(host, loop);
    network.start();
    host.joined().get(30, TimeUnit.SECONDS);
    CompletableFuture<Loss> lost = new CompletableFuture<>();
    grip(take(host)).onLost(lost::complete);
    asleep.set(2 * settings.lease());
    host.sweep();
    assertThat(lost).as("not as late as the next renewal").isCompletedWithValue(Loss.PARTITIONED);
  }

  /** The answer comes when the log of the host is closed. */
  static CompletableFuture<Void> breakByADefect(Host host) {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    host.votesBy(
        new AgreedLog() {
          @Override
          public void propose(Command command) {
            throw new IllegalStateException("a planted defect");
          }

          @Override
          public void confirm(long term, long batch) {}

          @Override
          public void close() {
            closed.complete(null);
          }
        });
    assertThatThrownBy(() -> host.elected(1)).hasMessage("a planted defect");
    return closed;
  }
}
