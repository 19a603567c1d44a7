package io.baton;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Several locks held together. They were taken in the order of their names, as everybody does, so
 * that no two who take several can wait for each other.
 */
public final class Holds implements AutoCloseable {
  private final Map<String, Hold> byLock;

  Holds(List<Hold> holds) {
    Map<String, Hold> all = new LinkedHashMap<>();
    holds.forEach(hold -> all.put(hold.lock(), hold));
    this.byLock = all;
  }

  /** The names in the order in which they are taken. */
  static List<String> inOrder(Collection<String> names) {
    if (names.isEmpty()) {
      throw new IllegalArgumentException("No lock is named: name one at least");
    }
    TreeSet<String> sorted = new TreeSet<>();
    for (String name : names) {
      Checks.lockName(name);
      if (!sorted.add(name)) {
        throw new IllegalArgumentException(
            "Lock \"" + name + "\" is named twice: a hold is not reentrant, name each lock once");
      }
    }
    return List.copyOf(sorted);
  }

  /** The hold of one of them. */
  public Hold hold(String lock) {
    Hold hold = byLock.get(lock);
    if (hold == null) {
      throw new IllegalArgumentException(
          "Lock \"" + lock + "\" is not among those held: " + String.join(", ", byLock.keySet()));
    }
    return hold;
  }

  /** All of them, in the order in which they were taken. */
  public List<Hold> all() {
    return List.copyOf(byLock.values());
  }

  /** Whether all are held at this instant. */
  public boolean isValid() {
    return byLock.values().stream().allMatch(Hold::isValid);
  }

  /** Gives all back, the last one taken first. */
  @Override
  public void close() {
    giveBack(all());
  }

  static void giveBack(List<Hold> holds) {
    List<Hold> left = new ArrayList<>(holds);
    try {
      while (!left.isEmpty()) {
        left.remove(left.size() - 1).close();
      }
    } finally {
      left.forEach(Hold::close); // where one could not be given back, the others are all the same
    }
  }

  @Override
  public String toString() {
    return "Holds " + byLock.values();
  }
}
