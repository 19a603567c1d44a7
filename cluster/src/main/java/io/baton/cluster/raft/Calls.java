package io.baton.cluster.raft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.TimeoutIOException;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ratis's calls between servers, as messages over a {@link RatisLog.Post}: one kind byte, the
 * call's number, then the protobuf. A reply that comes after its call timed out is dropped.
 */
final class Calls implements RaftServerRpc {
  static final byte VOTE = 1;
  static final byte APPEND = 2;
  static final byte INSTALL = 3;
  static final byte START_ELECTION = 4;
  static final byte REPLY = 5;
  static final byte LACKING = 6; // what follows is for Relay
  static final byte LACKING_ENTRIES = 7;
  static final byte LACKING_STATE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Calls.class);
  private static final String KEY = "raft.baton.host";
  private static final int WAITING_REQUESTS = 256;
  private static final long CLOSING_SECONDS = 5;

  /**
   * What the calls of one server need.
   *
   * @param post where they go
   * @param folder where Ratis keeps its votes and voters
   * @param election how long one waits at least
   * @param applied up to which entry all is certain, and applied
   * @param stop what ends the log, with a reason
   * @param works whether it has not ended yet, and has room; may take long
   */
  record Host(
      RatisLog.Post post,
      Path folder,
      Duration election,
      LongSupplier applied,
      Consumer<String> stop,
      BooleanSupplier works) {
    Duration callTimeout() {
      return election.dividedBy(2);
    }

    Duration snapshotTimeout() {
      return election.multipliedBy(4);
    }

    Parameters toParameters() {
      Parameters parameters = new Parameters();
      parameters.put(KEY, this, Host.class);
      return parameters;
    }
  }

  /** Named in the properties of the server; Ratis makes an instance by reflection. */
  public static final class Type implements RpcType {
    @Override
    public String name() {
      return Type.class.getName();
    }

    @Override
    public ServerFactory newFactory(Parameters parameters) {
      Host host = parameters.getNonNull(KEY, Host.class);
      return new ServerFactory() {
        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
          return new Calls(server, host);
        }

        @Override
        public LogAppender newLogAppender(
            RaftServer.Division division, LeaderState leader, FollowerInfo follower) {
          return LogAppender.newLogAppenderDefault(lockedApart(division), leader, follower);
        }

        @Override
        public RpcType getRpcType() {
          return Type.this;
        }
      };
    }
  }

  /**
   * The same server as another object. An appender that hears of a later term locks its server,
   * which a leader that steps down has locked while it waits for its appenders: both then hang for
   * five seconds, and do not vote meanwhile. What the appender does there needs no lock.
   */
  private static RaftServer.Division lockedApart(RaftServer.Division division) {
    return (RaftServer.Division)
        Proxy.newProxyInstance(
            RaftServer.Division.class.getClassLoader(),
            new Class<?>[] {RaftServer.Division.class},
            (proxy, method, arguments) -> {
              try {
                return method.invoke(division, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  private final RaftServer server;
  private final Host host;
  private final Intake intake;
  private final Relay relay;
  private final AtomicLong lastCall = new AtomicLong(ThreadLocalRandom.current().nextLong());
  private final Map<Long, CompletableFuture<byte[]>> calls = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor handler;
  private volatile boolean closed;

  private Calls(RaftServer server, Host host) {
    this.server = server;
    this.host = host;
    this.intake = new Intake(server, host);
    this.relay = new Relay(intake, host, this::send);
    this.handler =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_REQUESTS),
            work -> {
              Thread thread = new Thread(work, "baton-log-requests");
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Takes a message from another server without blocking. */
  void receive(String fromId, byte[] message) {
    if (closed || message.length < 9) {
      return;
    }
    byte kind = message[0];
    long call = ByteBuffer.wrap(message).getLong(1);
    if (kind == REPLY) {
      CompletableFuture<byte[]> waiting = calls.remove(call);
      if (waiting != null) {
        waiting.complete(message);
      }
    } else {
      handler.execute(() -> handle(kind, call, fromId, message));
    }
  }

  private void handle(byte kind, long call, String fromId, byte[] message) {
    if (!host.works.getAsBoolean()) { // though Ratis may go on for a moment
      return;
    }
    try {
      ByteBuffer body = ByteBuffer.wrap(message, 9, message.length - 9);
      switch (kind) {
        case VOTE -> {
          RequestVoteRequestProto request = RequestVoteRequestProto.parseFrom(body);
          check(fromId, request.getServerRequest());
          try {
            relay.asked(fromId, request);
          } catch (IOException | RuntimeException e) {
            LOG.debug("Cannot see to it that {} gets a vote", fromId, e);
          }
          RequestVoteReplyProto vote = server.requestVote(request);
          keepVote(request);
          reply(fromId, call, vote);
        }
        case APPEND -> {
          AppendEntriesRequestProto request = AppendEntriesRequestProto.parseFrom(body);
          check(fromId, request.getServerRequest());
          relay.hears(request.getLeaderTerm());
          var unused =
              intake
                  .append(request)
                  .whenComplete(
                      (reply, failure) -> {
                        if (failure == null) {
                          reply(fromId, call, reply);
                        } else {
                          LOG.debug("A request of {} failed", fromId, failure);
                        }
                      });
        }
        case INSTALL -> {
          InstallSnapshotRequestProto request = InstallSnapshotRequestProto.parseFrom(body);
          check(fromId, request.getServerRequest());
          relay.hears(request.getLeaderTerm());
          reply(fromId, call, intake.install(request));
        }
        case START_ELECTION -> {
          StartLeaderElectionRequestProto request = StartLeaderElectionRequestProto.parseFrom(body);
          check(fromId, request.getServerRequest());
          reply(fromId, call, server.startLeaderElection(request));
        }
        case LACKING -> relay.helpAfter(fromId, body);
        case LACKING_ENTRIES -> relay.take(fromId, AppendEntriesRequestProto.parseFrom(body));
        case LACKING_STATE -> relay.take(fromId, InstallSnapshotRequestProto.parseFrom(body));
        default -> LOG.debug("Unknown message kind {} from {}", kind, fromId);
      }
    } catch (IOException | RuntimeException e) {
      // No answer: the caller's time-out keeps it from asking again at once.
      LOG.debug("A request of {} failed", fromId, e);
    }
  }

  /**
   * A vote must outlast the loss of power: Ratis writes it to a file, which it then renames. That
   * is certain once the folder is written.
   */
  private void keepVote(RequestVoteRequestProto request) throws IOException {
    if (!request.getPreVote()) {
      try (FileChannel folder = FileChannel.open(host.folder, StandardOpenOption.READ)) {
        folder.force(true);
      }
    }
  }

  private static void check(String fromId, RaftRpcRequestProto request) throws IOException {
    if (!request.getRequestorId().toStringUtf8().equals(fromId)) {
      throw new IOException("A request of another server came from " + fromId);
    }
  }

  private void reply(String toId, long call, MessageLite reply) {
    send(toId, REPLY, call, reply.toByteArray());
  }

  /** Sends what is no call. */
  private void send(String toId, byte kind, byte[] body) {
    send(toId, kind, lastCall.incrementAndGet(), body);
  }

  private void send(String toId, byte kind, long call, byte[] body) {
    if (!closed) {
      host.post.send(
          toId, ByteBuffer.allocate(9 + body.length).put(kind).putLong(call).put(body).array());
    }
  }

  private <T> T call(
      byte kind,
      RaftRpcRequestProto header,
      MessageLite request,
      Parser<T> parser,
      Duration timeout)
      throws IOException {
    long call = lastCall.incrementAndGet();
    CompletableFuture<byte[]> waiting = new CompletableFuture<>();
    calls.put(call, waiting);
    String toId = header.getReplyId().toStringUtf8();
    try {
      send(toId, kind, call, request.toByteArray());
      byte[] reply = waiting.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (!host.works.getAsBoolean()) { // and must not write what it learns from that
        throw new IOException("The log is closed");
      }
      return parser.parseFrom(ByteBuffer.wrap(reply, 9, reply.length - 9));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while calling " + toId);
    } catch (TimeoutException e) {
      throw new TimeoutIOException("No reply from " + toId);
    } catch (ExecutionException e) {
      throw new IOException("The log is closed", e);
    } finally {
      calls.remove(call);
    }
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    keepVote(request); // its own
    RequestVoteReplyProto vote =
        call(
            VOTE,
            request.getServerRequest(),
            request,
            RequestVoteReplyProto.parser(),
            host.callTimeout());
    if (intake.isUnsure() || !host.works.getAsBoolean()) { // the log may have ended just now
      throw new IOException("Not certain who votes");
    }
    return vote;
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    return call(
        APPEND,
        request.getServerRequest(),
        request,
        AppendEntriesReplyProto.parser(),
        host.callTimeout());
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return call(
        INSTALL,
        request.getServerRequest(),
        request.toBuilder().setLastRaftConfigurationLogEntryProto(intake.certainVoters()).build(),
        InstallSnapshotReplyProto.parser(),
        host.snapshotTimeout());
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return call(
        START_ELECTION,
        request.getServerRequest(),
        request,
        StartLeaderElectionReplyProto.parser(),
        host.callTimeout());
  }

  @Override
  public void start() {}

  @Override
  public void close() {
    closed = true;
    intake.close();
    handler.shutdownNow();
    awaitHandler(); // what it writes must not meet what the log writes once it is opened again
    calls.values().forEach(call -> call.completeExceptionally(new IOException("closed")));
  }

  private void awaitHandler() {
    try {
      if (!handler.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("A request is still being handled");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public @Nullable InetSocketAddress getInetSocketAddress() {
    return null;
  }

  @Override
  public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {}

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {}

  @Override
  public void addRaftPeers(RaftPeer... peers) {}

  @Override
  public RpcType getRpcType() {
    return new Type();
  }
}
