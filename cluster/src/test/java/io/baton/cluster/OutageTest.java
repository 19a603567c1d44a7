package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Peer;
import io.baton.member.Shape;
import io.baton.member.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OutageTest {
  private static final long SECOND = 1_000_000_000L;

  private final Outage outage = new Outage("me", 5 * SECOND);

  private List<String> said(boolean can, int from, int to) {
    List<String> said = new ArrayList<>();
    for (int second = from; second <= to; second++) {
      String words = outage.look(can, second * SECOND, () -> "why");
      if (words != null) {
        said.add(second + " " + words);
      }
    }
    return said;
  }

  @Test
  void whoCanHoldNothingSaysSoAfterTwoLeasesAndThenOnceAMinute() {
    assertThat(said(false, 0, 140))
        .containsExactly(
            "13 me can hold no lock, for 13 s by now: why",
            "74 me can hold no lock, for 74 s by now: why",
            "135 me can hold no lock, for 135 s by now: why");
    assertThat(said(true, 141, 150)).containsExactly("141 me can hold locks again");
  }

  @Test
  void whoCanInBetweenSaysNothing() {
    assertThat(said(false, 0, 12)).isEmpty();
    assertThat(said(true, 13, 13)).isEmpty();
    assertThat(said(false, 14, 26)).isEmpty();
  }

  @Test
  void itNamesWhomItLacks() {
    View view =
        new View(
            1,
            1,
            3,
            Shape.CUBE,
            List.of(
                new View.Place(new Peer("me", 1), "127.0.0.1:1", 1),
                new View.Place(new Peer("b", 1), "127.0.0.1:2", 1),
                new View.Place(new Peer("c", 1), "127.0.0.1:3", 1)));
    List<String> voters = List.of("me", "b", "d");
    assertThat(Outage.lacking(view, voters, "me", Set.of("b")))
        .isEqualTo(
            "no majority of the voters answers; not connected: d, a voter; c at 127.0.0.1:3");
    assertThat(Outage.lacking(view, voters, "me", Set.of("b", "c", "d")))
        .isEqualTo("all members are connected, and no majority of the voters has answered yet");
  }
}
