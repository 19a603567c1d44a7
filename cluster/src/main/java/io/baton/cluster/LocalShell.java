package io.baton.cluster;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** A member among others in one process. */
public final class LocalShell implements Shell {
  private final LocalNetwork network;
  private final ScheduledThreadPoolExecutor loop;
  private final ExecutorService callbacks;
  private final Host host;

  /** A member that takes part from the beginning of its network. */
  public LocalShell(Host.Origin origin, Clock clock, LocalNetwork network) {
    this.network = network;
    this.loop = new ScheduledThreadPoolExecutor(1, Threads.named("baton-" + origin.id()));
    loop.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.callbacks = Threads.forCallbacks(origin.id());
    this.host = new Host(origin, clock, loop, callbacks);
    host.whenBroken(this::end);
    network.add(host, loop);
  }

  @Override
  public Host host() {
    return host;
  }

  @Override
  public CompletableFuture<List<LockReport>> gather() {
    return CompletableFuture.completedFuture(network.gather(host.origin().id()));
  }

  @Override
  public Standing standing() {
    return network.standing(host);
  }

  @Override
  public void close() {
    if (!loop.isShutdown()) {
      Leaving.await(host);
      end();
    }
  }

  private void end() {
    network.remove(host.origin().id());
    loop.shutdown();
    callbacks.shutdown();
    host.close();
  }
}
