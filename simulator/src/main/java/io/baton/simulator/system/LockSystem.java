package io.baton.simulator.system;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Invariant;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A system ready to run: how each node is made and what must hold of it.
 *
 * @param nodes makes the node of a number, in its initial state
 * @param invariants hold after every event while the channels are reliable
 * @param safety hold after every event, whatever the channels do
 * @param messageBound no request costs more messages than this
 * @param freshCost what theory says one request of a node costs, alone in the initial tree; null
 *     where it says nothing
 * @param healing null where the algorithm does not survive a crash
 */
public record LockSystem(
    int size,
    IntFunction<Algorithm> nodes,
    List<Invariant> invariants,
    List<Invariant> safety,
    long messageBound,
    @Nullable IntToLongFunction freshCost,
    @Nullable Healing healing) {
  /** A system that does not survive a crash. */
  public LockSystem(
      int size,
      IntFunction<Algorithm> nodes,
      List<Invariant> invariants,
      List<Invariant> safety,
      long messageBound,
      @Nullable IntToLongFunction freshCost) {
    this(size, nodes, invariants, safety, messageBound, freshCost, null);
  }

  /**
   * What an algorithm that survives crashes comes back to once they have stopped.
   *
   * @param served holds whenever every node that is up has been served and all is quiet
   * @param shape what the tree should look like again; measured, not promised
   */
  public record Healing(Invariant served, Invariant shape) {}
}
