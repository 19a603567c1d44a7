package io.baton.cluster.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
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
import org.jspecify.annotations.Nullable;

/**
 * Has voters elect that were not told who votes. In Raft a voter votes for whoever asks, and stands
 * whatever its configuration says. In Ratis it votes for nobody that its configuration does not
 * name, not at all before one names it, and stands only where the new one does. A leader tells it
 * better; but the one that changed the voters may have crashed before it did, and without this vote
 * there may be no next one.
 *
 * <p>So a voter that cannot vote for a candidate asks it for the entries, or the snapshot, that it
 * lacks, and one that is ahead and cannot stand hands them over. They are taken only where they end
 * with a later entry than all that this voter has (by term, then by index). The invariant: what
 * such a log lacks was never committed, and never will be by what this voter has said so far. For
 * with an end of the same term it is this log, continued; with an end of a later term it is a piece
 * of the log of that term's leader, who had all that was committed in the terms before.
 *
 * <p>Ratis takes them for a message of a leader, and expects one leader at a time: so they are
 * taken only where none has spoken for as long as an election waits, nothing of one is being
 * written, and nothing else is done until they are. Nobody is told that they came. All is done on
 * the thread that handles the requests of others.
 */
final class Relay {
  /** Takes messages to other voters, by kind. */
  interface Post {
    void send(String to, byte kind, byte[] body);
  }

  private static final String STATES = "sm"; // as Ratis calls the folder of its snapshots
  private static final TermIndex NOTHING = TermIndex.valueOf(0, RaftLog.INVALID_LOG_INDEX);

  private static final int SILENT_ELECTIONS = 10; // until a leader is taken to be gone

  private final Intake intake;
  private final Calls.Host host;
  private final Post post;
  private final long election; // the shortest wait, in nanoseconds
  private long heardAt = System.nanoTime(); // when a leader last spoke
  private long heardTerm; // of the latest that spoke

  Relay(Intake intake, Calls.Host host, Post post) {
    this.intake = intake;
    this.host = host;
    this.post = post;
    this.election = host.election().toNanos();
  }

  /** A leader speaks, unless there has been a later one. */
  void hears(long term) throws IOException {
    if (term >= intake.division().getInfo().getCurrentTerm()) {
      heardAt = System.nanoTime();
      heardTerm = term;
    }
  }

  /** Whether this log has entries, and no leader is about to change it. */
  private boolean isLeftAlone(RaftServer.Division mine) {
    return intake.isIdle()
        && System.nanoTime() - heardAt >= election
        && !mine.getInfo().isLeader()
        && !last(mine).equals(NOTHING);
  }

  /** Before a vote is given to a candidate, or not. */
  void asked(String candidate, RequestVoteRequestProto vote) throws IOException {
    RaftServer.Division mine = intake.division();
    if (!isLeftAlone(mine)) {
      return;
    }
    wake(mine, candidate);
    RaftConfiguration voters = mine.getRaftConf();
    TermIndex theirs = TermIndex.valueOf(vote.getCandidateLastEntry());
    int ahead = last(mine).compareTo(theirs);
    if (ahead < 0 && (waits(mine) || !votes(voters, RaftPeerId.valueOf(candidate)))) {
      ByteBuffer position = ByteBuffer.allocate(24);
      position.putLong(last(mine).getTerm()).putLong(last(mine).getIndex());
      position.putLong(mine.getRaftLog().getLastCommittedIndex());
      post.send(candidate, Calls.LACKING, position.array());
    } else if (ahead > 0 && !votes(voters, mine.getId()) && mine.getRaftLog().contains(theirs)) {
      help(mine, candidate, theirs.getIndex());
    }
  }

  /** Whether it waits for a leader, for after a start not all configurations named it. */
  private static boolean waits(RaftServer.Division mine) {
    return mine.getInfo().getLifeCycleState() == LifeCycle.State.STARTING;
  }

  private static boolean votes(RaftConfiguration voters, RaftPeerId id) {
    return voters.getCurrentPeers().stream().anyMatch(peer -> peer.getId().equals(id));
  }

  private static TermIndex last(RaftServer.Division mine) {
    TermIndex last = mine.getRaftLog().getLastEntryTermIndex();
    SnapshotInfo state = mine.getStateMachine().getLatestSnapshot();
    TermIndex known = state == null ? NOTHING : state.getTermIndex();
    return last == null || last.compareTo(known) < 0 ? known : last;
  }

  /**
   * Where it votes, by an old or a new configuration, an empty message of a leader ends the wait.
   */
  private void wake(RaftServer.Division mine, String from) throws IOException {
    if (!waits(mine) || mine.getRaftConf().getPeer(mine.getId()) == null) {
      return;
    }
    AppendEntriesRequestProto empty =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(header(mine, mine.getId().toString()))
            .setLeaderTerm(mine.getInfo().getCurrentTerm())
            .setLeaderCommit(RaftLog.INVALID_LOG_INDEX)
            .build();
    append(mine, from, empty);
  }

  // Who is ahead.

  /** Another voter lacks what comes after its last entry, or after what is certain to it. */
  void helpAfter(String voter, ByteBuffer position) throws IOException {
    RaftServer.Division mine = intake.division();
    TermIndex theirs = TermIndex.valueOf(position.getLong(), position.getLong());
    long certain = position.getLong();
    help(mine, voter, theirs.equals(at(mine, theirs.getIndex())) ? theirs.getIndex() : certain);
  }

  private void help(RaftServer.Division mine, String voter, long after) throws IOException {
    if (!intake.isIdle()) { // what is read here must be of one log
      return;
    }
    RaftLog log = mine.getRaftLog();
    TermIndex previous = at(mine, after);
    boolean connects = previous != null || (after < 0 && log.getStartIndex() == 0);
    List<LogEntryProto> entries = connects ? entries(log, after + 1) : List.of();
    SnapshotInfo state = mine.getStateMachine().getLatestSnapshot();
    if (!entries.isEmpty()) {
      AppendEntriesRequestProto.Builder request =
          AppendEntriesRequestProto.newBuilder()
              .setServerRequest(header(mine, voter))
              .setLeaderTerm(last(mine).getTerm())
              .setLeaderCommit(RaftLog.INVALID_LOG_INDEX)
              .addAllEntries(entries);
      if (previous != null) {
        request.setPreviousLog(previous.toProto());
      }
      send(voter, Calls.LACKING_ENTRIES, request.build());
    } else if (state != null && state.getIndex() > after) {
      send(voter, Calls.LACKING_STATE, snapshot(mine, voter, state, intake.certainVoters()));
    }
  }

  private void send(String voter, byte kind, MessageLite message) {
    post.send(voter, kind, message.toByteArray());
  }

  private static @Nullable TermIndex at(RaftServer.Division mine, long index) {
    SnapshotInfo state = mine.getStateMachine().getLatestSnapshot();
    return state != null && state.getIndex() == index
        ? state.getTermIndex()
        : mine.getRaftLog().getTermIndex(index);
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
      RaftServer.Division mine, String voter, SnapshotInfo state, LogEntryProto voters)
      throws IOException {
    FileInfo file = state.getFiles().get(0);
    Path name = Path.of(STATES).resolve(Objects.requireNonNull(file.getPath().getFileName()));
    FileChunkProto content;
    try (FileChunkReader reader = FileChunkReader.newInstance(file, name)) {
      content = reader.readFileChunk(Math.toIntExact(file.getFileSize()));
    }
    return InstallSnapshotRequestProto.newBuilder()
        .setServerRequest(header(mine, voter))
        .setLeaderTerm(last(mine).getTerm())
        .setLastRaftConfigurationLogEntryProto(voters)
        .setSnapshotChunk(
            SnapshotChunkProto.newBuilder()
                .setRequestId("relay")
                .setTermIndex(state.getTermIndex().toProto())
                .addFileChunks(content)
                .setTotalSize(file.getFileSize())
                .setDone(true))
        .build();
  }

  // Who is behind.

  /**
   * Takes entries, where they connect with this log and end later. Not where a leader of a later
   * term has spoken lately: it believes that what it sent stays here. And where the voters came
   * with a snapshot, by an entry after it, only with that entry: it is certain.
   */
  void take(String from, AppendEntriesRequestProto entries) throws IOException {
    RaftServer.Division mine = intake.division();
    int count = entries.getEntriesCount();
    if (!isLeftAlone(mine) || count == 0) {
      return;
    }
    TermIndex end = TermIndex.valueOf(entries.getEntries(count - 1));
    TermIndex previous = TermIndex.valueOf(entries.getPreviousLog());
    boolean connects =
        entries.hasPreviousLog()
            ? previous.equals(at(mine, previous.getIndex()))
            : entries.getEntries(0).getIndex() == RaftLog.LEAST_VALID_LOG_INDEX;
    boolean outdated =
        heardTerm > end.getTerm() && System.nanoTime() - heardAt < SILENT_ELECTIONS * election;
    if (connects && last(mine).compareTo(end) < 0 && !outdated && keepVoters(mine, entries)) {
      append(mine, from, entries.toBuilder().setInitializing(true).build());
      wake(mine, from);
    }
  }

  private static boolean keepVoters(RaftServer.Division mine, AppendEntriesRequestProto entries) {
    RaftConfiguration voters = mine.getRaftConf();
    long index = voters.getLogEntryIndex();
    return index <= last(mine).getIndex()
        || entries.getEntriesList().stream()
            .anyMatch(
                entry ->
                    entry.getIndex() == index
                        && entry.hasConfigurationEntry()
                        && LogProtoUtils.toRaftConfiguration(entry).equals(voters));
  }

  private void append(RaftServer.Division mine, String from, AppendEntriesRequestProto entries)
      throws IOException {
    AppendEntriesRequestProto.Builder told = entries.toBuilder();
    told.setLeaderTerm(Math.max(entries.getLeaderTerm(), mine.getInfo().getCurrentTerm()));
    ByteString leader = leader(mine, from, told.getLeaderTerm());
    if (leader.equals(mine.getId().toByteString())) {
      return;
    }
    told.getServerRequestBuilder().setRequestorId(leader);
    try {
      intake.append(told.build()).get();
    } catch (ExecutionException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the log is being closed
    }
  }

  /**
   * Takes a snapshot, where this log ends before it. Then this voter lacks what is committed, and
   * cannot come to lead meanwhile. The configuration that comes with it is committed too.
   */
  void take(String from, InstallSnapshotRequestProto snapshot) throws IOException {
    RaftServer.Division mine = intake.division();
    long end = snapshot.getSnapshotChunk().getTermIndex().getIndex();
    long voters = snapshot.getLastRaftConfigurationLogEntryProto().getIndex();
    long known = mine.getRaftConf().getLogEntryIndex();
    boolean older = voters < known && (known > end || known <= host.applied().getAsLong());
    if (!isLeftAlone(mine) || end <= last(mine).getIndex() || older) {
      return;
    }
    InstallSnapshotRequestProto.Builder told = snapshot.toBuilder();
    told.setLeaderTerm(Math.max(snapshot.getLeaderTerm(), mine.getInfo().getCurrentTerm()));
    told.getServerRequestBuilder().setRequestorId(leader(mine, from, told.getLeaderTerm()));
    intake.install(told.build());
    wake(mine, from);
  }

  /**
   * The leader of a term, as far as this voter knows. Where it knows none, the one that it heard
   * from: should that be wrong, it refuses the right one until it stands for election itself.
   */
  private static ByteString leader(RaftServer.Division mine, String from, long term) {
    DivisionInfo info = mine.getInfo();
    RaftPeerId known = info.getCurrentTerm() == term ? info.getLeaderId() : null;
    return known == null ? ByteString.copyFromUtf8(from) : known.toByteString();
  }
}
