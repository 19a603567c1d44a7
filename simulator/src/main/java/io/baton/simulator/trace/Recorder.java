package io.baton.simulator.trace;

import io.baton.algorithms.Names;
import io.baton.algorithms.State;
import io.baton.algorithms.State.Variable;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.Stage;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Chooser;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what happens as lines of a trace, the choices of its chooser included. */
public final class Recorder implements Listener, Chooser {
  private final Chooser chooser;
  private final boolean withTime;
  private final List<TraceLine> lines = new ArrayList<>();
  private final Transit transit = new Transit();
  private final List<String> choices = new ArrayList<>();
  private final List<String> changes = new ArrayList<>();
  private String step = "";
  private long time;
  private @Nullable State before;

  /** Records what another chooser chooses. */
  public Recorder(Chooser chooser, boolean withTime) {
    this.chooser = chooser;
    this.withTime = withTime;
  }

  /** What has been written so far. */
  public List<TraceLine> lines() {
    return List.copyOf(lines);
  }

  /** The line written last. */
  TraceLine last() {
    return lines.get(lines.size() - 1);
  }

  /** The messages in transit, in the order in which they were sent. */
  Transit transit() {
    return transit;
  }

  @Override
  public int choose(List<String> options) {
    int choice = chooser.choose(options);
    choices.add(options.get(choice));
    return choice;
  }

  @Override
  public void before(long now, Step next, Stage stage) {
    time = now;
    step = transit.text(next);
    before = stage.state(next.node());
    choices.clear();
    changes.clear();
    if (next instanceof Step.Delivery delivery) {
      transit.remove(delivery);
    } else if (next instanceof Step.Drop drop) {
      transit.remove(drop.lost());
    } else if (next instanceof Step.Duplicate duplicate) {
      transit.add(duplicate.doubled());
    }
  }

  @Override
  public void sent(Step.Delivery delivery) {
    transit.add(delivery);
  }

  @Override
  public void granted(int node, int resource) {
    changes.add(Names.of(node) + " enters" + Transit.suffix(resource));
  }

  @Override
  public @Nullable Violation after(Step done, Stage stage) {
    boolean crash = done instanceof Step.Crash || done instanceof Step.Gone;
    if (crash || done instanceof Step.Cut) {
      transit.messages().removeIf(m -> (crash && m.to() == done.node()) || !stage.carries(m));
    }
    State earlier = before;
    if (earlier != null) {
      describe(done.node(), earlier.variables(), stage.state(done.node()).variables());
    }
    lines.add(
        new TraceLine(
            withTime ? time : null, step, List.copyOf(choices), String.join(" ", changes)));
    return null;
  }

  private void describe(int node, List<Variable> earlier, List<Variable> later) {
    for (int k = 0; k < later.size(); k++) {
      Variable variable = later.get(k);
      boolean changed =
          earlier.isEmpty() // the node was down
              ? !List.of("false", "nil", "[]").contains(variable.value())
              : !variable.equals(earlier.get(k));
      if (changed) {
        String name = variable.name() + Names.of(node);
        changes.add(
            switch (variable.value()) {
              case "true" -> name;
              case "false" -> "!" + name;
              default -> name + "=" + variable.value();
            });
      }
    }
  }
}
