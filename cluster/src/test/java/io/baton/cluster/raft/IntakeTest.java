package io.baton.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Ratis is told and when, with a Ratis that writes when it is told to. */
@Timeout(60)
class IntakeTest {
  private static final long APPLIED = 5;

  private final LinkedBlockingQueue<CompletableFuture<AppendEntriesReplyProto>> begun =
      new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> stopped = new LinkedBlockingQueue<>();
  private final AtomicBoolean open = new AtomicBoolean(true);
  private final Path folder;
  private final Intake intake;

  IntakeTest(@TempDir Path folder) {
    this.folder = folder;
    RaftConfiguration voters =
        fake(
            RaftConfiguration.class,
            Map.of(
                "getLogEntryIndex", () -> 0L,
                "getCurrentPeers", List::of,
                "getPreviousPeers", List::of));
    RaftLog log = fake(RaftLog.class, Map.of("getTermIndex", () -> TermIndex.valueOf(1, 7)));
    RaftServer.Division division =
        fake(
            RaftServer.Division.class,
            Map.of("getRaftConf", () -> voters, "getRaftLog", () -> log));
    RaftServer server =
        fake(
            RaftServer.class,
            Map.of(
                "getGroupIds", () -> List.of(RaftGroupId.randomId()),
                "getDivision", () -> division,
                "appendEntriesAsync", this::begin));
    intake =
        new Intake(
            server,
            new Calls.Host(
                (to, message) -> {},
                folder,
                Duration.ofSeconds(1),
                () -> APPLIED,
                stopped::add,
                open::get));
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it is the answer of a fake
  private Object begin() {
    CompletableFuture<AppendEntriesReplyProto> written = new CompletableFuture<>();
    begun.add(written);
    return written;
  }

  /** Answers by the name of a method. */
  private static <T> T fake(Class<T> type, Map<String, Supplier<Object>> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Supplier<Object> answer = answers.get(method.getName());
              if (answer == null) {
                throw new UnsupportedOperationException(method.getName());
              }
              return answer.get();
            }));
  }

  private static AppendEntriesRequestProto entryOfTerm(long term) {
    return AppendEntriesRequestProto.newBuilder()
        .addEntries(LogEntryProto.newBuilder().setTerm(term).setIndex(7))
        .build();
  }

  private static AppendEntriesReplyProto done() {
    return AppendEntriesReplyProto.newBuilder().setResult(AppendResult.SUCCESS).build();
  }

  /** Ratis would say of the second that it is written when the first is. */
  @Test
  void entriesWaitUntilThoseBeforeAreWritten() throws Exception {
    var first = intake.append(entryOfTerm(1));
    CompletableFuture<AppendEntriesReplyProto> writing = begun.take();
    CompletableFuture<Void> second =
        CompletableFuture.runAsync(
            () -> {
              try {
                intake.append(entryOfTerm(2)).get();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(begun.poll(300, TimeUnit.MILLISECONDS)).as("the second").isNull();
    writing.complete(done());
    begun.take().complete(done());
    second.get();
    assertThat(first).isCompleted();
  }

  @Test
  void whileEntriesAreGivenUpItIsUnsureWhoVotes() throws Exception {
    var kept = intake.append(entryOfTerm(1));
    assertThat(intake.isUnsure()).as("nothing is given up").isFalse();
    begun.take().complete(done());
    assertThat(kept).isCompleted();
    var givenUp = intake.append(entryOfTerm(2));
    assertThat(intake.isUnsure()).isTrue();
    begun.take().complete(done());
    assertThat(givenUp).isCompleted();
    assertThat(intake.isUnsure()).isFalse();
    assertThat(stopped).isEmpty();
  }

  /** It would pass for sure then, though it was stopped for not being so. */
  @Test
  void whatComesWhenTheLogHasStoppedIsNotTaken() throws Exception {
    var first = intake.append(entryOfTerm(2));
    open.set(false);
    begun.take().complete(done());
    assertThat(first).isCompleted();
    assertThatThrownBy(() -> intake.append(entryOfTerm(1))).hasMessage("The log comes to a stop");
    assertThat(begun).isEmpty();
  }

  @Test
  void onlyVotersThatAreCertainAreSent() throws Exception {
    Files.write(folder.resolve("raft-meta.conf"), votersAt(APPLIED).toByteArray());
    assertThat(intake.certainVoters()).isEqualTo(votersAt(APPLIED));
    Files.write(folder.resolve("raft-meta.conf"), votersAt(APPLIED + 1).toByteArray());
    assertThatThrownBy(intake::certainVoters).hasMessage("It is not certain who votes");
  }

  private static LogEntryProto votersAt(long index) {
    return LogEntryProto.newBuilder()
        .setIndex(index)
        .setConfigurationEntry(RaftConfigurationProto.getDefaultInstance())
        .build();
  }

  @Test
  void aLogThatCannotWriteStops() throws Exception {
    var unused = intake.append(entryOfTerm(1));
    begun.take().completeExceptionally(new IllegalStateException("a gap"));
    assertThat(stopped).containsExactly("entries could not be written: a gap");
  }
}
