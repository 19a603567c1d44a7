package io.baton.simulator.trace;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Snapshot;
import io.baton.algorithms.State;
import io.baton.simulator.random.Ticks;
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
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A system that performs whatever steps it is told, and records them.
 *
 * <p>Where the algorithm counts time in δ, every step has its time: alarms ring when they are due,
 * after the messages that must have come by then, and a message that nothing is said of comes when
 * δ is over. Elsewhere time plays no part.
 */
public final class Playback implements Stage.Outbox {
  private final boolean lastByDefault; // which option to take where no choice is given
  private final Queue<String> choices = new ArrayDeque<>();
  private final boolean timed;
  private final Recorder recorder;
  private final LockSystem system;
  private final Stage stage;
  private final List<Listener> listeners;
  private final List<Due> dues = new ArrayList<>(); // alarms and, where there is time, messages
  private boolean chosen;
  private long now;
  private int late; // messages that took longer than δ

  /** A system in its initial state, whose choices beyond those given are the first option. */
  public Playback(SystemSpec spec, Catalogue.Builder builder) {
    this(spec, builder, false);
  }

  /** A system in its initial state. */
  Playback(SystemSpec spec, Catalogue.Builder builder, boolean lastByDefault) {
    this.lastByDefault = lastByDefault;
    this.timed = Catalogue.find(spec.algorithm()).timed();
    this.recorder = new Recorder(this::nextChoice, timed);
    this.system = builder.build(spec, recorder);
    this.stage = new Stage(system, this);
    this.listeners = new ArrayList<>(List.of(recorder));
    this.listeners.addAll(RequestChecks.of(system));
  }

  /** What happens by itself at this time, if not before. */
  private record Due(long time, Step step) {
    boolean isAlarm() {
      return step instanceof Step.Ring;
    }
  }

  /** Whether a choice had to be made that was not given. */
  boolean hasChosen() {
    return chosen;
  }

  private int nextChoice(List<String> options) {
    String choice = choices.poll();
    chosen |= choice == null;
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
      Step.Delivery delivery = recorder.transit().find(text);
      return delivery != null && stage.canArrive(delivery.from(), delivery.to()) ? delivery : null;
    }
    int node = words.length > 1 ? node(words[1]) : -1;
    if (node < 0 || node >= stage.nodes()) {
      return null;
    }
    return switch (words[0]) {
      case "enter" -> enter(node, resource(words));
      case "exit" -> exit(node, resource(words));
      case "crash" -> stage.isUp(node) ? new Step.Crash(node) : null;
      case "recover" -> possible(new Step.Recover(node));
      case "leave" -> possible(new Step.Leave(node));
      case "gone" -> possible(new Step.Gone(node));
      case "cut" -> possible(new Step.Cut(node, neighbour(words)));
      case "mend" -> possible(new Step.Mend(node, neighbour(words)));
      case "lost" -> possible(new Step.Lost(node, neighbour(words)));
      case "found" -> possible(new Step.Found(node, neighbour(words)));
      case "trust" -> possible(new Step.Trust(node, neighbour(words)));
      case "suspect" -> possible(new Step.Suspect(node, neighbour(words)));
      case "alarm" ->
          dues.stream()
              .filter(due -> due.isAlarm() && recorder.transit().text(due.step()).equals(text))
              .map(Due::step)
              .findFirst()
              .orElse(null);
      default -> null;
    };
  }

  private @Nullable Step possible(Step step) {
    return stage.canHappen(step) ? step : null;
  }

  private int neighbour(String[] words) {
    int neighbour = words.length > 2 ? node(words[2]) : -1;
    return neighbour < stage.nodes() ? neighbour : -1;
  }

  private @Nullable Step enter(int node, int resource) {
    boolean possible =
        resource < stage.resources()
            && stage.isUp(node)
            && stage.phase(node, resource) == Stage.Phase.IDLE;
    return possible ? new Step.Enter(node, resource) : null;
  }

  private @Nullable Step exit(int node, int resource) {
    boolean possible = resource < stage.resources() && stage.inside(node, resource);
    return possible ? new Step.Exit(node, resource) : null;
  }

  /** The resource that a step names, the first where it names none. */
  private static int resource(String[] words) {
    for (int resource = 0; resource < SystemSpec.RingWish.MAX_RESOURCES; resource++) {
      if ((words.length == 2 ? "" : " " + words[2]).equals(Transit.suffix(resource))) {
        return resource;
      }
    }
    return Integer.MAX_VALUE;
  }

  private static int node(String text) {
    try {
      return Integer.parseInt(text) - 1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Whether a line of a trace can happen now, at its time. */
  boolean canPlay(TraceLine line) {
    Step step = find(line.step());
    return step != null && overdue(line.timeOr(now), step) == null;
  }

  /** Performs a line of a trace that can be played. */
  @Nullable Violation play(TraceLine line) {
    Step step = find(line.step());
    if (step == null) {
      throw new IllegalArgumentException("cannot happen now: " + line);
    }
    return perform(line.timeOr(now), step, line.choices());
  }

  /** What must have happened before a step at this time, and has not; null where nothing. */
  @Nullable String overdue(long time, Step step) {
    if (!timed) {
      return null;
    }
    if (time < now) {
      return "time goes back";
    }
    Due first = firstBefore(time, step);
    if (first != null && first.isAlarm()) {
      return "before that " + recorder.transit().text(first.step()) + " rings, at @" + at(first);
    }
    for (Due due : dues) {
      if (due.step().equals(step) && due.isAlarm() && due.time() != time) {
        return "it rings at @" + at(due);
      }
    }
    return null;
  }

  private static String at(Due due) {
    return Ticks.text(due.time());
  }

  /** Lets happen, in order, what must happen before a step that a trace names. */
  @Nullable Violation advance(TraceLine line) {
    Step step = find(line.step());
    long time = line.timeOr(now);
    long patience = patience();
    Due first = firstBefore(time, step);
    for (; first != null && patience > 0; patience--, first = firstBefore(time, step)) {
      Violation violation = perform(Math.max(now, first.time()), first.step(), List.of());
      if (violation != null) {
        return violation;
      }
    }
    return null;
  }

  private @Nullable Due firstBefore(long time, @Nullable Step step) {
    Due first = first();
    if (!timed || first == null || first.time() > time) {
      return null;
    }
    boolean messagesFirst = step instanceof Step.Ring && !first.isAlarm();
    boolean late = first.step().equals(step) && !first.isAlarm(); // said to come so late
    return !late && (first.time() < time || messagesFirst) ? first : null;
  }

  /** What happens first by itself: at one time messages before alarms, else in order of making. */
  private @Nullable Due first() {
    return dues.stream()
        .min(Comparator.comparingLong(Due::time).thenComparing(Due::isAlarm))
        .orElse(null);
  }

  /** Performs a step at the present time; see below. */
  public @Nullable Violation perform(Step step, List<String> taken) {
    return perform(now, step, taken);
  }

  /**
   * Performs a step and checks the invariants.
   *
   * @param taken the choices where the system leaves them open; the first option beyond them
   * @return what it broke, or null
   */
  public @Nullable Violation perform(long time, Step step, List<String> taken) {
    now = time;
    choices.clear();
    choices.addAll(taken);
    settle(step);
    for (Listener listener : listeners) {
      listener.before(now, step, stage);
    }
    Violation violation = stage.perform(step);
    violation = violation == null ? stage.check() : violation;
    for (Listener listener : listeners) {
      Violation seen = listener.after(step, stage);
      violation = violation == null ? seen : violation;
    }
    return violation;
  }

  /** Takes a step off what is due. */
  private void settle(Step step) {
    for (int k = 0; k < dues.size(); k++) {
      if (dues.get(k).step().equals(step)) {
        late += dues.remove(k).time() < now ? 1 : 0;
        break;
      }
    }
    if (step instanceof Step.Crash) {
      dues.removeIf(due -> due.step().node() == step.node());
    }
  }

  /**
   * Delivers what is in transit, oldest first, and lets everybody out, until nothing is left.
   *
   * @return what it broke, requests that are never granted included; null where all is well
   */
  public @Nullable Violation drain() {
    long patience = patience();
    for (Due next = next(); next != null; next = next()) {
      Violation violation = perform(Math.max(now, next.time()), next.step(), List.of());
      if (violation != null) {
        return violation;
      }
      if (--patience == 0) {
        return new Violation(Violation.LIVENESS, "messages go on without end");
      }
    }
    return stuck();
  }

  private long patience() {
    return system.patience() * 1000L + 8L * stage.nodes() * stage.nodes();
  }

  private @Nullable Due next() {
    for (int node = 0; node < stage.nodes(); node++) {
      for (int resource = 0; resource < stage.resources(); resource++) {
        if (stage.inside(node, resource)) {
          return new Due(now, new Step.Exit(node, resource));
        }
      }
    }
    if (timed) {
      return first();
    }
    if (!stage.untold().isEmpty()) {
      return new Due(0, stage.untold().get(0));
    }
    List<Step.Delivery> messages = recorder.transit().messages();
    if (!messages.isEmpty()) {
      return new Due(0, messages.get(0));
    }
    if (users(Stage.Phase.WAITING).isEmpty()) {
      return null;
    }
    Due alarm = first(); // may help; and so may a repair
    List<Step> repairs = system.channels() == null ? List.of() : stage.repairs();
    return alarm != null || repairs.isEmpty() ? alarm : new Due(0, repairs.get(0));
  }

  private @Nullable Violation stuck() {
    List<String> waiting = users(Stage.Phase.WAITING, stage::isOwed);
    return waiting.isEmpty()
        ? null
        : new Violation(Violation.LIVENESS, "never granted: " + String.join(", ", waiting));
  }

  private List<String> users(Stage.Phase phase) {
    return users(phase, node -> true);
  }

  private List<String> users(Stage.Phase phase, IntPredicate which) {
    List<String> users = new ArrayList<>();
    for (int node = 0; node < stage.nodes(); node++) {
      for (int resource = 0; resource < stage.resources(); resource++) {
        if (stage.phase(node, resource) == phase && which.test(node)) {
          users.add(Names.of(node) + Transit.suffix(resource));
        }
      }
    }
    return users;
  }

  /** Whether nothing is left to happen by itself. */
  boolean isAtRest() {
    return next() == null && dues.isEmpty();
  }

  /** What is going on, in words. */
  String whatGoesOn() {
    return String.format(
        "in transit %s, waiting %s, inside %s",
        inTransit(), users(Stage.Phase.WAITING), users(Stage.Phase.INSIDE));
  }

  /** The time of the step performed last. */
  long now() {
    return now;
  }

  /** Whether it is known how things go on: all is at rest, or time makes them happen. */
  boolean canGoOn() {
    return timed || isAtRest();
  }

  /** How many messages took longer than δ. */
  int late() {
    return late;
  }

  /** Every node's father now; empty where nodes have no such variable. */
  List<String> fathers() {
    return fathers(stage);
  }

  /** What stands for the father of a node that is down. */
  public static final String DOWN = "down";

  static List<String> fathers(Stage stage) {
    List<String> fathers = new ArrayList<>();
    for (int node = 0; node < stage.nodes(); node++) {
      if (!stage.isUp(node)) {
        fathers.add(DOWN);
      }
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
  public List<Message> withdraw(int from, int to) {
    return recorder.transit().withdraw(from, to);
  }

  @Override
  public void sent(Step.Delivery delivery) {
    if (timed) {
      dues.add(new Due(now + Ticks.PER_UNIT, delivery));
    }
    for (Listener listener : listeners) {
      listener.sent(delivery);
    }
  }

  @Override
  public void granted(int node, int resource) {
    for (Listener listener : listeners) {
      listener.granted(node, resource);
    }
  }

  @Override
  public void alarmSet(int node, Alarm alarm, long delay) {
    Step.Ring ring = new Step.Ring(node, alarm);
    dues.removeIf(due -> due.step().equals(ring));
    dues.add(new Due(now + delay, ring));
  }

  @Override
  public void inTransit(Snapshot.Visitor visitor) {
    for (Step.Delivery delivery : recorder.transit().messages()) {
      visitor.message(delivery.from(), delivery.to(), delivery.message());
    }
  }
}
