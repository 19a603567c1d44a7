package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Newcomer;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member that is asked to vote; all it does is done at once. */
@Timeout(60)
class VotingTest {
  private static final byte VOTE = 1;
  private static final byte APPEND = 2;
  private static final Settings SETTINGS = Settings.ofSecond(200_000_000L);

  private final ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(1);
  private final AtomicInteger steps = new AtomicInteger(); // in the background, two to open a log
  private final Identity identity;
  private final Host host;
  private final Transport transport;
  private final Voting voting;

  VotingTest(@TempDir Path folder) throws IOException {
    NodeConfig config =
        new NodeConfig(
            "c",
            "m",
            folder,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            false,
            false,
            3,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            false,
            Duration.ofSeconds(10),
            Shape.CUBE,
            SETTINGS,
            Rules.NAIMI_TREHEL);
    identity = Identity.open(folder, "c", "m");
    identity.adopt(UUID.randomUUID());
    host =
        new Host(
            new Host.Origin(identity.id(), "local", identity.run(), SETTINGS, config.rules()),
            Clock.ofThisMachine(),
            loop,
            Runnable::run);
    transport = new Transport("transport", () -> null, false, SETTINGS.lease());
    voting =
        new Voting(
            config,
            identity,
            host,
            transport,
            Runnable::run,
            task -> {
              steps.incrementAndGet();
              task.run();
            },
            failure -> {
              throw new AssertionError(failure);
            });
  }

  @AfterEach
  void close() {
    voting.close();
    transport.close();
    identity.close();
    loop.shutdownNow();
  }

  private void promote() {
    voting.promote("leader", new Newcomer(identity.id(), "local", identity.run()));
  }

  @Test
  void whoIsAskedToVoteDoes() {
    promote();
    assertThat(identity.votes()).isTrue();
  }

  /**
   * One that is to vote, and has not heard that it does, is asked nothing for so long that it tries
   * to be elected: Ratis closes its log then, though others may count on its vote already.
   */
  @ParameterizedTest
  @ValueSource(bytes = {APPEND, VOTE})
  void whoseLogClosedBeforeItWasToldThatItVotesOpensItWhenSpokenTo(byte kind) {
    promote();
    voting.receive("leader", message(APPEND, heartbeat()));
    long start = System.nanoTime();
    while (System.nanoTime() - start < 7_000_000_000L) {
      keep();
    }
    assertThat(steps).as("nobody speaks to it").hasValue(2);
    while (steps.get() < 5 && System.nanoTime() - start < 40_000_000_000L) {
      voting.receive("leader", message(kind, heartbeat()));
      keep();
    }
    assertThat(steps).as("it opened its log once more").hasValue(5);
  }

  private void keep() {
    voting.keep(List.of(), new Newcomer(identity.id(), "local", identity.run()));
    LockSupport.parkNanos(50_000_000L);
  }

  /** As a leader sends it that counts on this voter. */
  private byte[] heartbeat() {
    ByteBuffer id = ByteBuffer.allocate(16);
    id.putLong(identity.clusterId().getMostSignificantBits());
    id.putLong(identity.clusterId().getLeastSignificantBits()).flip();
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(ByteString.copyFromUtf8("leader"))
                .setReplyId(ByteString.copyFromUtf8(identity.id()))
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(ByteString.copyFrom(id))))
        .setLeaderTerm(1)
        .build()
        .toByteArray();
  }

  private static byte[] message(byte kind, byte[] request) {
    return ByteBuffer.allocate(9 + request.length).put(kind).putLong(1).put(request).array();
  }

  @Test
  void whoLeavesDoesNotBeginToVote() {
    voting.close();
    promote();
    assertThat(identity.votes()).isFalse();
  }

  @Test
  void whoCameToAStopByADefectDoesNotBeginToVote() {
    var unused =
        HostTest.breakBy(
            host,
            () -> {
              throw new IllegalStateException("planted");
            });
    promote();
    assertThat(identity.votes()).isFalse();
  }
}
