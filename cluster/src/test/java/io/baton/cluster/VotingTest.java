package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Command.Newcomer;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member that is asked to vote; all it does is done at once. */
@Timeout(60)
class VotingTest {
  private static final Settings SETTINGS = Settings.ofSecond(200_000_000L);

  private final ScheduledThreadPoolExecutor loop = new ScheduledThreadPoolExecutor(1);
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
            Runnable::run,
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

  @Test
  void whoLeavesDoesNotBeginToVote() {
    voting.close();
    promote();
    assertThat(identity.votes()).isFalse();
  }

  @Test
  void whoCameToAStopByADefectDoesNotBeginToVote() {
    var unused = HostTest.breakByADefect(host);
    promote();
    assertThat(identity.votes()).isFalse();
  }
}
