package io.baton;

import io.baton.cluster.Host;
import io.baton.cluster.LockReport;
import io.baton.cluster.LockReports;
import io.baton.cluster.Node;
import io.baton.cluster.Shell;
import io.baton.cluster.Standing;
import io.baton.cluster.Terms;
import io.baton.cluster.Texts;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
  private final Listeners listeners = new Listeners();
  private final Map<String, Leadership> leaderships = new ConcurrentHashMap<>(); // by name
  private final Map<String, Long> semaphores =
      new ConcurrentHashMap<>(); // that others agreed with, in which life of this member
  private volatile boolean closed;

  Baton(Shell shell, BatonConfig config) {
    this.shell = shell;
    this.host = shell.host();
    this.config = config;
    shell.whenClosing(this::endLeaderships);
  }

  /**
   * Joins a cluster of one, which nobody else may join: for a single process, and to begin with.
   * Its data folder is .baton/baton in the user's home, so that fences rise over restarts.
   */
  @CheckReturnValue
  public static Baton join() {
    return join(BatonConfig.builder().build());
  }

  /**
   * Joins a cluster, and waits until this process is a member.
   *
   * @throws BatonException if that does not come to pass in time, with what stands in the way
   */
  @CheckReturnValue
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
    return new BatonLock(this, name, Terms.NONE);
  }

  /**
   * Waits until several locks are granted. They are taken one after the other, by all in the same
   * order; where one cannot be had, those before it are given back.
   *
   * @throws InterruptedException if the thread is interrupted before
   * @throws BatonClosedException if this member leaves the cluster before
   */
  @CheckReturnValue
  public Holds acquireAll(Collection<String> names) throws InterruptedException {
    Holds holds = takeAll(Holds.inOrder(names), new Deadline(Deadline.FOR_EVER));
    if (holds == null) {
      throw new IllegalStateException("Gave up without a limit");
    }
    return holds;
  }

  /**
   * The same, for so long at most, all together; zero: only if all are free. All are granted, or
   * none is held.
   */
  @CheckReturnValue
  public Optional<Holds> tryAcquireAll(Collection<String> names, Duration limit)
      throws InterruptedException {
    Deadline deadline = new Deadline(Checks.limit("The limit", limit));
    return Optional.ofNullable(takeAll(Holds.inOrder(names), deadline));
  }

  private @Nullable Holds takeAll(List<String> names, Deadline deadline)
      throws InterruptedException {
    List<Hold> taken = new ArrayList<>(names.size());
    Holds all = null;
    try {
      for (String name : names) {
        Hold hold = deadline.acquire(lock(name));
        if (hold == null) {
          return null;
        }
        taken.add(hold);
      }
      Holds holds = new Holds(taken);
      if (holds.isValid()) { // the first may be lost by now
        all = holds;
      }
    } finally {
      if (all == null) {
        Holds.giveBack(taken);
      }
    }
    return all != null || deadline.isOver() ? all : takeAll(names, deadline);
  }

  /**
   * A semaphore by its name, with so many permits for the whole cluster. The first time, the other
   * members are asked whether they use it with as many.
   *
   * @throws IllegalArgumentException if it is used with another number of permits, here or
   *     elsewhere
   */
  @CheckReturnValue
  public BatonSemaphore semaphore(String name, int permits) {
    Checks.name("a semaphore", name, "#" + BatonSemaphore.MOST_PERMITS);
    if (permits < 1 || permits > BatonSemaphore.MOST_PERMITS) {
      throw new IllegalArgumentException(
          "A semaphore has 1 to " + BatonSemaphore.MOST_PERMITS + " permits, not " + permits);
    }
    String turn = BatonSemaphore.turnOf(name);
    Integer known = host.notePermits(turn, permits);
    if (known != null && known != permits) {
      throw otherPermits(name, known, permits, id());
    }
    agreed(name, permits, askPermits(name).join());
    return new BatonSemaphore(this, name, permits);
  }

  /**
   * Asks the others, until all have answered once, whether they use it with as many; and once more
   * after they went on without this member. Waits for the answers no longer than the caller does,
   * nor than one who tries.
   */
  void checkPermits(String name, int permits, long nanos) throws InterruptedException {
    long patience = Math.max(nanos, host.origin().settings().patience());
    try {
      agreed(name, permits, askPermits(name).get(patience, TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      // They are asked the next time.
    } catch (ExecutionException e) {
      throw new BatonException("Cannot ask who uses semaphore \"" + name + "\"", e);
    }
  }

  private CompletableFuture<LockReports> askPermits(String name) {
    boolean known = Objects.equals(semaphores.get(name), host.self().incarnation());
    return known // after it was noted: one of two sees the other
        ? CompletableFuture.completedFuture(new LockReports(List.of(), Set.of(), Set.of()))
        : shell.lockAtAll(BatonSemaphore.turnOf(name));
  }

  private void agreed(String name, int permits, LockReports told) {
    long life = host.self().incarnation();
    String turn = BatonSemaphore.turnOf(name);
    for (LockReport report : told.reports()) {
      if (report.permits() != 0 && report.permits() != permits) {
        host.forgetPermits(turn);
        throw otherPermits(name, report.permits(), permits, report.member());
      }
    }
    Integer noted = host.notePermits(turn, permits); // another thread may have forgotten it
    if (noted != null && noted != permits) {
      throw otherPermits(name, noted, permits, id());
    }
    if (told.silent().isEmpty()) {
      semaphores.put(name, life);
    }
  }

  private static IllegalArgumentException otherPermits(
      String name, int has, int asked, String member) {
    return new IllegalArgumentException(
        "Semaphore \"%s\" has %d permits at %s, not %d: all members need the same number"
            .formatted(name, has, member, asked));
  }

  /**
   * Stands for election as the leader of a name, again and again until what this gives is closed.
   *
   * @throws IllegalStateException if this member is a candidate for that name already
   */
  public Leadership lead(String name, LeaderCallbacks callbacks) {
    Objects.requireNonNull(callbacks);
    if (closed || host.isDraining() || host.brokenBy() != null) {
      throw new BatonClosedException(
          "Cannot lead \"" + name + "\": this member (" + id() + ") has left the cluster");
    }
    Leadership leadership = new Leadership(this, name, callbacks);
    if (leaderships.putIfAbsent(name, leadership) != null) {
      throw new IllegalStateException(
          "This member ("
              + id()
              + ") is a candidate for \""
              + name
              + "\" already: close that one first, or use it");
    }
    try {
      leadership.start();
    } catch (Error e) { // no thread to be had
      endLeadership(leadership);
      throw e;
    }
    return leadership;
  }

  void endLeadership(Leadership leadership) {
    leaderships.remove(leadership.name(), leadership);
  }

  /** Who leads a name, asked of those concerned; empty where nobody is known to. */
  @CheckReturnValue
  public CompletableFuture<Optional<LeaderInfo>> leader(String name) {
    return lock(Leadership.lockOf(name))
        .info()
        .thenApply(
            info ->
                info.holder()
                    .map(holder -> new LeaderInfo(holder.member(), info.fence(), holder.since())));
  }

  /**
   * Has somebody told who leads a name, now and when somebody else does, until the watch is closed,
   * on a thread for callbacks. Members are asked for it five times in a lease: one who leads for a
   * shorter time may be missed.
   */
  @CheckReturnValue
  public LeaderWatch onNewLeader(String name, Consumer<LeaderInfo> listener) {
    Objects.requireNonNull(listener);
    Leadership.lockOf(name); // which refuses a name that is none
    LeaderWatch watch = new LeaderWatch(this, name);
    watch.add(listener);
    return watch;
  }

  /** Has somebody hear what happens at this member from now on. */
  public void addListener(BatonListener listener) {
    Objects.requireNonNull(listener);
    listeners.add(listener);
    Listeners alone = new Listeners();
    alone.add(listener);
    host.observeBy(listeners, first -> first.accept(alone));
  }

  /** It hears nothing more, but for what is being told just now. */
  public void removeListener(BatonListener listener) {
    listeners.remove(listener);
    if (!listeners.isAny()) {
      host.observeNoMore();
      if (listeners.isAny()) { // another came at that moment
        host.observeBy(listeners, nothing -> {});
      }
    }
  }

  /** Locks in use, as far as this member has a part in them; nobody else is asked. */
  public List<LockInfo> locks() {
    Set<String> others =
        host.view().places().stream().map(place -> place.peer().id()).collect(Collectors.toSet());
    others.remove(id());
    return LockInfo.of(new LockReports(LockReport.of(host), Set.of(id()), others), config);
  }

  /**
   * Locks in use anywhere, asked of all members. Of one that does not answer within two seconds
   * nothing is known, and what it alone holds is not listed: that a lock is missing here does not
   * tell that it is free ({@link BatonLock#info} tells). Of one with more to tell than its
   * connection takes, not all.
   */
  public CompletableFuture<List<LockInfo>> locksEverywhere() {
    return shell.locks().thenApply(reports -> LockInfo.of(reports, config));
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

  /**
   * Has a member vote in the place of a voter. That is done within moments where all is well;
   * {@link #status} shows it.
   *
   * @throws BatonException if it cannot be done, with the reason; at all members but the one that
   *     leads the voters
   */
  public void exchangeVoter(String voter, String newcomer) {
    refuse(host.exchangeVoter(voter, newcomer));
  }

  /**
   * Has nobody become a voter or cease to be one by itself, until that is taken back. Voters that
   * are away or leave are not exchanged meanwhile.
   *
   * @throws BatonException if that cannot be agreed on, with the reason; at all members but the one
   *     that leads the voters
   */
  public void freezeVoters(boolean freeze) {
    refuse(host.freezeVoters(freeze));
  }

  private void refuse(@Nullable String why) {
    if (why != null) {
      String leader = shell.standing().leader();
      boolean elsewhere = leader != null && !leader.equals(id());
      throw new BatonException(
          "Cannot change who votes: " + why + (elsewhere ? "; " + leader + " leads: ask it" : ""));
    }
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
        standing.frozen(),
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
    closed = true;
    endLeaderships();
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
    long nanos = Checks.limit("The time to wait for holds to end", patience);
    leaderships.values().forEach(Leadership::closeWithMember); // which take what time they need
    boolean idle = host.drain(nanos);
    close();
    return idle;
  }

  /** Who leads is told that this is over before another can be elected; for a lease at most. */
  private void endLeaderships() {
    long end = System.nanoTime() + host.origin().settings().lease();
    List<Leadership> all = List.copyOf(leaderships.values());
    all.forEach(Leadership::closeWithMember);
    all.forEach(leadership -> leadership.awaitRevoked(end));
  }

  Host host() {
    return host;
  }

  Shell shell() {
    return shell;
  }

  BatonConfig config() {
    return config;
  }

  Listeners listeners() {
    return listeners;
  }

  boolean isClosed() {
    return closed;
  }

  Owners owners() {
    return owners;
  }

  /** A loss in words, and how to go on. */
  String lossOf(Hold hold, LossReason reason, String advice) {
    String why =
        switch (reason) {
          case PARTITIONED ->
              "member " + id() + " could not renew its lease of " + seconds() + " s in time";
          case EVICTED -> "the others went on without member " + id();
          case FORCED -> "somebody forced its release";
          case EXPIRED -> "the time is over for which it was taken";
          case STEPPED_DOWN -> "its leader stepped down";
          case CLOSED -> "member " + id() + " leaves its cluster";
        };
    return "Lock \""
        + hold.lock()
        + "\" was lost, as seen at "
        + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS)
        + ": "
        + why
        + ". "
        + advice
        + "Fence "
        + hold.fence()
        + " is no longer valid.";
  }

  private double seconds() {
    return host.origin().settings().lease() / 1e9;
  }
}
