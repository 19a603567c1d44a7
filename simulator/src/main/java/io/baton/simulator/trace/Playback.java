package io.baton.simulator.trace;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Names;
import io.baton.algorithms.Snapshot;
import io.baton.algorithms.State;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.RequestChecks;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A system without time that performs whatever steps it is told, and records them. */
public final class Playback implements Stage.Outbox {
  private final boolean lastByDefault; // which option to take where no choice is given
  private final Queue<String> choices = new ArrayDeque<>();
  private final Recorder recorder = new Recorder(this::nextChoice, false);
  private final Stage stage;
  private final List<Listener> listeners;
  private final List<Step.Ring> alarms = new ArrayList<>();

  /** A system in its initial state, whose choices beyond those given are the first option. */
  public Playback(SystemSpec spec, Catalogue.Builder builder) {
    this(spec, builder, false);
  }

  /** A system in its initial state. */
  Playback(SystemSpec spec, Catalogue.Builder builder, boolean lastByDefault) {
    this.lastByDefault = lastByDefault;
    LockSystem system = builder.build(spec, recorder);
    this.stage = new Stage(system, this);
    this.listeners = new ArrayList<>(List.of(recorder));
    this.listeners.addAll(RequestChecks.of(system));
  }

  private int nextChoice(List<String> options) {
    String choice = choices.poll();
    int byDefault = lastByDefault ? options.size() - 1 : 0;
    int index = choice == null ? byDefault : options.indexOf(choice);
    return index < 0 ? byDefault : index;
  }

  /** The step that a trace names; null where it cannot happen now. */
  public @Nullable Step find(String text) {
    String[] words = text.split(" ", -1);
    if (words.length > 1 && (words[0].equals("drop") || words[0].equals("duplicate"))) {
      Step.Delivery delivery = recorder.transit().find(text.substring(words[0].length() + 1));
      if (delivery == null) {
        return null;
      }
      return words[0].equals("drop") ? new Step.Drop(delivery) : new Step.Duplicate(delivery);
    }
    if (text.contains(" -> ")) {
      return recorder.transit().find(text);
    }
    int node = words.length > 1 ? node(words[1]) : -1;
    if (node < 0 || node >= stage.nodes()) {
      return null;
    }
    return switch (words[0]) {
      case "enter" ->
          stage.isUp(node) && stage.phase(node) == Stage.Phase.IDLE ? new Step.Enter(node) : null;
      case "exit" -> stage.phase(node) == Stage.Phase.INSIDE ? new Step.Exit(node) : null;
      case "crash" -> stage.isUp(node) ? new Step.Crash(node) : null;
      case "recover" -> stage.isUp(node) ? null : new Step.Recover(node);
      case "alarm" ->
          alarms.stream()
              .filter(ring -> recorder.transit().text(ring).equals(text))
              .findFirst()
              .orElse(null);
      default -> null;
    };
  }

  private static int node(String text) {
    try {
      return Integer.parseInt(text) - 1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /**
   * Performs a step and checks the invariants.
   *
   * @param taken the choices where the system leaves them open; the first option beyond them
   * @return what it broke, or null
   */
  public @Nullable Violation perform(Step step, List<String> taken) {
    choices.clear();
    choices.addAll(taken);
    if (step instanceof Step.Ring ring) {
      alarms.remove(ring);
    } else if (step instanceof Step.Crash) {
      alarms.removeIf(ring -> ring.node() == step.node());
    }
    for (Listener listener : listeners) {
      listener.before(0, step, stage);
    }
    Violation violation = stage.perform(step);
    violation = violation == null ? stage.check() : violation;
    for (Listener listener : listeners) {
      Violation seen = listener.after(step, stage);
      violation = violation == null ? seen : violation;
    }
    return violation;
  }

  /**
   * Delivers what is in transit, oldest first, and lets everybody out, until nothing is left.
   *
   * @return what it broke, requests that are never granted included; null where all is well
   */
  public @Nullable Violation drain() {
    long patience = 1000 + 8L * stage.nodes() * stage.nodes();
    for (Step step = next(); step != null; step = next()) {
      Violation violation = perform(step, List.of());
      if (violation != null) {
        return violation;
      }
      if (--patience == 0) {
        return new Violation(Violation.LIVENESS, "messages go on without end");
      }
    }
    return stuck();
  }

  private @Nullable Step next() {
    for (int node = 0; node < stage.nodes(); node++) {
      if (stage.inside(node)) {
        return new Step.Exit(node);
      }
    }
    List<Step.Delivery> messages = recorder.transit().messages();
    return messages.isEmpty() ? null : messages.get(0);
  }

  private @Nullable Violation stuck() {
    List<String> waiting = users(Stage.Phase.WAITING);
    return waiting.isEmpty()
        ? null
        : new Violation(Violation.LIVENESS, "never granted: " + String.join(", ", waiting));
  }

  private List<String> users(Stage.Phase phase) {
    List<String> users = new ArrayList<>();
    for (int node = 0; node < stage.nodes(); node++) {
      if (stage.phase(node) == phase) {
        users.add(Names.of(node));
      }
    }
    return users;
  }

  /** Whether nothing is left to happen by itself. */
  boolean isAtRest() {
    return next() == null && alarms.isEmpty();
  }

  /** What is going on, in words. */
  String whatGoesOn() {
    return String.format(
        "in transit %s, waiting %s, inside %s",
        inTransit(), users(Stage.Phase.WAITING), users(Stage.Phase.INSIDE));
  }

  /** Every node's father now; empty where nodes have no such variable. */
  List<String> fathers() {
    return fathers(stage);
  }

  static List<String> fathers(Stage stage) {
    List<String> fathers = new ArrayList<>();
    for (int node = 0; node < stage.nodes(); node++) {
      for (State.Variable variable : stage.state(node).variables()) {
        if (variable.name().equals("father")) {
          fathers.add(variable.value());
        }
      }
    }
    return List.copyOf(fathers);
  }

  /** The step performed last. */
  TraceLine last() {
    return recorder.last();
  }

  /** What has been performed so far. */
  public List<TraceLine> lines() {
    return recorder.lines();
  }

  /** The messages in transit, as a trace names them. */
  public List<String> inTransit() {
    return recorder.transit().messages().stream().map(recorder.transit()::text).toList();
  }

  @Override
  public void sent(Step.Delivery delivery) {
    for (Listener listener : listeners) {
      listener.sent(delivery);
    }
  }

  @Override
  public void granted(int node) {
    for (Listener listener : listeners) {
      listener.granted(node);
    }
  }

  @Override
  public void alarmSet(int node, Alarm alarm, long delay) {
    Step.Ring ring = new Step.Ring(node, alarm);
    alarms.remove(ring);
    alarms.add(ring);
  }

  @Override
  public void inTransit(Snapshot.Visitor visitor) {
    for (Step.Delivery delivery : recorder.transit().messages()) {
      visitor.message(delivery.from(), delivery.to(), delivery.message());
    }
  }
}
