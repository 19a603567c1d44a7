package io.baton.simulator.trace;

import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes a failing trace short: leaves out stretches of steps, long ones first, as long as the same
 * promise stays broken. A step that can no longer happen once others are gone is left out with
 * them.
 */
public final class Shrinker {
  private static final int MAX_ATTEMPTS = 4000;
  private static final long MAX_STEPS = 500_000; // of all attempts together

  private final SystemSpec spec;
  private final Catalogue.Builder builder;
  private final String invariant;
  private int attempts;
  private long steps;

  private Shrinker(SystemSpec spec, Catalogue.Builder builder, String invariant) {
    this.spec = spec;
    this.builder = builder;
    this.invariant = invariant;
  }

  private record Attempt(List<TraceLine> lines, Violation violation) {
    Trace trace(SystemSpec spec) {
      return Trace.of(spec, lines, violation);
    }
  }

  /** A short trace that breaks the same promise as these steps do; null where they do not. */
  public static @Nullable Trace shrink(
      SystemSpec spec, Catalogue.Builder builder, List<TraceLine> lines, Violation violation) {
    Shrinker shrinker = new Shrinker(spec, builder, violation.invariant());
    Attempt whole = shrinker.attempt(lines);
    if (whole == null) {
      return null;
    }
    Attempt best = shrinker.shrink(shrinker.failEarlier(whole));
    for (int nodes = 1; nodes < spec.nodes(); nodes++) {
      Optional<SystemSpec> fewer = spec.withFirst(nodes);
      if (fewer.isPresent()) {
        Attempt attempt =
            new Shrinker(fewer.get(), builder, violation.invariant()).attempt(best.lines());
        if (attempt != null && attempt.lines().size() == best.lines().size()) {
          return attempt.trace(fewer.get());
        }
      }
    }
    return best.trace(spec);
  }

  /** Where a message was lost or doubled: tries the same on each message before. */
  private Attempt failEarlier(Attempt whole) {
    for (int k = 0; k < whole.lines().size() && goesOn(); k++) {
      String verb = whole.lines().get(k).step().split(" ", -1)[0];
      if (verb.equals("drop") || verb.equals("duplicate")) {
        Playback playback = new Playback(spec, builder);
        for (int from = 0; from < k && goesOn(); from++) {
          play(playback, whole.lines().get(from));
          for (String message : new LinkedHashSet<>(playback.inTransit())) {
            List<TraceLine> candidate = new ArrayList<>(whole.lines().subList(0, from + 1));
            candidate.add(new TraceLine(null, verb + " " + message, List.of(), ""));
            Attempt attempt = attempt(candidate);
            if (attempt != null && attempt.lines().size() < whole.lines().size()) {
              return attempt;
            }
          }
        }
      }
    }
    return whole;
  }

  private boolean goesOn() {
    return attempts < MAX_ATTEMPTS && steps < MAX_STEPS;
  }

  private Attempt shrink(Attempt whole) {
    Attempt best = whole;
    int stretch = Math.max(1, best.lines().size() / 2);
    while (stretch >= 1 && goesOn()) {
      boolean shorter = false;
      for (int from = 0; from < best.lines().size() && goesOn(); ) {
        List<TraceLine> rest = new ArrayList<>(best.lines().subList(0, from));
        int to = Math.min(best.lines().size(), from + stretch);
        rest.addAll(best.lines().subList(to, best.lines().size()));
        Attempt attempt = attempt(rest);
        if (attempt != null && attempt.lines().size() < best.lines().size()) {
          best = attempt;
          shorter = true;
        } else {
          from += stretch;
        }
      }
      if (!shorter) {
        stretch /= 2;
      }
    }
    return best;
  }

  private static @Nullable Violation play(Playback playback, TraceLine line) {
    Violation violation = playback.advance(line);
    return violation == null && playback.canPlay(line) ? playback.play(line) : violation;
  }

  /** Plays what can be played of these steps; null unless the promise is broken in the end. */
  private @Nullable Attempt attempt(List<TraceLine> lines) {
    Playback playback = new Playback(spec, builder, false);
    Attempt first = attempt(lines, playback);
    boolean otherwise = first == null && playback.hasChosen();
    return otherwise ? attempt(lines, new Playback(spec, builder, true)) : first;
  }

  private @Nullable Attempt attempt(List<TraceLine> lines, Playback playback) {
    attempts++;
    Violation violation = null;
    for (int k = 0; k < lines.size() && violation == null; k++) {
      violation = play(playback, lines.get(k));
    }
    if (violation == null) {
      violation = playback.drain(); // what was left out may still come to pass
    }
    steps += playback.lines().size();
    return violation != null && violation.invariant().equals(invariant)
        ? new Attempt(playback.lines(), violation)
        : null;
  }
}
