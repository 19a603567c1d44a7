package io.baton.simulator.explore;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** The moves between states, kept so that one can walk them backwards. */
final class Edges {
  private int[] sources = new int[4096];
  private int[] targets = new int[4096];
  private int size;

  void add(int source, int target) {
    if (size == sources.length) {
      sources = Arrays.copyOf(sources, 2 * size);
      targets = Arrays.copyOf(targets, 2 * size);
    }
    sources[size] = source;
    targets[size++] = target;
  }

  int size() {
    return size;
  }

  /** Which of the states have a way to one of the goals. */
  boolean[] reaching(int states, IntPredicate goal) {
    int[] starts = new int[states + 1]; // edges by target, counting sort
    for (int k = 0; k < size; k++) {
      starts[targets[k] + 1]++;
    }
    for (int k = 0; k < states; k++) {
      starts[k + 1] += starts[k];
    }
    int[] next = Arrays.copyOf(starts, states);
    int[] bySource = new int[size];
    for (int k = 0; k < size; k++) {
      bySource[next[targets[k]]++] = sources[k];
    }
    boolean[] reached = new boolean[states];
    int[] queue = new int[states];
    int end = 0;
    for (int state = 0; state < states; state++) {
      if (goal.test(state)) {
        reached[state] = true;
        queue[end++] = state;
      }
    }
    for (int head = 0; head < end; head++) {
      for (int k = starts[queue[head]]; k < starts[queue[head] + 1]; k++) {
        if (!reached[bySource[k]]) {
          reached[bySource[k]] = true;
          queue[end++] = bySource[k];
        }
      }
    }
    return reached;
  }
}
