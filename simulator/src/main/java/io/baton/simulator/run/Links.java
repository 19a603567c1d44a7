package io.baton.simulator.run;

import io.baton.algorithms.Message;
import io.baton.simulator.system.LockSystem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The channels of a system whose nodes are told when one fails ([NET] §7.1; and the accurate
 * failure detector that [RING] rule 5 needs: there a channel fails only with a node).
 *
 * <p>When a channel fails, what is in transit on it was not sent; each end gets its own back when
 * it is told, which may be later, together with what it sent in vain until then. A channel comes
 * back only after both ends have been told that it was gone.
 */
final class Links {
  private enum End {
    UP,
    /** Gone, but this end does not know. */
    UNTOLD,
    DOWN
  }

  /** One end of a channel, seen from a node. */
  private record Side(int here, int there) {
    Side reverse() {
      return new Side(there, here);
    }
  }

  private final LockSystem system;
  private final Map<Side, End> ends = new HashMap<>(); // up where missing
  private final Map<Side, List<Message>> unsent = new HashMap<>();
  private final Set<Integer> gone = new HashSet<>(); // nodes that never come back
  private final Set<Side> cut = new HashSet<>(); // both sides
  private final Set<Step> pending = new LinkedHashSet<>(); // what ends are still to be told

  Links(LockSystem system) {
    this.system = system;
  }

  private End end(Side side) {
    return ends.getOrDefault(side, End.UP);
  }

  /** Whether two nodes are neighbours, however the channel is. */
  boolean areNeighbours(int a, int b) {
    return system.neighbours(a).contains(b);
  }

  /** Whether a node, as far as it knows, has a channel to another. */
  boolean knowsChannel(int node, int other) {
    return end(new Side(node, other)) != End.DOWN;
  }

  /** Whether messages arrive. */
  boolean isUp(int a, int b) {
    return end(new Side(a, b)) == End.UP && end(new Side(b, a)) == End.UP;
  }

  /**
   * Whether what a node sends will arrive, unless the channel fails; the other end may not know.
   */
  boolean carries(int from, int to) {
    return end(new Side(from, to)) == End.UP
        && (end(new Side(to, from)) == End.UP || pending.contains(new Step.Found(to, from)));
  }

  /** Whether a channel has been cut and not mended. */
  boolean isCut(int a, int b) {
    return cut.contains(new Side(a, b));
  }

  /** A node sends in vain. */
  void keep(int from, int to, Message message) {
    unsent.computeIfAbsent(new Side(from, to), side -> new ArrayList<>()).add(message);
  }

  /** A channel fails; what was in transit is given back. */
  void cut(int a, int b, List<Message> fromA, List<Message> fromB) {
    cut.add(new Side(a, b));
    cut.add(new Side(b, a));
    pending.removeIf(
        step -> step instanceof Step.Found found && (is(found, a, b) || is(found, b, a)));
    fail(new Side(a, b), fromA);
    fail(new Side(b, a), fromB);
  }

  private static boolean is(Step.Found found, int node, int other) {
    return found.node() == node && found.neighbour() == other;
  }

  private void fail(Side side, List<Message> givenBack) {
    if (end(side) == End.UP) {
      ends.put(side, End.UNTOLD);
      pending.add(new Step.Lost(side.here(), side.there()));
    }
    for (Message message : givenBack) {
      keep(side.here(), side.there(), message);
    }
  }

  /** A node that is down will never come back: all that are up are told, neighbours or not. */
  void gone(int node, BitSet down) {
    gone.add(node);
    for (int other = 0; other < system.size(); other++) {
      if (!down.get(other)) {
        pending.add(new Step.Lost(other, node));
      }
    }
  }

  boolean isGone(int node) {
    return gone.contains(node);
  }

  /** A node crashes, and all its channels with it. */
  void crash(int node, InTransit transit) {
    pending.removeIf(step -> step.node() == node);
    for (int other : system.neighbours(node)) {
      Side side = new Side(node, other);
      if (pending.remove(new Step.Found(other, node))) { // it is told of this death all the same
        ends.put(side.reverse(), End.UP);
      }
      transit.withdraw(node, other);
      List<Message> givenBack = transit.withdraw(other, node);
      ends.put(side, End.DOWN);
      unsent.remove(side);
      if (end(side.reverse()) != End.DOWN) {
        fail(side.reverse(), givenBack);
      }
    }
  }

  /** Takes off the messages in transit from a node to another. */
  interface InTransit {
    List<Message> withdraw(int from, int to);
  }

  /** A node is told that a channel is gone, and gets back what it sent in vain. */
  List<Message> lost(Step.Lost step) {
    Side side = new Side(step.node(), step.neighbour());
    pending.remove(step);
    ends.put(side, End.DOWN);
    List<Message> givenBack = unsent.remove(side);
    return givenBack == null
        ? List.of()
        : givenBack.stream().sorted(Comparator.comparing(Message::toString)).toList();
  }

  /** Whether every node has been told that the channels to a node are gone. */
  boolean canRecover(int node) {
    return !isGone(node)
        && system.neighbours(node).stream()
            .allMatch(other -> end(new Side(other, node)) != End.UNTOLD);
  }

  /** A node comes back: the neighbours it has a channel to. */
  List<Integer> recover(int node, Set<Integer> up) {
    List<Integer> found =
        system.neighbours(node).stream()
            .filter(other -> up.contains(other) && !isCut(node, other))
            .toList();
    gone.stream().sorted().forEach(dead -> pending.add(new Step.Lost(node, dead)));
    for (int other : found) {
      ends.put(new Side(node, other), End.UP);
      pending.add(new Step.Found(other, node));
    }
    return found;
  }

  /** Whether a channel that was cut can be mended. */
  boolean canMend(int a, int b) {
    return isCut(a, b) && end(new Side(a, b)) != End.UNTOLD && end(new Side(b, a)) != End.UNTOLD;
  }

  /** The mends of all channels that are cut. */
  List<Step> mends() {
    return cut.stream()
        .filter(side -> side.here() < side.there())
        .sorted(Comparator.comparing(Side::here).thenComparing(Side::there))
        .<Step>map(side -> new Step.Mend(side.here(), side.there()))
        .toList();
  }

  /** A channel that was cut is whole again. */
  void mend(int a, int b, boolean bothUp) {
    cut.remove(new Side(a, b));
    cut.remove(new Side(b, a));
    if (bothUp) {
      pending.add(new Step.Found(a, b));
      pending.add(new Step.Found(b, a));
    }
  }

  /** A node is told that there is a channel. */
  void found(Step.Found step) {
    pending.remove(step);
    ends.put(new Side(step.node(), step.neighbour()), End.UP);
  }

  /** Whether something that a node sent is to be given back to it. */
  boolean hasUnsent(int node) {
    return unsent.entrySet().stream()
        .anyMatch(entry -> entry.getKey().here() == node && !entry.getValue().isEmpty());
  }

  /** Whether channels that are not cut lead from every node that is up to every other. */
  boolean isInOnePiece(BitSet down) {
    int first = down.nextClearBit(0);
    return reached(first, down).cardinality() + down.cardinality() == system.size();
  }

  /** The nodes that are up and to which channels that are not cut lead from one. */
  BitSet reached(int first, BitSet down) {
    BitSet reached = new BitSet();
    Deque<Integer> next = new ArrayDeque<>();
    reached.set(first);
    next.add(first);
    while (!next.isEmpty()) {
      int node = next.remove();
      for (int other : system.neighbours(node)) {
        if (!down.get(other) && !isCut(node, other) && !reached.get(other)) {
          reached.set(other);
          next.add(other);
        }
      }
    }
    return reached;
  }

  /** What nodes are still to be told. */
  Set<Step> pending() {
    return pending;
  }
}
