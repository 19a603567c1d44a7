package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.cluster.Frame.Hello;
import io.baton.member.Newcomer;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who founds a cluster where more than one is told to. */
class MeetingTest {
  private static final Newcomer ME = new Newcomer("m", "localhost:1", 1);

  private final Meeting meeting =
      new Meeting(
          new NodeConfig(
              "c",
              "m",
              Path.of("nowhere"),
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              Optional.empty(),
              List.of(),
              Optional.of("localhost:2"),
              true,
              true,
              3,
              Duration.ofSeconds(1),
              Duration.ofSeconds(1),
              false,
              Duration.ofSeconds(10),
              true,
              Shape.STAR,
              Settings.ofSecond(1_000_000_000L),
              Rules.NAIMI_TREHEL),
          ME.id());

  private List<Newcomer> foundersBeside(String id, boolean founds) {
    Hello other = new Hello(1, 1, "c", Frame.NO_CLUSTER, id, 0, 1, 2, 3, founds, "localhost:2");
    return meeting.founders(Map.of(id, other), ME);
  }

  @Test
  void theLeastOfThoseThatAreToldToFoundDoes() {
    assertThat(foundersBeside("a", true)).as("that one does").isEmpty();
    assertThat(foundersBeside("z", true)).containsExactly(ME);
    assertThat(foundersBeside("a", false)).as("that one only joins").containsExactly(ME);
  }
}
