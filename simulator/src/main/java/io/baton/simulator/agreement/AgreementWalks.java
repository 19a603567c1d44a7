package io.baton.simulator.agreement;

import io.baton.simulator.agreement.VoterSystem.Kind;
import io.baton.simulator.random.Generator;
import java.util.ArrayList;
import java.util.List;

/**
 * Long schedules of a few voters by chance, where there are too many to visit all: mostly messages
 * arrive, now and then somebody is asked for a vote, publishes, or restarts.
 */
public final class AgreementWalks {
  private static final int TRIES = 5; // of those that may change nothing
  private static final int RESTARTS = 2; // of a hundred draws
  private static final int CALLS = 7;
  private static final int CHOICES = 18;

  private record Step(int node, int event, Kind kind) {}

  private final Bounds bounds;
  private final int length;
  private VoterSystem system; // a new one for each walk: what it does depends on its seed alone
  private long transitions;

  /**
   * Walks within bounds.
   *
   * @param length how many steps each has at most
   */
  public AgreementWalks(Bounds bounds, int length) {
    this.bounds = bounds;
    this.length = length;
    this.system = new VoterSystem(bounds);
  }

  /** Takes one walk after the other, each by its own seed, until a promise is broken. */
  public Outcome run(long firstSeed, long lastSeed) {
    for (long seed = firstSeed; seed <= lastSeed; seed++) {
      system = new VoterSystem(bounds);
      List<Step> steps = walk(Generator.of(seed, "agreement"));
      String broken = system.broken();
      if (broken != null) {
        return new Outcome(seed - firstSeed + 1, transitions, false, broken, shortened(steps));
      }
    }
    return new Outcome(lastSeed - firstSeed + 1, transitions, false, null, List.of());
  }

  private List<Step> walk(Generator chance) {
    List<Step> steps = new ArrayList<>();
    int[] state = system.initial();
    for (int k = 0; k < TRIES * length && steps.size() < length; k++) {
      Step step = next(state, chance);
      int[] after = system.after(state, step.node(), step.event(), step.kind());
      if (after != null) {
        transitions++;
        steps.add(step);
        state = after;
      }
      if (system.broken() != null) {
        break;
      }
    }
    return steps;
  }

  private Step next(int[] state, Generator chance) {
    int draw = chance.nextInt(100);
    if (draw < RESTARTS && system.mayRestart()) {
      int node = chance.nextInt(system.nodeCount());
      return new Step(node, -1, chance.nextBoolean(0.5) ? Kind.RESTARTS : Kind.RESTARTS_WITH_ALL);
    }
    List<Step> steps = new ArrayList<>();
    if (draw < CALLS) {
      addChoices(state, true, steps);
    } else if (draw < CHOICES) {
      addChoices(state, false, steps);
    }
    if (steps.isEmpty()) {
      addMessages(state, steps);
    }
    if (steps.isEmpty()) {
      addChoices(state, true, steps);
    }
    Step step = steps.get(chance.nextInt(steps.size()));
    boolean crashes = chance.nextInt(20) == 0 && system.mayCrash(state, step.node(), step.event());
    return crashes ? new Step(step.node(), step.event(), Kind.CRASHES) : step;
  }

  private void addMessages(int[] state, List<Step> steps) {
    for (int node = 0; node < system.nodeCount(); node++) {
      system.visitMessages(
          state, node, (receiver, event, kind) -> steps.add(new Step(receiver, event, kind)));
    }
  }

  private void addChoices(int[] state, boolean calls, List<Step> steps) {
    for (int node = 0; node < system.nodeCount(); node++) {
      for (int event : system.choicesAt(node, state[2 * node])) {
        if (system.isCall(event) == calls) {
          steps.add(new Step(node, event, Kind.HAPPENS));
        }
      }
    }
  }

  /** The same without the steps that the end does not need. */
  private List<String> shortened(List<Step> steps) {
    List<Step> left = new ArrayList<>(steps);
    for (int k = left.size() - 1; k >= 0; k--) {
      Step tried = left.remove(k);
      if (!breaks(left)) {
        left.add(k, tried);
      }
    }
    breaks(left);
    return left.stream().map(step -> system.text(step.node(), step.event(), step.kind())).toList();
  }

  private boolean breaks(List<Step> steps) {
    system.forgetBroken();
    int[] state = system.initial();
    for (Step step : steps) {
      if (!isPossible(state, step)) {
        return false;
      }
      int[] after = system.after(state, step.node(), step.event(), step.kind());
      state = after == null ? state : after;
      if (system.broken() != null) {
        return true;
      }
    }
    return false;
  }

  private boolean isPossible(int[] state, Step step) {
    boolean[] found = {step.event() < 0};
    system.visitMessages(
        state, step.node(), (node, event, kind) -> found[0] |= event == step.event());
    for (int event : system.choicesAt(step.node(), state[2 * step.node()])) {
      found[0] |= event == step.event();
    }
    return found[0];
  }
}
