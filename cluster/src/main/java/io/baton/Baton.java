package io.baton;

import io.baton.cluster.Host;
import io.baton.cluster.LockReport;
import io.baton.cluster.Node;
import io.baton.cluster.Shell;
import io.baton.cluster.Standing;
import io.baton.cluster.Texts;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * This process as a member of a cluster whose members pass locks among themselves.
 *
 * <pre>{@code
 * try (Baton baton = Baton.join(BatonConfig.load());
 *     Hold hold = baton.lock("invoice-42").acquire()) {
 *   hold.onLost(reason -> stop());
 *   store.write(invoice, hold.fence());
 * }
 * }</pre>
 */
public final class Baton implements AutoCloseable {
  private final Shell shell;
  private final Host host;
  private final BatonConfig config;
  private final Owners owners = new Owners();

  Baton(Shell shell, BatonConfig config) {
    this.shell = shell;
    this.host = shell.host();
    this.config = config;
  }

  /**
   * Joins a cluster of one, which nobody else may join: for a single process, and to begin with.
   * Its data folder is .baton/baton in the user's home, so that fences rise over restarts.
   */
  public static Baton join() {
    return join(BatonConfig.builder().build());
  }

  /**
   * Joins a cluster, and waits until this process is a member.
   *
   * @throws BatonException if that does not come to pass in time, with what stands in the way
   */
  public static Baton join(BatonConfig config) {
    try {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedException();
      }
      return new Baton(Node.start(config.nodeConfig()), config);
    } catch (ClosedByInterruptException | InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BatonException("Interrupted while joining cluster " + config.cluster(), e);
    } catch (IOException e) {
      throw new BatonException(Texts.reason(e), e);
    }
  }

  /** A lock by its name, of 1 to 512 bytes in UTF-8. */
  public BatonLock lock(String name) {
    Checks.lockName(name);
    return new BatonLock(this, name);
  }

  /** Locks in use, as far as this member has a part in them. */
  public List<LockInfo> locks() {
    return LockInfo.of(LockReport.of(host), config);
  }

  /**
   * Locks in use anywhere, asked of all members. Of one that does not answer within two seconds
   * nothing is known; of one with more to tell than its connection takes, not all.
   */
  public CompletableFuture<List<LockInfo>> locksEverywhere() {
    return shell.gather().thenApply(reports -> LockInfo.of(reports, config));
  }

  /**
   * Ends the hold of a lock that has this fence, wherever it is; its holder is told. A hold with
   * another fence is left alone. Where a member cannot be reached, the answer waits until it can,
   * or is no member any more.
   *
   * @return whether a hold was ended; false too where it had ended before, or this member has left
   *     its cluster and cannot know
   */
  public CompletableFuture<Boolean> forceRelease(String name, long fence) {
    Checks.lockName(name);
    return host.forceRelease(name, fence);
  }

  /** What this member knows of its cluster. */
  public BatonStatus status() {
    Standing standing = shell.standing();
    long until = host.heldUntil();
    long now = host.clock().now();
    long rest = until > now ? until - now : 0;
    return new BatonStatus(
        standing.cluster(),
        standing.clusterId(),
        id(),
        standing.view().epoch(),
        standing.view().number(),
        Duration.ofNanos(rest),
        Optional.ofNullable(standing.leader()),
        standing.voters(),
        standing.view().places().stream()
            .map(
                place ->
                    new BatonStatus.MemberInfo(
                        place.peer().id(), place.address(), place.peer().incarnation()))
            .toList(),
        host.letters());
  }

  /** The id of this member, the same over restarts as long as it keeps its data folder. */
  public String id() {
    return host.origin().id();
  }

  /**
   * Whoever holds something here is told, all is handed on, and this member leaves; no interrupt
   * stops that halfway.
   */
  @Override
  public void close() {
    CompletableFuture<Void> closing;
    try {
      closing =
          CompletableFuture.runAsync(shell::close, task -> new Thread(task, "baton-close").start());
    } catch (OutOfMemoryError e) { // no thread to be had: with the caller's, interrupts and all
      shell.close();
      return;
    }
    closing.join();
  }

  /**
   * The same once what is held here has been given back, or the time is over: who asks for a lock
   * meanwhile, or waits for one, gets a {@link BatonClosedException}.
   *
   * @return whether everything was given back in time
   */
  public boolean close(Duration patience) {
    if (patience.isNegative()) {
      throw new IllegalArgumentException(
          "The time to wait for holds to end is negative: " + patience + "; zero or more is right");
    }
    boolean idle = host.drain(Checks.nanos(patience));
    close();
    return idle;
  }

  Host host() {
    return host;
  }

  Owners owners() {
    return owners;
  }

  /** A loss in words. */
  String lossOf(Hold hold, LossReason reason) {
    String why =
        switch (reason) {
          case PARTITIONED ->
              "member " + id() + " could not renew its lease of " + seconds() + " s in time";
          case EVICTED -> "the others went on without member " + id();
          case FORCED -> "somebody forced its release";
          case EXPIRED -> "the time is over for which it was taken";
          case CLOSED -> "member " + id() + " leaves its cluster";
        };
    return "Lock \""
        + hold.lock()
        + "\" was lost, as seen at "
        + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS)
        + ": "
        + why
        + ". Fence "
        + hold.fence()
        + " is no longer valid.";
  }

  private double seconds() {
    return host.origin().settings().lease() / 1e9;
  }
}
