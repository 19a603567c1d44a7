package io.baton.cluster;

import io.baton.member.View;
import java.util.stream.Collectors;

/** What people read in the log. */
final class Texts {
  private Texts() {}

  static String of(View view) {
    String members =
        view.places().stream()
            .map(place -> place.peer().id() + " at " + place.address())
            .collect(Collectors.joining(", "));
    return "view " + view.number() + ", epoch " + view.epoch() + ": " + members;
  }
}
