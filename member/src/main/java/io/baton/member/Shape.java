package io.baton.member;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.OpenCube;

/**
 * The tree that every lock of an epoch begins with, from positions and the lock's root alone. Who
 * joins within the epoch is a leaf: its father has a smaller number (R2).
 */
public enum Shape {
  /** All are sons of the root. */
  STAR {
    @Override
    int father(int position, int root, int founders) {
      return position == root ? NIL : root;
    }
  },
  /** Each has two sons, counted from the root on. */
  BINARY {
    @Override
    int father(int position, int root, int founders) {
      if (position == root) {
        return NIL;
      }
      int place = position < founders ? Math.floorMod(position - root, founders) : position;
      int above = (place - 1) / 2;
      return above < founders ? (above + root) % founders : above;
    }
  },
  /** The open cube. */
  CUBE {
    @Override
    int father(int position, int root, int founders) {
      return OpenCube.father(position, root);
    }
  };

  abstract int father(int position, int root, int founders);

  /** Whether one more cannot be a leaf: there is no tree, or the cube grows past a power of two. */
  boolean isFull(int founders, int members) {
    return founders == 0 || (this == CUBE && OpenCube.pmax(members + 1) > OpenCube.pmax(founders));
  }
}
