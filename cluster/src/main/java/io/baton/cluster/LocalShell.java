package io.baton.cluster;

import io.baton.member.VotingMember;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** A member among others in one process. */
public final class LocalShell implements Shell {
  private final LocalNetwork network;
  private final ScheduledThreadPoolExecutor loop;
  private final ExecutorService callbacks;
  private final Host host;
  private final Gathering gathering;
  private volatile Runnable beforeClosing = () -> {};

  /** A member that takes part from the beginning of its network. */
  public LocalShell(
      VotingMember.Origin origin, Clock clock, LocalNetwork network, Duration deadlockAfter) {
    this.network = network;
    this.loop = new ScheduledThreadPoolExecutor(1, Threads.named("baton-" + origin.id()));
    loop.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.callbacks = Threads.forCallbacks(origin.id());
    this.host = Host.inMemory(origin, clock, loop, callbacks);
    this.gathering = network.add(host, loop);
    host.whenBroken(this::end);
    host.everySecond(new Deadlocks(host, gathering::of, deadlockAfter, host::deadlocked)::look);
  }

  @Override
  public Host host() {
    return host;
  }

  @Override
  public CompletableFuture<LockReports> locks() {
    return gathering.ofAll();
  }

  @Override
  public CompletableFuture<LockReports> lock(String name) {
    return gathering.of(name);
  }

  @Override
  public CompletableFuture<LockReports> lockAtAll(String name) {
    return gathering.ofAllAbout(name);
  }

  @Override
  public Standing standing() {
    return LocalNetwork.standing(host);
  }

  @Override
  public void whenClosing(Runnable action) {
    beforeClosing = action;
  }

  @Override
  public void close() {
    if (!loop.isShutdown()) {
      beforeClosing.run();
      if (network.isEnding()) { // nobody is left to be told
        host.giveUp();
      } else {
        Leaving.await(host);
      }
      end();
    }
  }

  private void end() {
    network.remove(host.origin().id());
    gathering.close();
    loop.shutdown();
    callbacks.shutdown();
    host.close();
  }
}
