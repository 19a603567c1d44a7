package io.baton.simulator.system;

import io.baton.algorithms.Behavior;
import io.baton.algorithms.Names;
import io.baton.algorithms.Policy;
import io.baton.algorithms.Rule;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what a run leaves open: drawn at random by the simulator, tried one by one by the
 * explorer, read from the file by a replay.
 */
@FunctionalInterface
public interface Chooser {
  /** Always the first option. */
  Chooser FIRST = options -> 0;

  /** Picks one of at least two options, which are named as a trace names them. */
  int choose(List<String> options);

  /** The rule that leaves every behaviour open, every time: the proof of [GS] allows it. */
  default Rule anyBehavior() {
    List<String> options = List.of("proxy", "transit");
    return (i, j) -> choose(options) == 0 ? Behavior.PROXY : Behavior.TRANSIT;
  }

  /** The policy that serves any of the waiting requests; fair only if the choices are. */
  default Policy anyPolicy() {
    return (waiting, i) -> {
      if (waiting.size() == 1) {
        return 0;
      }
      List<String> options = new ArrayList<>();
      for (int place = 0; place < waiting.size(); place++) {
        options.add("serve" + Names.of(waiting.get(place).origin()));
      }
      return choose(options);
    };
  }
}
