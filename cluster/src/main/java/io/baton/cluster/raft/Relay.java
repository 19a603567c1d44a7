package io.baton.cluster.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.FileChunkProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogProtoUtils;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileChunkReader;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.util.LifeCycle;

/**
 * Tells a voter what it has to know before it can vote. In Raft a voter votes for whoever asks; in
 * Ratis for nobody that its own configuration does not name, and not at all while that one does not
 * name itself. It learns better from a leader. But the leader that changed the voters may have
 * crashed before it told this one, and without its vote there may be no next leader.
 *
 * <p>So it asks the candidate for what it lacks, and takes it for a message of the leader from
 * which the candidate has its last entry: that leader could have sent just this, and to Raft a
 * message that took a detour is one that took its time. Its term says whether it still counts.
 * Nobody hears that it came: so it commits nothing.
 */
final class Relay {
  private static final String STATES = "sm"; // as Ratis calls the folder of its snapshots

  /** What a voter lacks, as a request of the kind that leaders send. */
  record Help(byte kind, MessageLite request) {}

  private final RaftServer server;

  Relay(RaftServer server) {
    this.server = server;
  }

  private RaftServer.Division division() throws IOException {
    return server.getDivision(server.getGroupIds().iterator().next());
  }

  // At the voter.

  /** After which entry this voter lacks what it needs to vote for a candidate; empty: nothing. */
  OptionalLong lackingAfter(RequestVoteRequestProto vote) throws IOException {
    RaftServer.Division mine = division();
    RaftPeerId candidate = RaftPeerId.valueOf(vote.getServerRequest().getRequestorId());
    boolean knows = !isWaiting(mine) && mine.getRaftConf().getPeer(candidate) != null;
    boolean behind = last(mine).compareTo(TermIndex.valueOf(vote.getCandidateLastEntry())) < 0;
    return knows || !behind
        ? OptionalLong.empty()
        : OptionalLong.of(mine.getRaftLog().getLastCommittedIndex());
  }

  /** Whether it waits for a leader, since its configuration does not name this voter. */
  private static boolean isWaiting(RaftServer.Division mine) {
    return mine.getInfo().getLifeCycleState() == LifeCycle.State.STARTING;
  }

  private static TermIndex last(RaftServer.Division mine) {
    TermIndex last = mine.getRaftLog().getLastEntryTermIndex();
    SnapshotInfo state = mine.getStateMachine().getLatestSnapshot();
    if (last == null && state != null) {
      last = state.getTermIndex();
    }
    return last == null ? TermIndex.valueOf(0, RaftLog.INVALID_LOG_INDEX) : last;
  }

  /** Takes entries. */
  void take(String from, AppendEntriesRequestProto entries) throws IOException {
    RaftServer.Division mine = division();
    AppendEntriesRequestProto.Builder told = entries.toBuilder();
    long term = mine.getInfo().getCurrentTerm();
    if (entries.getLeaderTerm() < term) {
      if (!isWaiting(mine)) {
        return;
      }
      // They do not count any more. Without them it says only: the wait is over.
      told.clearEntries().clearPreviousLog().setLeaderTerm(term);
    }
    told.getServerRequestBuilder().setRequestorId(leader(mine, from, told.getLeaderTerm()));
    var unused = server.appendEntriesAsync(told.build());
  }

  /** Takes a snapshot. */
  void take(String from, InstallSnapshotRequestProto snapshot) throws IOException {
    RaftServer.Division mine = division();
    InstallSnapshotRequestProto.Builder told = snapshot.toBuilder();
    told.getServerRequestBuilder().setRequestorId(leader(mine, from, snapshot.getLeaderTerm()));
    server.installSnapshot(told.build());
  }

  /**
   * The leader of a term, as far as this voter knows. Where it knows none, the one that it heard
   * from: should that be wrong, it refuses the right one until an election's wait is over.
   */
  private static ByteString leader(RaftServer.Division mine, String from, long term) {
    DivisionInfo info = mine.getInfo();
    RaftPeerId known = info.getCurrentTerm() == term ? info.getLeaderId() : null;
    return known == null ? ByteString.copyFromUtf8(from) : known.toByteString();
  }

  // At the candidate.

  /** What a voter lacks after an entry. */
  Help help(String voter, long after) throws IOException {
    RaftServer.Division mine = division();
    RaftLog log = mine.getRaftLog();
    SnapshotInfo state = mine.getStateMachine().getLatestSnapshot();
    TermIndex previous = log.getTermIndex(after);
    if (previous == null && state != null && state.getIndex() == after) {
      previous = state.getTermIndex();
    }
    boolean connects = previous != null || (after < 0 && log.getStartIndex() == 0);
    if (!connects && state != null && state.getIndex() > after) {
      return new Help(Calls.LACKING_STATE, snapshot(mine, voter, state));
    }
    AppendEntriesRequestProto.Builder request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(header(mine, voter))
            .setLeaderTerm(last(mine).getTerm())
            .setLeaderCommit(RaftLog.INVALID_LOG_INDEX)
            .addAllEntries(connects ? entries(log, after + 1) : List.of());
    if (previous != null) {
      request.setPreviousLog(previous.toProto());
    }
    return new Help(Calls.LACKING_ENTRIES, request.build());
  }

  private static RaftRpcRequestProto header(RaftServer.Division mine, String voter) {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(mine.getId().toByteString())
        .setReplyId(ByteString.copyFromUtf8(voter))
        .setRaftGroupId(
            RaftGroupIdProto.newBuilder().setId(mine.getMemberId().getGroupId().toByteString()))
        .build();
  }

  /** As many as go into a message. */
  private static List<LogEntryProto> entries(RaftLog log, long first) throws IOException {
    List<LogEntryProto> entries = new ArrayList<>();
    int room = LogSettings.MESSAGE_SIZE.getSizeInt();
    for (long index = first; ; index++) {
      LogEntryProto entry = log.get(index);
      room -= entry == null ? 0 : entry.getSerializedSize();
      if (entry == null || (room < 0 && !entries.isEmpty())) {
        return entries;
      }
      entries.add(entry);
    }
  }

  private static InstallSnapshotRequestProto snapshot(
      RaftServer.Division mine, String voter, SnapshotInfo state) throws IOException {
    FileInfo file = state.getFiles().get(0);
    Path name = Path.of(STATES).resolve(Objects.requireNonNull(file.getPath().getFileName()));
    FileChunkProto content;
    try (FileChunkReader reader = FileChunkReader.newInstance(file, name)) {
      content = reader.readFileChunk(Math.toIntExact(file.getFileSize()));
    }
    RaftConfiguration voters = mine.getRaftConf();
    return InstallSnapshotRequestProto.newBuilder()
        .setServerRequest(header(mine, voter))
        .setLeaderTerm(last(mine).getTerm())
        .setLastRaftConfigurationLogEntryProto(
            LogProtoUtils.toLogEntryProto(voters, null, voters.getLogEntryIndex()))
        .setSnapshotChunk(
            SnapshotChunkProto.newBuilder()
                .setRequestId("relay")
                .setTermIndex(state.getTermIndex().toProto())
                .addFileChunks(content)
                .setTotalSize(file.getFileSize())
                .setDone(true))
        .build();
  }
}
