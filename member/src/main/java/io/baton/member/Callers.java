package io.baton.member;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who waits, in order. However many they are, one that gives up is found at once. */
final class Callers {
  private static final int FEW = 32;

  private Collection<Caller> all = new ArrayDeque<>(2);

  boolean isEmpty() {
    return all.isEmpty();
  }

  void add(Caller caller) {
    if (all.size() == FEW) {
      all = new LinkedHashSet<>(all);
    }
    all.add(caller);
  }

  @Nullable Caller poll() {
    Iterator<Caller> each = all.iterator();
    if (!each.hasNext()) {
      return null;
    }
    Caller first = each.next();
    each.remove();
    settleDown();
    return first;
  }

  boolean remove(Caller caller) {
    boolean removed = all.remove(caller);
    settleDown();
    return removed;
  }

  /** A crowd that has gone leaves no memory behind. */
  private void settleDown() {
    if (all.isEmpty() && all instanceof LinkedHashSet) {
      all = new ArrayDeque<>(2);
    }
  }

  List<Caller> list() {
    return List.copyOf(all);
  }
}
