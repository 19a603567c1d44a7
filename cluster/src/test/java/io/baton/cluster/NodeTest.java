package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Loss;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member on a machine of its own, alone. */
@Timeout(60)
class NodeTest {
  private final NodeConfig config;

  NodeTest(@TempDir Path folder) {
    config =
        new NodeConfig(
            "c",
            "m",
            folder,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            true,
            false,
            3,
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            false,
            Duration.ofSeconds(10),
            true,
            Shape.STAR,
            Settings.ofSecond(2_000_000_000L),
            Rules.NAIMI_TREHEL);
  }

  private static Grip take(Host host) throws Exception {
    CompletableFuture<Claim> granted = new CompletableFuture<>();
    host.acquire(new Claim(host, "x", Terms.NONE, granted::complete));
    Grip grip = granted.get(30, TimeUnit.SECONDS).taken();
    assertThat(grip).isNotNull();
    return grip;
  }

  @Test
  void aMemberWhoseEventLoopEndsByItselfEndsWholeAndLeavesItsFolder() throws Exception {
    Node node = Node.start(config);
    CompletableFuture<Loss> lost = new CompletableFuture<>();
    take(node.host()).onLost(lost::complete);
    var unused = node.loop().parent().shutdownGracefully(0, 1, TimeUnit.SECONDS);
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.CLOSED);
    assertThat(node.host().brokenBy()).hasMessage("The event loop has ended");
    node.close(); // returns once all of it has ended
    Node again = Node.start(config);
    assertThat(take(again.host()).isValid()).isTrue();
    again.close();
  }

  @Test
  void anErrorOnTheEventLoopEndsTheMemberWhole() throws Exception {
    Node node = Node.start(config);
    CompletableFuture<Loss> lost = new CompletableFuture<>();
    take(node.host()).onLost(lost::complete);
    node.onLoop(
        () -> {
          throw new NoClassDefFoundError("planted");
        });
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(Loss.CLOSED);
    assertThat(node.host().brokenBy()).hasMessage("planted");
    node.close();
  }
}
