package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.member.Loss;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Shape;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member alone, with callbacks that the test carries out. */
@Timeout(60)
class HostTest {
  private static final long LEASE = 200_000_000L;

  /** What a member only passes on: by that the host sends something. */
  private static final Packet RELAYED =
      new Packet.Relayed(new Packet.Mail(new Peer("x", 1), new Peer("y", 1), 0, 0, null));

  private final ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(1);
  private final LocalNetwork network = new LocalNetwork();

  private final List<Host> hosts = new ArrayList<>();

  private Host host(Executor callbacks) throws Exception {
    return joined(alone(LEASE, Clock.ofThisMachine(), callbacks));
  }

  /** One that has not joined yet. */
  private Host alone(long lease, Clock clock, Executor callbacks) {
    Host host = Host.inMemory(Origins.ofOne(5 * lease), clock, loop, callbacks);
    hosts.add(host);
    return host;
  }

  private Host joined(Host host) throws Exception {
    network.add(host, loop);
    network.start(Shape.STAR);
    host.joined().get(30, TimeUnit.SECONDS);
    return host;
  }

  @AfterEach
  void end() {
    hosts.forEach(Host::close);
    loop.shutdownNow();
  }

  private static Claim take(Host host) throws Exception {
    CompletableFuture<Claim> granted = new CompletableFuture<>();
    Claim claim = new Claim(host, "x", Terms.NONE, granted::complete);
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
    assertThat(claim.takeAgain(Terms.NONE)).as("the next hold of the same claim").isNull();
    Grip next = grip(take(host));
    assertThat(next.fence()).isGreaterThan(first.fence());
    assertThat(host.forceRelease("x", first.fence()).get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(next.isValid()).isTrue();
    assertThat(host.forceRelease("x", next.fence()).get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(next.loss()).isEqualTo(Loss.FORCED);
  }

  @Test
  void aHoldClosedTwiceIsStillFoundAndGoesBackOnceNobodyUsesIt() throws Exception {
    Host host = host(Runnable::run);
    Claim claim = take(host);
    Grip grip = grip(claim);
    grip.release();
    grip.release();
    assertThat(host.kept("x")).isSameAs(claim);
    host.sweep();
    host.sweep();
    assertThat(claim.isOver()).isTrue();
    assertThat(host.kept("x")).isNull();
  }

  @Test
  void aClaimThatHasEndedDoesNotHideTheNextOneThatIsKept() throws Exception {
    Host host = host(Runnable::run);
    Claim ended = take(host);
    long fence = grip(ended).fence();
    assertThat(host.forceRelease("x", fence).get(30, TimeUnit.SECONDS)).isTrue();
    Claim next = take(host);
    grip(next).release();
    assertThat(host.index(ended)).isFalse(); // as a thread does that was slow to give it back
    assertThat(host.kept("x")).isSameAs(next);
  }

  @Test
  void whoIsGrantedALockIsToldThoughNothingCanBeSent() throws Exception {
    Host host = host(Runnable::run);
    AtomicInteger failed = new AtomicInteger();
    host.start(
        new Carrier() {
          @Override
          public void send(String to, Packet packet) {}

          @Override
          public void flush() {
            failed.incrementAndGet();
            throw new IllegalStateException("planted");
          }

          @Override
          public void close() {}
        },
        view -> {},
        () -> {});
    assertThat(grip(take(host)).isValid()).isTrue();
    assertThat(failed.get()).isPositive();
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_25)
  void nobodyStaysBehindAVirtualThreadThatHasNothingToRunOn() throws Exception {
    Host host = host(Runnable::run);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    host.start(
        sending(
            () -> {
              inside.countDown();
              try {
                leave.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }),
        view -> {},
        () -> {});
    new Thread(() -> host.receive("m", RELAYED)).start();
    inside.await();
    awaitQueued(startVirtual(host::locks));
    Thread behind = new Thread(host::locks);
    behind.start();
    awaitQueued(behind);
    AtomicBoolean done = new AtomicBoolean();
    spinOnAllCarriers(done);
    leave.countDown();
    behind.join(TimeUnit.SECONDS.toMillis(20));
    boolean passed = !behind.isAlive();
    done.set(true);
    assertThat(passed).isTrue();
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_25)
  void aVirtualThreadDoesNotWaitForTheClockWithTheGuard() throws Exception {
    CountDownLatch comparing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicReference<Thread> comparer = new AtomicReference<>(new Thread(() -> {}));
    Clock clock =
        new Clock(
            System::nanoTime,
            () -> {
              if (Thread.currentThread() == comparer.get()) {
                comparing.countDown();
                try {
                  goOn.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
              return System.nanoTime();
            });
    Host host = alone(LEASE, clock, Runnable::run);
    Thread compares = new Thread(clock::compare);
    comparer.set(compares);
    compares.start();
    comparing.await();
    long due = System.nanoTime() + 200_000_000L; // by then a look at the clock compares again
    while (System.nanoTime() - due < 0) {
      Thread.onSpinWait();
    }
    Thread virtual = startVirtual(() -> host.disconnected("other", List.of("m")));
    while (virtual.isAlive() && virtual.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    AtomicBoolean done = new AtomicBoolean();
    spinOnAllCarriers(done);
    goOn.countDown();
    Thread asks = new Thread(host::locks);
    asks.start();
    asks.join(TimeUnit.SECONDS.toMillis(10));
    boolean passed = !asks.isAlive();
    done.set(true);
    assertThat(passed).as("the guard is free").isTrue();
  }

  private static void spinOnAllCarriers(AtomicBoolean done) throws ReflectiveOperationException {
    for (int k = 0; k < 2 * Runtime.getRuntime().availableProcessors(); k++) {
      startVirtual(
          () -> {
            while (!done.get()) {
              Thread.onSpinWait();
            }
          });
    }
  }

  private static Thread startVirtual(Runnable task) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
  }

  private static void awaitQueued(Thread thread) {
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whoComesToAStopByADefectSaysNothingAnyMore() throws Exception {
    Host host = host(Runnable::run);
    assertThat(host.leader()).as("it leads, alone").isEqualTo("m");
    Runnable defect =
        () -> {
          throw new IllegalStateException("planted");
        };
    breakBy(host, defect);
    assertThat(host.isBroken()).isTrue();
    host.receive("m", RELAYED); // by that it would send something, and the defect come again
    host.look();
  }

  @Test
  void whoseClockStoodStillIsToldWhateverItsTimersDo() throws Exception {
    AtomicLong asleep = new AtomicLong();
    Clock clock = new Clock(System::nanoTime, () -> System.nanoTime() + asleep.get());
    long lease = TimeUnit.SECONDS.toNanos(2);
    Host host = joined(alone(lease, clock, Runnable::run));
    CompletableFuture<Loss> lost = new CompletableFuture<>();
    grip(take(host)).onLost(lost::complete);
    loop.shutdownNow(); // no timer tells it
    asleep.set(6 * lease); // a lease has five of these
    host.sweep();
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.PARTITIONED);
  }

  /** Sends by doing this, with the guard. */
  static Carrier sending(Runnable action) {
    return new Carrier() {
      @Override
      public void send(String to, Packet packet) {
        action.run();
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  /** Breaks a host with the guard. */
  private static void breakBy(Host host, Runnable defect) {
    host.start(sending(defect), view -> {}, () -> {});
    assertThatThrownBy(() -> host.receive("m", RELAYED)).hasMessage("planted");
  }

  @Test
  void anErrorUnderTheGuardEndsTheMemberWhole() throws Exception {
    Host host = host(Threads.forCallbacks("m"));
    CompletableFuture<Void> ended = new CompletableFuture<>();
    host.whenBroken(() -> ended.complete(null));
    Grip held = grip(take(host));
    CompletableFuture<Loss> lost = new CompletableFuture<>();
    held.onLost(lost::complete);
    CompletableFuture<Claim> waiter = new CompletableFuture<>();
    host.acquire(new Claim(host, "x", Terms.NONE, waiter::complete));
    breakBy(
        host,
        () -> {
          throw new OutOfMemoryError("planted");
        });
    assertThat(held.isValid()).isFalse();
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.CLOSED);
    assertThat(waiter.get(30, TimeUnit.SECONDS).isClosed()).isTrue();
    ended.get(30, TimeUnit.SECONDS);
    CompletableFuture<Claim> late = new CompletableFuture<>();
    host.acquire(new Claim(host, "y", Terms.NONE, late::complete));
    assertThat(late.get(30, TimeUnit.SECONDS).isClosed()).isTrue();
    assertThat(host.forceRelease("x", 1).get(30, TimeUnit.SECONDS)).isFalse();
  }

  @Test
  void theEndOfAMemberIsTriedAgainUntilItIsDone() throws Exception {
    Host host = host(Threads.forCallbacks("m"));
    AtomicInteger tries = new AtomicInteger();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    host.whenBroken(
        () -> {
          if (tries.incrementAndGet() < 5) {
            throw new OutOfMemoryError("planted");
          }
          ended.complete(null);
        });
    breakBy(
        host,
        () -> {
          throw new StackOverflowError("planted");
        });
    ended.get(30, TimeUnit.SECONDS);
    assertThat(tries.get()).isEqualTo(5);
  }

  @Test
  void whoCannotGiveALockBackForLackOfStackLosesNothing() throws Exception {
    Host host = host(Runnable::run);
    Claim claim = take(host);
    Grip grip = grip(claim);
    AtomicInteger overflows = new AtomicInteger();
    releaseAtTheEndOfTheStack(grip, overflows);
    assertThat(overflows.get()).isPositive();
    while (grip.isValid()) { // it is given back by another thread, at the latest
      Thread.onSpinWait();
    }
    assertThat(host.isBroken()).isFalse();
    assertThat(grip(take(host)).isValid()).isTrue();
  }

  @SuppressWarnings("InfiniteRecursion") // it is the subject
  private static void releaseAtTheEndOfTheStack(Grip grip, AtomicInteger overflows) {
    try {
      releaseAtTheEndOfTheStack(grip, overflows);
    } catch (VirtualMachineError e) { // an InternalError where a lambda is linked there
      overflows.incrementAndGet();
      grip.release();
    }
  }

  @Test
  void whoIsInterruptedWhileItWaitsForHoldsToEndDoesNotSpinAndStaysInterrupted() throws Exception {
    Host host = host(Runnable::run);
    Grip held = grip(take(host));
    Thread.currentThread().interrupt();
    long busyBefore = cpuTime();
    assertThat(host.drain(TimeUnit.MILLISECONDS.toNanos(500))).isFalse();
    assertThat(cpuTime() - busyBefore).isLessThan(TimeUnit.MILLISECONDS.toNanos(400));
    assertThat(Thread.interrupted()).isTrue();
    held.release();
    assertThat(host.drain(TimeUnit.SECONDS.toNanos(30))).isTrue();
  }

  private static long cpuTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "y"}) // whichever is told first
  void oneWhomTellingAlwaysFailsDoesNotKeepTheOthersFromTheirs(String failing) throws Exception {
    AtomicReference<String> told = new AtomicReference<>("");
    AtomicBoolean lost = new AtomicBoolean();
    Host host =
        host(
            task -> {
              task.run();
              if (lost.get() && failing.equals(told.get())) {
                throw new LinkageError("planted");
              }
            });
    Map<String, CompletableFuture<Boolean>> heard = new HashMap<>();
    for (String lock : List.of("x", "y")) {
      CompletableFuture<Claim> granted = new CompletableFuture<>();
      CompletableFuture<Boolean> mine = new CompletableFuture<>();
      heard.put(lock, mine);
      Consumer<Claim> arrival =
          claim -> {
            told.set(lock);
            if (!granted.complete(claim)) {
              mine.complete(true);
            }
          };
      host.acquire(new Claim(host, lock, Terms.NONE, arrival));
      granted.get(30, TimeUnit.SECONDS);
    }
    lost.set(true);
    network.isolate("m");
    for (CompletableFuture<Boolean> each : heard.values()) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isTrue();
    }
    lost.set(false);
  }

  @Test
  void whoCannotGiveUpAWishForLackOfStackKeepsTheLockFromNobody() throws Exception {
    Host host = host(Runnable::run);
    Grip held = grip(take(host));
    Claim wish = new Claim(host, "x", Terms.NONE, claim -> {});
    host.acquire(wish);
    AtomicInteger overflows = new AtomicInteger();
    cancelAtTheEndOfTheStack(host, wish, overflows);
    assertThat(overflows.get()).isPositive();
    while (!wish.isOver()) { // by another thread, at the latest
      host.sweep();
    }
    held.release();
    assertThat(host.isBroken()).isFalse();
    assertThat(grip(take(host)).isValid()).isTrue();
  }

  @SuppressWarnings("InfiniteRecursion") // it is the subject
  private static void cancelAtTheEndOfTheStack(Host host, Claim wish, AtomicInteger overflows) {
    try {
      cancelAtTheEndOfTheStack(host, wish, overflows);
    } catch (StackOverflowError e) {
      overflows.incrementAndGet();
      host.cancel(wish);
    }
  }

  @Test
  void whoGivesBackWhatHasEndedMeanwhileAtTheEndOfTheStackBreaksNothing() throws Exception {
    Host host = host(Threads.forCallbacks("m"));
    Terms brief = Terms.NONE.withAtMost(TimeUnit.MILLISECONDS.toNanos(5));
    for (int k = 0; k < 20; k++) {
      CompletableFuture<Claim> granted = new CompletableFuture<>();
      host.acquire(new Claim(host, "x", brief, granted::complete));
      Grip grip = grip(granted.get(30, TimeUnit.SECONDS));
      CompletableFuture<Loss> lost = new CompletableFuture<>();
      grip.onLost(lost::complete);
      AtomicInteger overflows = new AtomicInteger();
      releaseAtTheEndOfTheStack(grip, overflows);
      assertThat(overflows.get()).isPositive();
      assertThat(host.isBroken()).as("broken by %s", host.brokenBy()).isFalse();
    }
    assertThat(grip(take(host)).isValid()).isTrue();
  }
}
