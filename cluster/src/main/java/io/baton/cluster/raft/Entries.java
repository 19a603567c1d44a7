package io.baton.cluster.raft;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.AtomicFileOutputStream;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;

/** Hands committed entries to the host, and keeps the host's state in snapshot files. */
final class Entries extends BaseStateMachine {
  /** First byte of a snapshot file; without it an empty state would be an empty file. */
  private static final byte FORMAT = 1;

  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private final RatisLog.Listener listener;
  private final Supplier<byte[]> state;
  private final Floor floor;
  private final BiConsumer<String, @Nullable Throwable> failed;
  private volatile @Nullable RaftServer server;
  private volatile long leaderTerm = -1;

  Entries(
      RatisLog.Listener listener,
      Supplier<byte[]> state,
      Floor floor,
      BiConsumer<String, @Nullable Throwable> failed) {
    this.listener = listener;
    this.state = state;
    this.floor = floor;
    this.failed = failed;
  }

  @Override
  public void initialize(RaftServer raftServer, RaftGroupId groupId, RaftStorage raftStorage)
      throws IOException {
    getLifeCycle()
        .startAndTransition(
            () -> {
              super.initialize(raftServer, groupId, raftStorage);
              server = raftServer;
              storage.init(raftStorage);
              load();
            },
            IOException.class);
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    getLifeCycle()
        .startAndTransition(
            () -> {
              storage.loadLatestSnapshot();
              load();
            },
            IOException.class);
  }

  private void load() throws IOException {
    SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
    if (latest == null) {
      return;
    }
    File file = latest.getFile().getPath().toFile();
    if (!latest.hasMd5()) {
      throw new IOException("Damaged snapshot: no checksum beside " + file);
    }
    MD5FileUtil.verifySavedMD5(file, MD5FileUtil.computeMd5ForFile(file));
    byte[] content = Files.readAllBytes(file.toPath());
    if (content.length == 0 || content[0] != FORMAT) {
      throw new IOException("Damaged snapshot: unknown format in " + file);
    }
    // Ratis does not sync the files of a snapshot that the leader sent.
    try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    setLastAppliedTermIndex(latest.getTermIndex());
    raiseFloor(latest.getIndex(), latest.getTerm());
    listener.restored(latest.getIndex(), Arrays.copyOfRange(content, 1, content.length));
  }

  @Override
  public long takeSnapshot() throws IOException {
    TermIndex last = getLastAppliedTermIndex();
    if (last.getIndex() < 0) {
      return RaftLog.INVALID_LOG_INDEX;
    }
    File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
    byte[] content = state.get();
    try (OutputStream out = new AtomicFileOutputStream(file)) {
      out.write(FORMAT);
      out.write(content);
    }
    MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file);
    storage.updateLatestSnapshot(
        new SingleFileSnapshotInfo(
            new FileInfo(file.toPath(), digest), last.getTerm(), last.getIndex()));
    return last.getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public SingleFileSnapshotInfo getLatestSnapshot() {
    return storage.getLatestSnapshot();
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    listener.applied(
        entry.getIndex(),
        entry.getTerm(),
        entry.getStateMachineLogEntry().getLogData().toByteArray());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    raiseFloor(entry.getIndex(), entry.getTerm());
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    super.notifyTermIndexUpdated(term, index);
    raiseFloor(index, term);
  }

  private void raiseFloor(long index, long term) {
    try {
      if (index > floor.index()) {
        floor.raise(index, term);
      }
    } catch (IOException e) {
      failed.accept("The floor could not be written", e);
    }
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
    // The term is read here, under Ratis's lock, for by the time of notifyLeaderReady it may be
    // that of another leader.
    if (member.getPeerId().equals(leader)) {
      try {
        RaftServer mine = Objects.requireNonNull(server);
        leaderTerm = mine.getDivision(getGroupId()).getInfo().getCurrentTerm();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void notifyLeaderReady() {
    listener.elected(leaderTerm);
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    listener.deposed();
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    failed.accept("The log could not be written", cause);
  }

  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean allServer) {
    if (!allServer) {
      listener.removed();
    }
  }

  /** Ratis also stops by itself, where a leader removed itself or an entry could not be applied. */
  @Override
  public void close() {
    failed.accept("it has stopped", null);
  }
}
