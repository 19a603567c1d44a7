package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.cluster.Clock;
import io.baton.cluster.Host;
import io.baton.cluster.LocalNetwork;
import io.baton.cluster.LockReports;
import io.baton.cluster.Origins;
import io.baton.cluster.Shell;
import io.baton.cluster.Standing;
import io.baton.member.Shape;
import io.baton.member.View;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a caller hears late. */
@Timeout(60)
class AcquireAsyncTest {
  private static final long LEASE = 200_000_000L;

  private final ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(1);
  private final BlockingQueue<Runnable> callbacks = new LinkedBlockingQueue<>();
  private final LocalNetwork network = new LocalNetwork();

  /** A member whose callbacks wait until the test carries them out. */
  private final class Slow implements Shell {
    private final Host host =
        Host.inMemory(Origins.ofOne(5 * LEASE), Clock.ofThisMachine(), loop, callbacks::add);

    @Override
    public Host host() {
      return host;
    }

    @Override
    public CompletableFuture<LockReports> locks() {
      throw new AssertionError("Nobody asks for all locks here");
    }

    @Override
    public CompletableFuture<LockReports> lock(String name) {
      throw new AssertionError("Nobody asks for a lock here");
    }

    @Override
    public CompletableFuture<LockReports> lockAtAll(String name) {
      throw new AssertionError("Nobody asks for a lock here");
    }

    @Override
    public Standing standing() {
      return new Standing("local", "local", View.NONE, List.of(), false, null);
    }

    @Override
    public void close() {
      loop.shutdownNow();
    }
  }

  private Runnable callback() throws InterruptedException {
    Runnable next = callbacks.poll(30, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void whatWasGrantedAndLostBeforeItsCallerHeardOfItIsAskedForOnceMoreAndNotTwice()
      throws Exception {
    Slow shell = new Slow();
    network.add(shell.host(), loop);
    try (Baton baton = new Baton(shell, BatonConfig.builder().build())) {
      network.start(Shape.STAR);
      shell.host().joined().get(30, TimeUnit.SECONDS);
      CompletableFuture<Hold> future = baton.lock("x").acquireAsync();
      Runnable granted = callback();
      network.isolate("m");
      Runnable lost = callback();
      network.reconnect("m");
      granted.run();
      lost.run();
      while (!future.isDone()) {
        callback().run();
      }
      try (Hold hold = future.get()) {
        assertThat(hold.isValid()).isTrue();
        assertThat(baton.locks()).hasSize(1);
        assertThat(baton.locks().get(0).waiters()).isEmpty();
      }
    }
  }
}
