package io.baton.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Voters that were not told who votes, by a leader that is gone: a majority still elects. */
@Timeout(240)
@Isolated // who leads is to go on leading, until it is told otherwise
class RelayTest {
  private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-00000000002a");
  private static final Duration ELECTION = Duration.ofMillis(500);

  /** What a network does with the words of a leader about who votes. */
  @FunctionalInterface
  private interface Fate {
    /** Whether they arrive. */
    boolean arrives(String to, RaftConfigurationProto voters);
  }

  private final Path folder;
  private final Map<String, RatisLog> logs = new ConcurrentHashMap<>();
  private final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<String> elected = new LinkedBlockingQueue<>();
  private final Map<String, AtomicInteger> applied = new ConcurrentHashMap<>();
  private final Map<String, Long> terms = new ConcurrentHashMap<>(); // in which it led last
  private final Set<Long> confirmed = ConcurrentHashMap.newKeySet(); // batches of renewals
  private final BlockingQueue<Byte> relayed = new LinkedBlockingQueue<>(); // kinds of messages
  private final Deque<byte[]> toldToB = new ConcurrentLinkedDeque<>(); // by a leader
  private final Deque<byte[]> snapshotsToX = new ConcurrentLinkedDeque<>(); // by a leader
  private volatile Predicate<byte[]> relayedState = message -> false; // whether nothing follows
  private final BlockingQueue<String> stops = new LinkedBlockingQueue<>(); // why
  private volatile Fate fate = (to, voters) -> true;

  RelayTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() {
    logs.values().parallelStream().forEach(RatisLog::close);
  }

  private void open(String id, boolean fresh) throws IOException {
    AtomicInteger count = new AtomicInteger();
    applied.put(id, count);
    RatisLog.Listener notes =
        new RatisLog.Listener() {
          @Override
          public void elected(long term) {
            terms.put(id, term);
            elected.add(id);
          }

          @Override
          public void deposed() {}

          @Override
          public void applied(long index, long term, byte[] entry) {
            count.incrementAndGet();
          }

          @Override
          public void restored(long index, byte[] state) {
            count.set(Integer.parseInt(new String(state, StandardCharsets.UTF_8)));
          }

          @Override
          public void confirmed(long term, long batch) {
            confirmed.add(batch);
          }

          @Override
          public void removed() {}

          @Override
          public void failed(String reason) {
            stops.add(reason);
          }
        };
    RatisLog log =
        new RatisLog(
            new RatisLog.Setup(folder.resolve(id), id, ID, fresh, id.equals("a"), ELECTION),
            (to, message) -> send(id, to, message),
            notes,
            () -> count.toString().getBytes(StandardCharsets.UTF_8));
    logs.put(id, log);
    log.start();
  }

  private void send(String from, String to, byte[] message) {
    RatisLog other = logs.get(to);
    if (other == null || cutOff.contains(from) || cutOff.contains(to)) {
      return;
    }
    if (to.equals("b") && !entries(message).isEmpty()) {
      toldToB.add(message);
    }
    if (voters(message).stream().allMatch(voters -> fate.arrives(to, voters))) {
      if (message[0] == Calls.LACKING_ENTRIES || message[0] == Calls.LACKING_STATE) {
        relayed.add(message[0]);
      }
      other.receive(from, message);
      if (to.equals("x") && message[0] == Calls.INSTALL) {
        snapshotsToX.add(message);
      }
      if (message[0] == Calls.LACKING_STATE || message[0] == Calls.INSTALL) {
        cutOff(to, relayedState.test(message));
      }
    }
  }

  private static List<LogEntryProto> entries(byte[] message) {
    try {
      return message[0] != Calls.APPEND
          ? List.of()
          : AppendEntriesRequestProto.parseFrom(ByteBuffer.wrap(message, 9, message.length - 9))
              .getEntriesList();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a leader says about who votes. */
  private static List<RaftConfigurationProto> voters(byte[] message) {
    return entries(message).stream()
        .filter(LogEntryProto::hasConfigurationEntry)
        .map(LogEntryProto::getConfigurationEntry)
        .toList();
  }

  private static boolean isIn(List<RaftPeerProto> peers, String id) {
    return peers.stream().anyMatch(peer -> peer.getId().toStringUtf8().equals(id));
  }

  private RatisLog log(String id) {
    return Objects.requireNonNull(logs.get(id));
  }

  private int applied(String id) {
    return Objects.requireNonNull(applied.get(id)).get();
  }

  /** The voters a, b and so on, where a leads. */
  private void found(String... others) throws Exception {
    open("a", true);
    assertThat(elected.poll(30, TimeUnit.SECONDS)).isEqualTo("a");
    List<String> now = List.of("a");
    for (String other : others) {
      open(other, true);
      List<String> next = List.of((String.join(",", now) + "," + other).split(","));
      change(now, next);
      now = next;
    }
    untilAllKnow(now, others);
  }

  private void change(List<String> now, List<String> next) throws Exception {
    change("a", now, next);
  }

  private void change(String leader, List<String> now, List<String> next) throws Exception {
    CompletableFuture<Void> change = log(leader).changeVoters(now, next);
    untilWhileItGrows(leader, change::isDone);
    change.get();
  }

  private void crash(String id) {
    log(id).close();
    logs.remove(id);
  }

  /** Those that are left can talk to each other again, and are to elect one of them. */
  private void assertOneIsElectedOf(String... ids) throws IOException {
    fate = (to, voters) -> true;
    cutOff.clear();
    long start = System.nanoTime();
    while (elected.isEmpty() && System.nanoTime() - start < 80_000_000_000L) {
      for (String id : ids) {
        reopen(id);
      }
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(elected.poll()).as("the next leader").isIn((Object[]) ids);
  }

  /** Opens a log that came to a stop, as its host does. */
  private void reopen(String id) {
    if (!log(id).isOpen()) {
      crash(id);
      try {
        open(id, false);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"false, 0", "true, 0", "true, 7"})
  void whoWasNotToldThatItVotesVotesWhenTheLeaderHasCrashed(boolean startedAgain, int laterTerm)
      throws Exception {
    found("b");
    open("d", true);
    fate = (to, voters) -> !to.equals("d") || !cutOff("d", isIn(voters.getPeersList(), "d"));
    change(List.of("a", "b"), List.of("a", "b", "d"));
    assertThat(cutOff).as("nobody has told it").containsExactly("d");
    crash("a");
    if (laterTerm > 0) {
      until(
          () -> {
            reopen("d");
            log("d").receive("a", ofALeaderThatIsCatchingItUp("a", "d", laterTerm));
            return isInTerm("d", laterTerm);
          });
    }
    if (startedAgain) {
      crash("d");
      open("d", false);
    }
    assertOneIsElectedOf("b", "d");
    assertThat(relayed).containsOnly(Calls.LACKING_ENTRIES);
    untilAllKnow(List.of("a", "b", "d"), "b", "d");
  }

  private boolean isInTerm(String id, int term) {
    try {
      return Files.readString(folder.resolve(id + "/" + ID + "/current/raft-meta"))
          .contains("term=" + term);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Cuts it off, if so; whether. */
  private boolean cutOff(String id, boolean now) {
    if (now) {
      cutOff.add(id);
    }
    return now;
  }

  private static RaftRpcRequestProto header(String from, String to) {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(ByteString.copyFromUtf8(from))
        .setReplyId(ByteString.copyFromUtf8(to))
        .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(RaftGroupId.valueOf(ID).toByteString()))
        .build();
  }

  private static byte[] message(byte kind, byte[] request) {
    return ByteBuffer.allocate(9 + request.length).put(kind).putLong(1).put(request).array();
  }

  private static byte[] ofACandidate(String from, String to, long term) {
    byte[] request =
        RequestVoteRequestProto.newBuilder()
            .setServerRequest(header(from, to))
            .setCandidateTerm(term)
            .setCandidateLastEntry(TermIndexProto.newBuilder().setTerm(term - 1).setIndex(1_000))
            .build()
            .toByteArray();
    return message(Calls.VOTE, request);
  }

  private static byte[] ofALeaderThatIsCatchingItUp(String from, String to, long term) {
    byte[] request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(header(from, to))
            .setLeaderTerm(term)
            .setInitializing(true)
            .build()
            .toByteArray();
    return message(Calls.APPEND, request);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a candidate", "a leader"})
  void whoWasCutOffWhileTheVotersChangedVotesForOneThatItDoesNotKnow(String heard)
      throws Exception {
    replaceBWhileXIsCutOff(0, 0);
    if (!heard.isEmpty()) { // of a later term
      log("x")
          .receive(
              "a",
              heard.equals("a leader")
                  ? ofALeaderThatIsCatchingItUp("a", "x", 7)
                  : ofACandidate("a", "x", 7));
      until(() -> isInTerm("x", 7));
    }
    assertOneIsElectedOf("d", "x");
    assertThat(relayed).containsOnly(Calls.LACKING_ENTRIES);
    untilAllKnow(List.of("a", "d", "x"), "d", "x");
  }

  @Test
  void whoWasCutOffForSoLongThatItLacksMoreThanAMessageGetsAll() throws Exception {
    replaceBWhileXIsCutOff(12, 9_000);
    assertOneIsElectedOf("d", "x");
    assertThat(relayed).containsOnly(Calls.LACKING_ENTRIES).hasSizeGreaterThan(2);
    untilAllKnow(List.of("a", "d", "x"), "d", "x");
    until(() -> applied("x") >= 12);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoWasCutOffForSoLongThatEntriesWereForgottenGetsASnapshot(boolean fromOneStartedAgain)
      throws Exception {
    replaceBWhileXIsCutOff(60, 1);
    if (fromOneStartedAgain) { // it does not know any more how much of its log is certain
      crash("d");
      open("d", false);
    }
    assertOneIsElectedOf("d", "x");
    assertThat(relayed).contains(Calls.LACKING_STATE);
    untilAllKnow(List.of("a", "d", "x"), "d", "x");
    until(() -> applied("x") >= 60);
  }

  private void propose(int entries, int size) {
    propose("a", entries, size);
  }

  private void propose(String leader, int entries, int size) {
    int before = applied(leader);
    for (int k = 1; k <= entries; k++) {
      log(leader).propose(new byte[size]);
      int sofar = before + k;
      until(() -> applied(leader) >= sofar);
    }
  }

  private void replaceBWhileXIsCutOff(int entries, int size) throws Exception {
    found("b", "x");
    cutOff.add("x");
    propose(entries, size);
    open("d", true);
    change(List.of("a", "b", "x"), List.of("a", "b", "x", "d"));
    change(List.of("a", "b", "x", "d"), List.of("a", "x", "d"));
    untilAllKnow(List.of("a", "d", "x"), "d");
    crash("a");
    crash("b");
    assertThat(log("x").voters()).containsExactly("a", "b", "x");
  }

  /** Ratis forgets who votes where it gives up entries. */
  @Test
  void whoGivesUpEntriesKnowsWhoVotes() throws Exception {
    found("b", "x");
    String next = leaveAWithEntriesOfItsOwn();
    open("d", true);
    change(next, List.of("a", "b", "x"), List.of("a", "b", "x", "d"));
    cutOff.clear();
    untilAllKnow(List.of("a", "b", "d", "x"), "a");
  }

  /** Ratis would keep the wrong one in the place of the snapshot's last entry. */
  @Test
  void whoHasMoreEntriesOfItsOwnThanASnapshotGivesThemUp() throws Exception {
    found("b", "x");
    String next = leaveAWithEntriesOfItsOwn(120);
    propose(next, 100, 2_000);
    cutOff.clear();
    until(
        () -> {
          reopen("a");
          return applied("a") == applied(next);
        });
    assertThat(stops).anyMatch(reason -> reason.contains("not in the snapshot"));
  }

  /** Ratis would go on writing as if its log ended with the snapshot. */
  @Test
  void whoseLogGoesOnAfterTheSnapshotThatItGetsGoesOnWriting() throws Exception {
    found("b", "x");
    propose(60, 1);
    until(() -> applied("x") == applied("a"));
    change(List.of("a", "b", "x"), List.of("a", "b"));
    crash("x");
    deleteAll(folder.resolve("x/" + ID + "/sm"));
    open("x", false);
    boolean added;
    do {
      added = addX(); // not, where x was silent for too long while it was opened again
    } while (!added);
    propose(1, 1);
    until(() -> applied("x") == applied("a"));
    assertThat(stops).anyMatch(reason -> reason.contains("goes on after the snapshot"));
  }

  private boolean addX() {
    CompletableFuture<Void> change =
        log("a").changeVoters(List.of("a", "b"), List.of("a", "b", "x"));
    untilWhileItGrows(
        "a",
        () -> {
          reopen("x");
          return change.isDone();
        });
    return !change.isCompletedExceptionally();
  }

  private static void deleteAll(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        if (Files.isRegularFile(file)) {
          Files.delete(file);
        }
      }
    }
  }

  private String leaveAWithEntriesOfItsOwn() throws InterruptedException {
    return leaveAWithEntriesOfItsOwn(5);
  }

  /** It is cut off, and still believes that it leads; who does. */
  private String leaveAWithEntriesOfItsOwn(int entries) throws InterruptedException {
    cutOff.add("a");
    for (int k = 0; k < entries; k++) {
      log("a").propose(new byte[] {1});
    }
    return Objects.requireNonNull(elected.poll(30, TimeUnit.SECONDS));
  }

  @Test
  void whoHasEntriesThatNobodyElseHasGivesThemUp() throws Exception {
    found("b", "x");
    String next = leaveAWithEntriesOfItsOwn();
    String last = next.equals("b") ? "x" : "b";
    open("d", true);
    change(next, List.of("a", "b", "x"), List.of("a", "b", "x", "d"));
    change(next, List.of("a", "b", "x", "d"), List.of("a", next, "d"));
    untilAllKnow(List.of("a", next, "d"), "d");
    crash(next);
    crash(last);
    assertOneIsElectedOf("a", "d");
    untilAllKnow(List.of("a", next, "d"), "a", "d");
    assertThat(relayed).containsOnly(Calls.LACKING_ENTRIES);
  }

  /** Ratis has it wait for a leader after a start, since the old ones do not count it. */
  @Test
  void whoBecomesAVoterVotesAlsoAfterAStart() throws Exception {
    found("b", "c");
    open("v", true);
    fate = (to, voters) -> !cutOff("a", isIn(voters.getPeersList(), "v") && isFinal(voters));
    var unused = log("a").changeVoters(List.of("a", "b", "c"), List.of("a", "b", "c", "v"));
    untilWhileItGrows("a", () -> cutOff.contains("a"));
    until(() -> log("v").voters().equals(List.of("a", "b", "c")) && log("v").isChanging());
    crash("a");
    crash("v");
    open("v", false);
    assertOneIsElectedOf("b", "c", "v");
    assertThat(relayed).as("they know the same").isEmpty();
  }

  private static boolean isFinal(RaftConfigurationProto voters) {
    return voters.getOldPeersCount() == 0;
  }

  /** Ratis does not let it stand, though only it knows of the change. */
  @Test
  void whoIsBeingTakenOutAndAheadHandsOverWhatItKnows() throws Exception {
    found("b", "d", "v");
    fate = (to, voters) -> isFinal(voters) || to.equals("v");
    var unused = log("a").changeVoters(List.of("a", "b", "d", "v"), List.of("a", "b", "d"));
    until(() -> log("v").isChanging());
    crash("a");
    assertOneIsElectedOf("b", "d", "v");
    assertThat(relayed).contains(Calls.LACKING_ENTRIES);
  }

  // What must not be counted, or taken.

  /** Else the voters could never be changed again. */
  @Test
  void aChangeIsGivenUpWhereTheNewcomerIsGone() throws Exception {
    CompletableFuture<Void> change = addDWhileItIsCutOff();
    untilWhileItGrows("a", change::isDone);
    assertThat(change).isCompletedExceptionally();
    untilAllKnow(List.of("a", "b"), "a", "b");
  }

  @Test
  void aNewcomerIsCountedOnceItHasCaughtUp() throws Exception {
    CompletableFuture<Void> change = addDWhileItIsCutOff();
    propose(5, 1);
    assertThat(change).isNotDone();
    assertThat(log("a").voters()).containsExactly("a", "b");
    until(() -> !log("a").isChanging());
    cutOff.clear();
    untilWhileItGrows("a", change::isDone);
    change.get();
    until(() -> applied("d") >= 5);
    untilAllKnow(List.of("a", "b", "d"), "a", "b", "d");
  }

  private CompletableFuture<Void> addDWhileItIsCutOff() throws Exception {
    found("b");
    open("d", true);
    cutOff.add("d");
    return log("a").changeVoters(List.of("a", "b"), List.of("a", "b", "d"));
  }

  /** Leases are renewed by this alone (R10): a leader that is none any more renews none. */
  @Test
  void nobodyConfirmsALeaderThatOthersHaveReplaced() throws Exception {
    found("b", "x");
    long term = Objects.requireNonNull(terms.get("a"));
    log("a").confirm(term, 1);
    until(() -> confirmed.contains(1L));
    cutOff.add("a");
    log("a").confirm(term, 2);
    String next = Objects.requireNonNull(elected.poll(30, TimeUnit.SECONDS));
    cutOff.clear();
    log("a").confirm(term, 3);
    until(() -> !log("a").isLeader());
    log("a").confirm(term, 4);
    long later = Objects.requireNonNull(terms.get(next));
    log(next).confirm(later, 5);
    until(() -> confirmed.contains(5L));
    assertThat(confirmed).containsExactlyInAnyOrder(1L, 5L);
  }

  @Test
  void whoHearsALeaderTakesNothing() throws Exception {
    found("b");
    for (int k = 0; k < 20; k++) {
      byte[] told = Objects.requireNonNull(toldToB.peekLast());
      LogEntryProto last = last(told);
      byte[] later =
          AppendEntriesRequestProto.newBuilder()
              .setServerRequest(header("x", "b"))
              .setLeaderTerm(99)
              .setPreviousLog(
                  TermIndexProto.newBuilder().setTerm(last.getTerm()).setIndex(last.getIndex()))
              .addEntries(last.toBuilder().setTerm(99).setIndex(last.getIndex() + 1))
              .build()
              .toByteArray();
      log("b").receive("x", message(Calls.LACKING_ENTRIES, later));
      int before = applied("b");
      log("a").propose(new byte[] {1});
      until(() -> applied("b") > before);
    }
    assertThat(elected).as("nobody had to be elected anew").isEmpty();
    assertThat(log("a").isLeader()).isTrue();
  }

  private static LogEntryProto last(byte[] told) {
    List<LogEntryProto> entries = entries(told);
    return entries.get(entries.size() - 1);
  }

  /** That leader believes that what it sent stays there. */
  @Test
  void whoHeardALeaderOfALaterTermTakesNothing() throws Exception {
    found("b");
    crash("a");
    log("b").receive("a", ofALeaderThatIsCatchingItUp("a", "b", 7));
    until(() -> isInTerm("b", 7));
    LockSupport.parkNanos(2 * ELECTION.toNanos());
    LogEntryProto last = last(Objects.requireNonNull(toldToB.peekLast()));
    log("b")
        .receive(
            "a",
            message(
                Calls.LACKING_ENTRIES,
                votersAfter(last.getTerm(), last.getIndex(), last.getIndex() + 1)));
    LockSupport.parkNanos(ELECTION.toNanos());
    assertThat(log("b").voters()).containsExactly("a", "b");
  }

  /** Entries after one and up to another, by which z votes alone. */
  private static byte[] votersAfter(long term, long index, long upTo) {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(header("a", "b"))
        .setLeaderTerm(term)
        .setPreviousLog(TermIndexProto.newBuilder().setTerm(term).setIndex(index))
        .addAllEntries(
            LongStream.rangeClosed(index + 1, upTo)
                .mapToObj(
                    each ->
                        LogEntryProto.newBuilder()
                            .setTerm(term)
                            .setIndex(each)
                            .setConfigurationEntry(
                                RaftConfigurationProto.newBuilder()
                                    .addPeers(
                                        RaftPeerProto.newBuilder()
                                            .setId(ByteString.copyFromUtf8("z"))))
                            .build())
                .toList())
        .build()
        .toByteArray();
  }

  /** Ratis would forget who votes, up to the entry that says so again. */
  @Test
  void entriesWithoutTheVotersOfASnapshotAreNotTaken() throws Exception {
    replaceBWhileXIsCutOff(60, 1);
    BlockingQueue<byte[]> snapshots = new LinkedBlockingQueue<>();
    relayedState = snapshots::add;
    cutOff.clear();
    byte[] taken = Objects.requireNonNull(snapshots.poll(30, TimeUnit.SECONDS));
    InstallSnapshotRequestProto snapshot =
        InstallSnapshotRequestProto.parseFrom(ByteBuffer.wrap(taken, 9, taken.length - 9));
    TermIndexProto end = snapshot.getSnapshotChunk().getTermIndex();
    assertThat(snapshot.getLastRaftConfigurationLogEntryProto().getIndex())
        .isGreaterThan(end.getIndex() + 1);
    until(() -> log("x").voters().equals(List.of("a", "d", "x")));
    LockSupport.parkNanos(2 * ELECTION.toNanos());
    long voters = snapshot.getLastRaftConfigurationLogEntryProto().getIndex();
    for (long upTo : new long[] {end.getIndex() + 1, voters, voters + 1}) {
      log("x")
          .receive(
              "d",
              message(Calls.LACKING_ENTRIES, votersAfter(end.getTerm(), end.getIndex(), upTo)));
    }
    LockSupport.parkNanos(ELECTION.toNanos());
    assertThat(log("x").voters()).containsExactly("a", "d", "x");
  }

  /** Its entries are those of this log: Ratis would forget the voters that come later in it. */
  @Test
  void entriesThatEndEarlierAreNotTaken() throws Exception {
    found("b", "d");
    crash("a");
    crash("d");
    crash("b");
    open("b", false); // it does not know any more what is certain
    LockSupport.parkNanos(2 * ELECTION.toNanos());
    List<byte[]> before =
        toldToB.stream()
            .filter(told -> voters(told).stream().noneMatch(all -> isIn(all.getPeersList(), "d")))
            .toList();
    assertThat(before).isNotEmpty();
    for (byte[] told : before) {
      log("b")
          .receive("a", message(Calls.LACKING_ENTRIES, Arrays.copyOfRange(told, 9, told.length)));
    }
    LockSupport.parkNanos(ELECTION.toNanos());
    assertThat(log("b").voters()).containsExactly("a", "b", "d");
  }

  /** Ratis takes the voters of any snapshot, even where it refuses the snapshot. */
  @Test
  void anEarlierSnapshotIsNotTaken() throws Exception {
    found("b", "d");
    crash("a");
    crash("d");
    LockSupport.parkNanos(2 * ELECTION.toNanos());
    byte[] snapshot = snapshotWithOtherVoters("a", "b", 1);
    log("b").receive("a", message(Calls.LACKING_STATE, snapshot));
    LockSupport.parkNanos(ELECTION.toNanos());
    assertThat(log("b").voters()).containsExactly("a", "b", "d");
  }

  /** As of a leader who does not know yet how much it has: Ratis forgets the voters after it. */
  @Test
  void whoIsToldAPartOfItsLogAgainKnowsWhoVotes() throws Exception {
    found("b", "d");
    crash("a");
    crash("d");
    crash("b");
    open("b", false); // it does not know any more what is certain
    toldToB.stream()
        .filter(told -> voters(told).stream().noneMatch(all -> isIn(all.getPeersList(), "d")))
        .forEach(told -> log("b").receive("a", told));
    LockSupport.parkNanos(ELECTION.toNanos());
    untilAllKnow(List.of("a", "b", "d"), false, "b");
  }

  @ParameterizedTest
  @CsvSource({"a, b, 0", "b, a, 0", "a, b, 1"})
  void aLeadersSnapshotThatIsRefusedChangesNobodysVoters(String from, String to, int term)
      throws Exception {
    found("b", "d");
    log(to).receive(from, message(Calls.INSTALL, snapshotWithOtherVoters(from, to, term)));
    LockSupport.parkNanos(ELECTION.toNanos());
    assertThat(log(to).voters()).containsExactly("a", "b", "d");
  }

  /** By the file where those are: others may be given up, and be in the files of the taker then. */
  @Test
  void aSnapshotComesWithVotersThatAreCertain() throws Exception {
    found("b", "x");
    cutOff.add("x");
    propose(60, 2_000);
    Path file = folder.resolve("a/" + ID + "/current/raft-meta.conf");
    LogEntryProto marked =
        LogEntryProto.parseFrom(Files.readAllBytes(file)).toBuilder().setTerm(12_345).build();
    Files.write(file, marked.toByteArray());
    cutOff.clear();
    until(() -> !snapshotsToX.isEmpty());
    byte[] message = Objects.requireNonNull(snapshotsToX.peekFirst());
    assertThat(
            InstallSnapshotRequestProto.parseFrom(ByteBuffer.wrap(message, 9, message.length - 9))
                .getLastRaftConfigurationLogEntryProto())
        .isEqualTo(marked);
  }

  /** As after a crash between the snapshot and the voters, which Ratis writes after it. */
  @Test
  void whoHasASnapshotWithoutItsVotersTakesThemWhenItComesAgain() throws Exception {
    found("b", "x");
    Path voters = folder.resolve("x/" + ID + "/current/raft-meta.conf");
    byte[] before = Files.readAllBytes(voters);
    cutOff.add("x");
    open("d", true);
    change(List.of("a", "b", "x"), List.of("a", "b", "x", "d"));
    propose(120, 2_000);
    relayedState = message -> message[0] == Calls.INSTALL; // and nothing more
    cutOff.clear();
    until(() -> cutOff.contains("x"));
    crash("x");
    Files.write(voters, before);
    open("x", false);
    assertThat(log("x").voters()).containsExactly("a", "b", "x");
    log("x").receive("a", Objects.requireNonNull(snapshotsToX.peekLast()));
    untilAllKnow(List.of("a", "b", "d", "x"), false, "x");
  }

  /** An early one, by which z votes. */
  private static byte[] snapshotWithOtherVoters(String from, String to, long term) {
    return InstallSnapshotRequestProto.newBuilder()
        .setServerRequest(header(from, to))
        .setLeaderTerm(term)
        .setLastRaftConfigurationLogEntryProto(
            LogEntryProto.newBuilder()
                .setIndex(1)
                .setConfigurationEntry(
                    RaftConfigurationProto.newBuilder()
                        .addPeers(RaftPeerProto.newBuilder().setId(ByteString.copyFromUtf8("z")))))
        .setSnapshotChunk(
            SnapshotChunkProto.newBuilder()
                .setTermIndex(TermIndexProto.newBuilder().setTerm(1).setIndex(1))
                .setDone(true))
        .build()
        .toByteArray();
  }

  private void untilAllKnow(List<String> voters, String... ids) {
    untilAllKnow(voters, true, ids);
  }

  private void untilAllKnow(List<String> voters, boolean certain, String... ids) {
    for (String id : ids) {
      until(
          () -> {
            reopen(id);
            return log(id).voters().equals(voters.stream().sorted().toList())
                && !(certain && log(id).isChanging());
          });
    }
  }

  /** Ratis may notice only as its log grows that a newcomer has caught up. */
  private void untilWhileItGrows(String leader, BooleanSupplier condition) {
    long pause = RatisLog.growth(ELECTION).toNanos();
    AtomicLong grownAt = new AtomicLong(System.nanoTime() - pause + 50_000_000);
    until(
        () -> {
          if (System.nanoTime() - grownAt.get() > pause) {
            grownAt.set(System.nanoTime());
            log(leader).propose(new byte[] {1});
          }
          return condition.getAsBoolean();
        });
  }

  private static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(60_000_000_000L);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
