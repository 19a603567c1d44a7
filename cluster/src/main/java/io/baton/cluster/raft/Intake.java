package io.baton.cluster.raft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogProtoUtils;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.AtomicFileOutputStream;

/**
 * Gives Ratis what leaders send, on the thread that handles their requests, and sees to it that it
 * knows who votes. Left to itself, Ratis 3.3.0 loses track of that: it could come to lead by the
 * voters of long ago, beside another leader, or say that entries are written which are not.
 */
final class Intake {
  private static final String VOTERS = "raft-meta.conf"; // as Ratis calls the file
  private static final long READING_NANOS = 10_000_000_000L;

  private final RaftServer server;
  private final Calls.Host host;
  private CompletableFuture<?> writing = CompletableFuture.completedFuture(null);
  private volatile boolean unsure; // whether it still knows who votes
  private volatile boolean closed;

  Intake(RaftServer server, Calls.Host host) {
    this.server = server;
    this.host = host;
  }

  RaftServer.Division division() throws IOException {
    return server.getDivision(server.getGroupIds().iterator().next());
  }

  /** Whether nothing is being written. */
  boolean isIdle() {
    return writing.isDone();
  }

  /** Whether it may not know who votes; to be asked from any thread. */
  boolean isUnsure() {
    return unsure;
  }

  void close() {
    closed = true;
  }

  // Entries.

  /**
   * Takes entries, when those before are written: Ratis takes them for written together with any
   * that begin at the same index.
   *
   * <p>Where Ratis gives up entries for those of a message, it forgets who votes by that message;
   * and by one that does not reach as far, who votes by later entries or by a snapshot. So the log
   * comes to a stop, and is opened again: then it has them from its files. Until it is known
   * whether that is so, it wins no election.
   */
  CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto request)
      throws IOException {
    if (request.getEntriesCount() == 0) {
      return server.appendEntriesAsync(request);
    }
    awaitWritten();
    RaftServer.Division mine = division();
    RaftConfiguration before = mine.getRaftConf();
    boolean givesUp = givesUpEntries(mine.getRaftLog(), request);
    RaftConfiguration expected = votersAfter(request, givesUp, before);
    unsure = givesUp || before.getLogEntryIndex() >= request.getEntries(0).getIndex();
    CompletableFuture<AppendEntriesReplyProto> written;
    try {
      written = server.appendEntriesAsync(request);
    } catch (IOException | RuntimeException e) {
      unsure = !isSame(before, mine.getRaftConf());
      if (unsure) {
        stop("entries could not be written: " + e.getMessage());
      }
      throw e;
    }
    written =
        written.whenComplete(
            (reply, failure) -> {
              boolean success = failure == null && reply.getResult() == AppendResult.SUCCESS;
              if (failure != null) {
                stop("entries could not be written: " + failure.getMessage());
              } else if (success && hasLost(mine, expected)) {
                stop("it opens its log again, to know who votes");
              } else {
                unsure = false;
              }
            });
    writing = written;
    return written;
  }

  private void awaitWritten() throws IOException {
    try {
      writing.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The log is being closed");
    } catch (ExecutionException e) {
      throw new IOException("The log comes to a stop", e);
    }
    if (!host.works().getAsBoolean()) { // by what was written
      throw new IOException("The log comes to a stop");
    }
  }

  private static boolean givesUpEntries(RaftLog log, AppendEntriesRequestProto request) {
    return request.getEntriesList().stream()
        .anyMatch(
            entry -> {
              TermIndex mine = log.getTermIndex(entry.getIndex());
              return mine != null && mine.getTerm() != entry.getTerm();
            });
  }

  /** Who votes by its log once it has these entries, or by a snapshot that reaches further. */
  private static RaftConfiguration votersAfter(
      AppendEntriesRequestProto request, boolean givesUp, RaftConfiguration before) {
    long end = request.getEntries(request.getEntriesCount() - 1).getIndex();
    Optional<RaftConfiguration> last =
        request.getEntriesList().stream()
            .filter(LogEntryProto::hasConfigurationEntry)
            .reduce((former, later) -> later)
            .map(LogProtoUtils::toRaftConfiguration);
    return !givesUp && before.getLogEntryIndex() > end ? before : last.orElse(before);
  }

  /** Whether others vote than expected. */
  private static boolean hasLost(RaftServer.Division mine, RaftConfiguration expected) {
    synchronized (mine) { // while Ratis changes them, they may seem to be those of before
      RaftConfiguration present = mine.getRaftConf();
      return present.getLogEntryIndex() < expected.getLogEntryIndex() && !isSame(present, expected);
    }
  }

  private static boolean isSame(RaftConfiguration one, RaftConfiguration other) {
    return names(one.getCurrentPeers()).equals(names(other.getCurrentPeers()))
        && names(one.getPreviousPeers()).equals(names(other.getPreviousPeers()));
  }

  private static Set<RaftPeerId> names(Collection<RaftPeer> peers) {
    return peers.stream().map(RaftPeer::getId).collect(Collectors.toSet());
  }

  private void stop(String reason) {
    host.stop().accept(reason);
  }

  // Snapshots.

  /**
   * Takes a snapshot, or a part of it. Ratis reads it later, and until then takes its log for as
   * short as before, should it be asked for its vote: so this waits for it. Where it has another
   * entry in the place of the snapshot's last one, it keeps that; where its log goes on after it,
   * it would write the next entry as if the log ended there. So the log is opened again, which is
   * enough for the latter; of the former, {@link LogCheck} deletes what is wrong.
   */
  InstallSnapshotReplyProto install(InstallSnapshotRequestProto request) throws IOException {
    awaitWritten();
    InstallSnapshotRequestProto sound = takesVoters(request) ? request : withoutVoters(request);
    boolean done = request.getSnapshotChunk().getDone();
    TermIndex end = TermIndex.valueOf(request.getSnapshotChunk().getTermIndex());
    boolean voters = done && sound.hasLastRaftConfigurationLogEntryProto();
    if (voters) {
      keepVoters(sound.getLastRaftConfigurationLogEntryProto());
    }
    boolean other = hasOther(end);
    InstallSnapshotReplyProto reply = server.installSnapshot(sound);
    boolean taken = done && reply.getResult() == InstallSnapshotResult.SUCCESS;
    if (taken) {
      awaitRead(end.getIndex());
      if (voters) { // what was being applied meanwhile may have written those of before
        keepVoters(sound.getLastRaftConfigurationLogEntryProto());
      }
    }
    if (taken || reply.getResult() == InstallSnapshotResult.ALREADY_INSTALLED) {
      if (other || hasOther(end)) {
        stop("it has entries that are not in the snapshot, and opens its log again without them");
        throw new IOException("The log has other entries");
      }
    }
    if (taken && goesOnAfter(end)) {
      stop("its log goes on after the snapshot that it took, and is opened again");
      throw new IOException("The log goes on after the snapshot");
    }
    return reply;
  }

  private boolean goesOnAfter(TermIndex entry) throws IOException {
    TermIndex last = division().getRaftLog().getLastEntryTermIndex();
    return last != null && last.getIndex() > entry.getIndex();
  }

  private boolean hasOther(TermIndex entry) throws IOException {
    TermIndex mine = division().getRaftLog().getTermIndex(entry.getIndex());
    return mine != null && mine.getTerm() != entry.getTerm();
  }

  /**
   * Whether the voters that come with a snapshot are to be taken. Ratis takes any: also those of a
   * leader that is none any more, and those before the ones that it has.
   */
  private boolean takesVoters(InstallSnapshotRequestProto request) throws IOException {
    RaftServer.Division mine = division();
    DivisionInfo info = mine.getInfo();
    long term = request.getLeaderTerm();
    RaftPeerId leader = RaftPeerId.valueOf(request.getServerRequest().getRequestorId());
    RaftPeerId known = term == info.getCurrentTerm() ? info.getLeaderId() : null;
    if (term < info.getCurrentTerm() || (known != null && !known.equals(leader))) {
      return false;
    }
    long theirs = request.getLastRaftConfigurationLogEntryProto().getIndex();
    long present = mine.getRaftConf().getLogEntryIndex();
    boolean here =
        request.getSnapshotChunk().getTermIndex().getIndex()
            <= mine.getRaftLog().getLastCommittedIndex();
    boolean certain = present <= host.applied().getAsLong();
    return theirs >= present || !(here || certain);
  }

  private static InstallSnapshotRequestProto withoutVoters(InstallSnapshotRequestProto request) {
    return request.toBuilder().clearLastRaftConfigurationLogEntryProto().build();
  }

  /**
   * Ratis writes the voters after the snapshot: a crash in between would leave it with a late log
   * and the voters of long ago. Late voters and an early log do no harm.
   */
  private void keepVoters(LogEntryProto voters) throws IOException {
    Path file = host.folder().resolve(VOTERS);
    boolean later =
        !Files.exists(file)
            || LogEntryProto.parseFrom(Files.readAllBytes(file)).getIndex() < voters.getIndex();
    if (later) {
      try (OutputStream out = new AtomicFileOutputStream(file.toFile())) {
        voters.writeTo(out);
      }
    }
  }

  private void awaitRead(long end) throws IOException {
    long start = System.nanoTime();
    while (division().getStateMachine().getLastAppliedTermIndex().getIndex() < end && !closed) {
      if (System.nanoTime() - start > READING_NANOS) {
        stop("a snapshot was not read");
        throw new IOException("The snapshot was not read");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Who votes by the last such entry that is certain, to be sent with a snapshot: one that is not
   * might be given up, and the taker would have it in its files for ever.
   */
  LogEntryProto certainVoters() throws IOException {
    LogEntryProto voters =
        LogEntryProto.parseFrom(Files.readAllBytes(host.folder().resolve(VOTERS)));
    if (voters.getIndex() > host.applied().getAsLong()) {
      throw new IOException("It is not certain who votes");
    }
    return voters;
  }
}
