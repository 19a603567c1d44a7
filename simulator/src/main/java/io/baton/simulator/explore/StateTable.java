package io.baton.simulator.explore;

import java.util.Arrays;

/** The states seen so far, numbered in the order in which they were found. */
public final class StateTable {
  private static final int FREE = -1;

  private int[][] states = new int[1024][];
  private int[] parents = new int[1024];
  private int[] slots = new int[4096]; // open addressing, a power of two
  private int size;

  public StateTable() {
    Arrays.fill(slots, FREE);
  }

  public int size() {
    return size;
  }

  public int[] state(int number) {
    return states[number];
  }

  /** From which state it was found first; -1 for the initial one. */
  public int parent(int number) {
    return parents[number];
  }

  /** The number of a state; a new one gets the next. */
  public int add(int[] state, int parent) {
    int slot = slot(state);
    if (slots[slot] != FREE) {
      return slots[slot];
    }
    if (size == states.length) {
      states = Arrays.copyOf(states, 2 * size);
      parents = Arrays.copyOf(parents, 2 * size);
    }
    states[size] = state;
    parents[size] = parent;
    slots[slot] = size++;
    if (3 * size > 2 * slots.length) {
      grow();
    }
    return size - 1;
  }

  private int slot(int[] state) {
    int hash = Arrays.hashCode(state) * 0x9E3779B9;
    int slot = (hash ^ (hash >>> 15)) & (slots.length - 1);
    while (slots[slot] != FREE && !Arrays.equals(states[slots[slot]], state)) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void grow() {
    slots = new int[2 * slots.length];
    Arrays.fill(slots, FREE);
    for (int number = 0; number < size; number++) {
      slots[slot(states[number])] = number;
    }
  }
}
