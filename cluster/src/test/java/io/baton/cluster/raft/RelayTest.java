package io.baton.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Voters that were not told who votes, by a leader that is gone: a majority still elects. */
@Timeout(120)
class RelayTest {
  private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-00000000002a");
  private static final int ENTRIES_FOR_A_SNAPSHOT = 60;

  private final Path folder;
  private final Map<String, RatisLog> logs = new ConcurrentHashMap<>();
  private final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<String> elected = new LinkedBlockingQueue<>();
  private final Map<String, AtomicInteger> applied = new ConcurrentHashMap<>();
  private final BlockingQueue<Byte> relayed = new LinkedBlockingQueue<>(); // kinds of messages
  private volatile String untold = "";

  RelayTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() {
    logs.values().forEach(RatisLog::close);
  }

  private void open(String id, boolean fresh) throws IOException {
    AtomicInteger count = new AtomicInteger();
    applied.put(id, count);
    RatisLog.Listener notes =
        new RatisLog.Listener() {
          @Override
          public void elected(long term) {
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
          public void confirmed(long term, long batch) {}

          @Override
          public void removed() {}

          @Override
          public void failed(String reason) {}
        };
    RatisLog log =
        new RatisLog(
            new RatisLog.Setup(
                folder.resolve(id), id, ID, fresh, id.equals("a"), Duration.ofMillis(500)),
            (to, message) -> send(id, to, message),
            notes,
            () -> count.toString().getBytes(StandardCharsets.UTF_8));
    logs.put(id, log);
    log.start();
  }

  private void send(String from, String to, byte[] message) {
    if (to.equals(untold) && makesAVoter(to, message)) {
      cutOff.add(to);
    }
    RatisLog other = logs.get(to);
    if (other != null && !cutOff.contains(from) && !cutOff.contains(to)) {
      if (message[0] == Calls.LACKING_ENTRIES || message[0] == Calls.LACKING_STATE) {
        relayed.add(message[0]);
      }
      other.receive(from, message);
    }
  }

  /** Whether it tells a voter that it is one. */
  private static boolean makesAVoter(String id, byte[] message) {
    if (message[0] != Calls.APPEND) {
      return false;
    }
    try {
      return AppendEntriesRequestProto.parseFrom(ByteBuffer.wrap(message, 9, message.length - 9))
          .getEntriesList()
          .stream()
          .filter(LogEntryProto::hasConfigurationEntry)
          .flatMap(entry -> entry.getConfigurationEntry().getPeersList().stream())
          .anyMatch(peer -> peer.getId().toStringUtf8().equals(id));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private RatisLog log(String id) {
    return Objects.requireNonNull(logs.get(id));
  }

  private int applied(String id) {
    return Objects.requireNonNull(applied.get(id)).get();
  }

  private void found() throws Exception {
    open("a", true);
    assertThat(elected.poll(30, TimeUnit.SECONDS)).isEqualTo("a");
  }

  private void change(List<String> now, List<String> next) throws Exception {
    log("a").changeVoters(now, next).get(30, TimeUnit.SECONDS);
  }

  private void crash(String id) {
    log(id).close();
    logs.remove(id);
  }

  private void assertSomeIsElected(String... any) throws InterruptedException {
    assertThat(elected.poll(30, TimeUnit.SECONDS)).as("the next leader").isIn((Object[]) any);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoWasNotToldThatItVotesVotesWhenTheLeaderHasCrashed(boolean startedAgain) throws Exception {
    found();
    open("b", true);
    change(List.of("a"), List.of("a", "b"));
    open("d", true);
    untold = "d";
    change(List.of("a", "b"), List.of("a", "b", "d"));
    assertThat(cutOff).as("nobody has told it").containsExactly("d");
    crash("a");
    if (startedAgain) {
      crash("d");
      open("d", false);
    }
    untold = "";
    cutOff.clear();
    assertSomeIsElected("b", "d");
    assertThat(relayed).containsOnly(Calls.LACKING_ENTRIES);
    untilAllKnow(List.of("a", "b", "d"), "b", "d");
  }

  /** What it would be told does not count in its term: it votes as it is. */
  @Test
  void whoWasNotToldThatItVotesVotesAlsoInALaterTerm() throws Exception {
    found();
    open("b", true);
    change(List.of("a"), List.of("a", "b"));
    open("d", true);
    untold = "d";
    change(List.of("a", "b"), List.of("a", "b", "d"));
    crash("a");
    log("d").receive("a", ofALeaderThatIsCatchingItUp("a", "d", 7));
    until(() -> log("d").hasLeader());
    crash("d");
    open("d", false);
    untold = "";
    cutOff.clear();
    long start = System.nanoTime();
    while (elected.isEmpty() && System.nanoTime() - start < 60_000_000_000L) {
      if (!log("d").isOpen()) { // as its host does, when it is asked for its vote
        crash("d");
        open("d", false);
      }
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(elected.poll()).isEqualTo("b");
    assertThat(relayed).contains(Calls.LACKING_ENTRIES);
  }

  private static byte[] ofALeaderThatIsCatchingItUp(String from, String to, long term) {
    byte[] request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(
                RaftRpcRequestProto.newBuilder()
                    .setRequestorId(ByteString.copyFromUtf8(from))
                    .setReplyId(ByteString.copyFromUtf8(to))
                    .setRaftGroupId(
                        RaftGroupIdProto.newBuilder()
                            .setId(RaftGroupId.valueOf(ID).toByteString())))
            .setLeaderTerm(term)
            .setInitializing(true)
            .build()
            .toByteArray();
    return ByteBuffer.allocate(9 + request.length)
        .put(Calls.APPEND)
        .putLong(1)
        .put(request)
        .array();
  }

  @Test
  void whoWasCutOffWhileTheVotersChangedVotesForOneThatItDoesNotKnow() throws Exception {
    replaceBWhileXIsCutOff(0);
    assertSomeIsElected("d", "x");
    assertThat(relayed).containsOnly(Calls.LACKING_ENTRIES);
    untilAllKnow(List.of("a", "d", "x"), "d", "x");
  }

  @Test
  void whoWasCutOffForSoLongThatEntriesWereForgottenGetsASnapshot() throws Exception {
    replaceBWhileXIsCutOff(ENTRIES_FOR_A_SNAPSHOT);
    assertSomeIsElected("d", "x");
    assertThat(relayed).contains(Calls.LACKING_STATE);
    untilAllKnow(List.of("a", "d", "x"), "d", "x");
    until(() -> applied("x") >= ENTRIES_FOR_A_SNAPSHOT);
  }

  private void replaceBWhileXIsCutOff(int entries) throws Exception {
    found();
    open("b", true);
    change(List.of("a"), List.of("a", "b"));
    open("x", true);
    change(List.of("a", "b"), List.of("a", "b", "x"));
    untilAllKnow(List.of("a", "b", "x"), "b", "x");
    cutOff.add("x");
    for (int k = 1; k <= entries; k++) {
      log("a").propose(new byte[] {1});
      int sofar = k;
      until(() -> applied("a") >= sofar);
    }
    open("d", true);
    change(List.of("a", "b", "x"), List.of("a", "b", "d", "x"));
    change(List.of("a", "b", "d", "x"), List.of("a", "d", "x"));
    untilAllKnow(List.of("a", "d", "x"), "d");
    crash("a");
    crash("b");
    assertThat(log("x").voters()).containsExactly("a", "b", "x");
    cutOff.clear();
  }

  private void untilAllKnow(List<String> voters, String... ids) {
    for (String id : ids) {
      RatisLog log = log(id);
      until(() -> log.voters().equals(voters) && !log.isChanging());
    }
  }

  private static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(30_000_000_000L);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
