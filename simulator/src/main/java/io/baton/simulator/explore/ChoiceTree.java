package io.baton.simulator.explore;

import io.baton.simulator.system.Chooser;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks through all choices of one step: each time the step is performed anew, the next branch is
 * taken, until none is left.
 */
final class ChoiceTree implements Chooser {
  private final List<Choice> branch = new ArrayList<>();
  private int taken;

  private record Choice(List<String> options, int index) {}

  @Override
  public int choose(List<String> options) {
    if (taken == branch.size()) {
      branch.add(new Choice(options, 0));
    }
    return branch.get(taken++).index();
  }

  /** The choices of the step just performed. */
  List<String> branch() {
    return branch.stream().map(choice -> choice.options().get(choice.index())).toList();
  }

  /** Turns to the next branch; false where there is none, and then starts over. */
  boolean next() {
    taken = 0;
    while (!branch.isEmpty()) {
      Choice last = branch.remove(branch.size() - 1);
      if (last.index() + 1 < last.options().size()) {
        branch.add(new Choice(last.options(), last.index() + 1));
        return true;
      }
    }
    return false;
  }
}
