package io.baton.simulator.agreement;

import io.baton.simulator.agreement.VoterSystem.Kind;
import io.baton.simulator.explore.StateTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Every schedule of a few voters, the shortest first. */
public final class AgreementExplorer {
  private final VoterSystem system;
  private final StateTable table = new StateTable();
  private long transitions;

  /** An exploration within bounds. */
  public AgreementExplorer(Bounds bounds) {
    this.system = new VoterSystem(bounds);
  }

  /** Visits every state, or as many as it is told, or until a promise is broken. */
  public Outcome run(long most, LongConsumer progress) {
    table.add(system.initial(), -1);
    int next = 0;
    while (next < table.size() && system.broken() == null && table.size() < most) {
      int number = next++;
      visit(
          number,
          (node, event, kind) -> {
            int[] after = system.after(table.state(number), node, event, kind);
            if (after != null) {
              transitions++;
              table.add(after, number);
            }
          });
      if ((next & 0xFFFF) == 0) {
        progress.accept(table.size());
      }
    }
    String broken = system.broken();
    boolean complete = broken == null && next == table.size();
    List<String> trace = broken == null ? List.of() : traceTo(next - 1);
    return new Outcome(table.size(), transitions, complete, broken, trace);
  }

  private void visit(int number, VoterSystem.Visitor visitor) {
    int[] state = table.state(number);
    system.visit(
        state,
        (node, event, kind) -> {
          visitor.step(node, event, kind);
          if (kind == Kind.HAPPENS && system.mayCrash(state, node, event)) {
            visitor.step(node, event, Kind.CRASHES);
          }
        });
  }

  /** The steps to a state, and the one from there that breaks a promise. */
  private List<String> traceTo(int last) {
    List<String> trace = new ArrayList<>();
    int target = -1;
    for (int number = last; number >= 0; number = table.parent(number)) {
      trace.add(0, step(number, target));
      target = number;
    }
    return trace;
  }

  /** The step from a state to another; -1: to a broken promise. */
  private String step(int number, int target) {
    int[] state = table.state(number);
    int @Nullable [] wanted = target < 0 ? null : table.state(target);
    List<String> found = new ArrayList<>();
    visit(
        number,
        (node, event, kind) -> {
          system.forgetBroken();
          int[] after = system.after(state, node, event, kind);
          boolean isIt = wanted == null ? system.broken() != null : Arrays.equals(after, wanted);
          if (isIt && found.isEmpty()) {
            found.add(system.text(node, event, kind));
          }
        });
    return found.get(0);
  }
}
