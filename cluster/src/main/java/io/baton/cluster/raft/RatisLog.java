package io.baton.cluster.raft;

import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that a few voters agree on, on Apache Ratis. Its servers have no ports: their calls travel
 * as messages of the host, which may get lost.
 */
public final class RatisLog implements AutoCloseable {
  /** Takes messages to other voters; never blocks. */
  @FunctionalInterface
  public interface Post {
    /** Sends a message; it may get lost. */
    void send(String to, byte[] message);
  }

  /** What the log tells, on threads of its own. */
  public interface Listener {
    /** This voter leads. */
    void elected(long term);

    /** It leads no more. */
    void deposed();

    /** The next entry. */
    void applied(long index, long term, byte[] entry);

    /** What the entries so far amount to, in their stead. */
    void restored(long index, byte[] state);

    /** A majority has said, since it was asked, that the term stands. */
    void confirmed(long term, long batch);

    /** The others took this voter out, or have not yet told it that they count on it. */
    void removed();

    /** The log came to a stop, and takes part in nothing any more. */
    void failed(String reason);
  }

  /**
   * What a log is told.
   *
   * @param folder where it is kept
   * @param self this voter
   * @param id of the log itself
   * @param fresh whether there must be none yet; else there must be one
   * @param alone whether this voter is the first; else a fresh one waits until it is added
   * @param election the shortest time without a leader before another is elected; twice that is the
   *     longest
   */
  public record Setup(
      Path folder, String self, UUID id, boolean fresh, boolean alone, Duration election) {}

  /** Something asked of Ratis. */
  private interface Call {
    /** Asks it, under a number. */
    CompletableFuture<RaftClientReply> make(long number) throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);
  private static final long LEAST_FREE = 1 << 20; // bytes on the disk
  private static final String FLOOR = "floor";
  private static final long CLOSING_NANOS = 10_000_000_000L;
  static final String CURRENT = "current"; // as Ratis calls the folder of its files

  private final Setup setup;
  private final File disk;
  private final Floor floor;
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final RaftPeerId id;
  private final RaftGroupId group;
  private final Listener listener;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong lastCall = new AtomicLong();
  private final RaftServer server;
  private final RaftServer.Division division;
  private final Calls calls;
  private final Terms terms;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread made = new Thread(task, "baton-log");
            made.setDaemon(true);
            return made;
          });

  /**
   * A log that is not started yet: from then on its listener is told things.
   *
   * @param state what the entries so far amount to, at most 48 KiB
   * @throws IOException if the folder is not as told, or damaged
   */
  public RatisLog(Setup setup, Post post, Listener listener, Supplier<byte[]> state)
      throws IOException {
    this.setup = setup;
    this.id = RaftPeerId.valueOf(setup.self());
    this.group = RaftGroupId.valueOf(setup.id());
    this.listener = listener;
    this.disk = setup.folder().toFile();
    Path kept = setup.folder().resolve(setup.id().toString());
    this.floor = openFloor(kept);
    try {
      checkSpace();
    } catch (IOException e) {
      floor.close();
      throw e;
    }
    boolean format = setup.fresh() || !Files.exists(kept); // it may have ended before it began
    try {
      server =
          RaftServer.newBuilder()
              .setServerId(id)
              .setGroup(
                  RaftGroup.valueOf(
                      group, setup.alone() ? peers(List.of(setup.self())) : List.of()))
              .setOption(format ? StartupOption.FORMAT : StartupOption.RECOVER)
              .setProperties(LogSettings.of(setup))
              .setParameters(
                  new Calls.Host(
                          post,
                          kept.resolve(CURRENT),
                          setup.election(),
                          floor::index,
                          this::stop,
                          this::works)
                      .toParameters())
              .setStateMachineRegistry(any -> new Entries(listener, state, floor, this::stop))
              .build();
      calls = (Calls) server.getServerRpc();
      division = server.getDivision(group);
      terms = new Terms(id, division, post, listener);
    } catch (IOException | RuntimeException e) {
      floor.close();
      throw cannotOpen(e);
    } catch (Error e) {
      floor.close();
      throw e;
    }
  }

  /** Begins to take part. Who closes it meanwhile waits: Ratis would be left half alive. */
  public synchronized void start() throws IOException {
    if (stopped.get()) {
      throw new IOException("The log was closed before it began");
    }
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      close();
      throw cannotOpen(e);
    } catch (Error e) {
      close();
      throw e;
    }
  }

  private IOException cannotOpen(Exception e) {
    return new IOException(
        "Cannot open the log in %s: %s. If that cannot be mended: Delete this member's data folder,"
                .formatted(setup.folder(), reasons(e))
            + " and it comes back as a new one; but never those of half of the voters or more",
        e);
  }

  private static String reasons(Throwable failure) {
    StringBuilder reasons = new StringBuilder();
    for (Throwable e = failure; e != null; e = e.getCause()) {
      reasons.append(reasons.isEmpty() ? "" : "; ").append(e.getMessage());
      if (e instanceof AccessDeniedException) { // which says no more than what it is about
        reasons.append(": permission denied");
      }
    }
    return reasons.toString();
  }

  private Floor openFloor(Path kept) throws IOException {
    Path file = setup.folder().resolve(FLOOR);
    if (setup.fresh()) {
      if (Files.exists(kept) || Files.exists(file)) {
        throw new IOException("There is a log already in " + setup.folder());
      }
      Files.createDirectories(setup.folder());
      return Floor.create(file);
    }
    if (!Files.exists(file)) {
      throw cannotOpen(new IOException("it is gone"));
    }
    Floor opened;
    try {
      opened = Floor.open(file);
    } catch (IOException e) {
      throw cannotOpen(e);
    }
    try {
      if (opened.index() >= 0 || Files.exists(kept)) {
        LogCheck.check(kept, LogSettings.MESSAGE_SIZE, opened);
      }
      return opened;
    } catch (IOException | RuntimeException e) {
      opened.close();
      throw cannotOpen(e);
    } catch (Error e) {
      opened.close();
      throw e;
    }
  }

  /** A full disk makes Ratis replace its term and vote by an empty file: it must not get there. */
  private void checkSpace() throws IOException {
    if (!disk.isDirectory()) {
      throw new IOException(disk + " is gone");
    }
    if (disk.getUsableSpace() < LEAST_FREE) {
      throw new IOException("less than " + LEAST_FREE + " bytes are free on the disk of " + disk);
    }
  }

  /** Whether the log still works; where the disk is nearly full it stops here. May take long. */
  private boolean works() {
    if (!stopped.get()) {
      try {
        checkSpace();
        return !stopped.get(); // it may have ended meanwhile
      } catch (IOException e) {
        stop(String.valueOf(e.getMessage()), e);
      }
    }
    return false;
  }

  private void stop(String reason, @Nullable Throwable cause) {
    if (stopped.compareAndSet(false, true)) {
      LOG.debug("The log stops: {}", reason, cause);
      listener.failed(reason); // before it can be opened once more
      Thread closing = new Thread(this::closeServer, "baton-log-stop");
      closing.setDaemon(true);
      closing.start();
    }
  }

  private static List<RaftPeer> peers(Collection<String> ids) {
    return ids.stream().map(peer -> RaftPeer.newBuilder().setId(peer).build()).toList();
  }

  /**
   * Proposes an entry; it is lost unless this voter leads. On a thread of its own: Ratis waits for
   * its own lock, which it holds while it tells its listener things.
   */
  public void propose(byte[] entry) {
    later(() -> submit(entry));
  }

  /** Does something on the log's thread; false: it is closed. */
  private boolean later(Runnable task) {
    try {
      thread.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("The log is closed", e);
      return false;
    }
  }

  private void submit(byte[] entry) {
    if (!works()) {
      return;
    }
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(id)
            .setGroupId(group)
            .setCallId(lastCall.incrementAndGet())
            .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(entry)))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    try {
      var unused = server.submitClientRequestAsync(request);
    } catch (IOException e) {
      LOG.debug("An entry is lost", e);
    }
  }

  /**
   * How often the log is to grow while the voters change: seldom enough that Ratis, between two
   * entries, looks whether a newcomer has fallen silent. It does where nothing has happened for the
   * longest election.
   */
  public static Duration growth(Duration election) {
    return election.multipliedBy(3);
  }

  /**
   * Adds one voter or takes one out, where this one leads and these vote now. Not both in one step:
   * any majority of the voters before must meet any of those after, for when the lead changes in
   * between Ratis goes on with those after alone (its StartupLogEntry has no old configuration).
   */
  public CompletableFuture<Void> changeVoters(List<String> now, List<String> next) {
    Set<String> differing = new HashSet<>(next);
    for (String voter : now) {
      if (!differing.remove(voter)) {
        differing.add(voter);
      }
    }
    if (differing.size() != 1) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException("Not one voter more or less: " + differing));
    }
    SetConfigurationRequest.Arguments change =
        SetConfigurationRequest.Arguments.newBuilder()
            .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
            .setServersInCurrentConf(peers(now))
            .setServersInNewConf(peers(next))
            .build();
    return call(number ->
            server.setConfigurationAsync(
                new SetConfigurationRequest(client, id, group, number, change)))
        .thenAccept(
            reply -> {
              if (!reply.isSuccess()) {
                throw new IllegalStateException(String.valueOf(reply.getException()));
              }
            });
  }

  /**
   * Has another voter lead instead of this one, which is about to leave; done when it does. Sooner
   * than by an election, which begins when nothing was heard from this one for a while.
   */
  public CompletableFuture<Void> handOver(String to, Duration limit) {
    return call(number ->
            server.transferLeadershipAsync(
                new TransferLeadershipRequest(
                    client, id, group, number, RaftPeerId.valueOf(to), limit.toMillis())))
        .handle(
            (reply, failure) -> {
              LOG.debug("Asked {} to take over: {}", to, reply, failure);
              return null;
            });
  }

  /** Asks Ratis something, on the log's thread. */
  private CompletableFuture<RaftClientReply> call(Call call) {
    CompletableFuture<RaftClientReply> answer = new CompletableFuture<>();
    boolean begun =
        later(
            () -> {
              try {
                var unused =
                    call.make(lastCall.incrementAndGet())
                        .whenComplete(
                            (reply, failure) -> {
                              if (failure == null) {
                                answer.complete(reply);
                              } else {
                                answer.completeExceptionally(failure);
                              }
                            });
              } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    if (!begun) {
      answer.completeExceptionally(new IOException("The log is closed"));
    }
    return answer;
  }

  /** Asks all voters whether this is still their term; {@link Terms} says what that tells. */
  public void confirm(long term, long batch) {
    later(() -> terms.ask(term, batch));
  }

  /** Takes a message that another voter sent; never blocks. */
  public void receive(String from, byte[] message) {
    if (message.length == 0 || stopped.get()) {
      return;
    }
    if (Terms.isKnown(message)) {
      terms.receive(from, message);
    } else {
      calls.receive(from, message);
    }
  }

  /** Whether a message is a leader's or a candidate's, to one of whom it believes that it votes. */
  public static boolean isForAVoter(byte[] message) {
    return message.length > 0
        && (message[0] == Calls.APPEND || message[0] == Calls.INSTALL || message[0] == Calls.VOTE);
  }

  /** The voters; while they are being changed, those of before. */
  public List<String> voters() {
    RaftConfiguration latest = division.getRaftConf();
    Collection<RaftPeer> before = latest.getPreviousPeers();
    return (before.isEmpty() ? latest.getCurrentPeers() : before)
        .stream().map(peer -> peer.getId().toString()).sorted().toList();
  }

  /**
   * Whether it is not certain yet that these stay the voters, or not all has been applied that is
   * known to be certain.
   */
  public boolean isChanging() {
    RaftConfiguration latest = division.getRaftConf();
    long committed = division.getRaftLog().getLastCommittedIndex();
    return !latest.getPreviousPeers().isEmpty()
        || latest.getLogEntryIndex() > committed
        || division.getInfo().getLastAppliedIndex() < committed;
  }

  /**
   * For how long another voter has not answered, in nanoseconds; nothing is known, and this is 0,
   * where this voter does not lead.
   */
  public long silenceOf(String voter) {
    for (ServerRpcProto other :
        division.getInfo().getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
      if (other.getId().getId().toStringUtf8().equals(voter)) {
        return TimeUnit.MILLISECONDS.toNanos(other.getLastRpcElapsedTimeMs());
      }
    }
    return 0;
  }

  /** Whether somebody leads, as far as this voter knows. */
  public boolean hasLeader() {
    return division.getInfo().getLeaderId() != null;
  }

  /** Comes to a stop; it may be opened once more. */
  public void stop(String reason) {
    stop(reason, null);
  }

  /** Whether it takes part. */
  public boolean isOpen() {
    return !stopped.get();
  }

  /** Whether a log that came to a stop on a full disk may be opened once more. */
  public static boolean hasRoom(Path folder) {
    return folder.toFile().getUsableSpace() >= 2 * LEAST_FREE;
  }

  /** Whether this voter leads, as far as it knows. */
  public boolean isLeader() {
    return !stopped.get() && division.getInfo().isLeader();
  }

  @Override
  public void close() {
    stopped.set(true);
    closeServer();
  }

  private synchronized void closeServer() {
    thread.shutdown();
    try {
      server.close();
      awaitClosed();
      floor.close();
    } catch (IOException e) {
      LOG.warn("Cannot close the log in {}", setup.folder(), e);
    }
  }

  /** Where Ratis was closing its files already, by itself, it is not done yet. */
  private void awaitClosed() {
    long start = System.nanoTime();
    while (division.getInfo().getLifeCycleState() != LifeCycle.State.CLOSED
        && System.nanoTime() - start < CLOSING_NANOS) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
