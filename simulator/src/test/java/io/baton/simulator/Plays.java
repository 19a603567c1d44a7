package io.baton.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.run.Step;
import io.baton.simulator.trace.Playback;
import io.baton.simulator.trace.TraceLine;
import java.util.List;

/** Scenarios written as the lines of a trace. */
final class Plays {
  private Plays() {}

  /** Performs the steps, none of which may break a promise. */
  static void play(Playback playback, String... steps) {
    for (String text : steps) {
      Step step = playback.find(text);
      assertThat(step).as("%s; in transit %s", text, playback.inTransit()).isNotNull();
      assertThat(playback.perform(step, List.of())).as(text).isNull();
    }
  }

  /** Who has entered, in order. */
  static List<String> entered(Playback playback) {
    return playback.lines().stream()
        .map(TraceLine::changes)
        .filter(changes -> changes.contains("enters"))
        .map(changes -> changes.replaceFirst(" enters.*", ""))
        .toList();
  }
}
