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
 * @param resources how many there are; a node may wish for each of them at once
 * @param nodes makes the node of a number, in its initial state
 * @param invariants hold after every event while the channels are reliable
 * @param safety hold after every event, whatever the channels do
 * @param cost what a request costs while nothing fails
 * @param flood what spreading a request costs, where its messages outlive the critical section
 * @param freshCost what theory says one request of a node costs, alone in the initial system; null
 *     where it says nothing
 * @param healing null where there is nothing to come back to after a crash
 * @param channels the neighbours of each node, where nodes are told when a channel fails; else null
 * @param patience how many times as many events as usual may pass before a grant
 */
public record LockSystem(
    int size,
    int resources,
    IntFunction<Algorithm> nodes,
    List<Invariant> invariants,
    List<Invariant> safety,
    Cost cost,
    @Nullable Flood flood,
    @Nullable IntToLongFunction freshCost,
    @Nullable Healing healing,
    @Nullable List<List<Integer>> channels,
    int patience) {

  /** A system with one resource that does not survive a crash. */
  public LockSystem(
      int size,
      IntFunction<Algorithm> nodes,
      List<Invariant> invariants,
      List<Invariant> safety,
      long most,
      @Nullable IntToLongFunction freshCost) {
    this(size, 1, nodes, invariants, safety, Cost.upTo(most), null, freshCost, null, null, 1);
  }

  /** The neighbours of a node; none where nodes are not told when a channel fails. */
  public List<Integer> neighbours(int node) {
    return channels == null ? List.of() : channels.get(node);
  }

  /** How many seats for users there are: one for each node and resource. */
  public int seats() {
    return size * resources;
  }

  /** The number of a seat; where there is one resource, that of the node. */
  public int seat(int node, int resource) {
    return resource * size + node;
  }

  /** The node of a seat. */
  public int node(int seat) {
    return seat % size;
  }

  /** The resource of a seat. */
  public int resource(int seat) {
    return seat / size;
  }

  /**
   * What a request costs in messages.
   *
   * @param free whether it may also cost nothing
   */
  public record Cost(long least, long most, boolean free) {
    /** Theory says nothing. */
    public static final Cost OPEN = upTo(Long.MAX_VALUE);

    /** From nothing to a bound. */
    public static Cost upTo(long most) {
      return new Cost(0, most, true);
    }

    /** This and nothing else. */
    public static Cost exactly(long messages) {
      return new Cost(messages, messages, false);
    }

    /** Whether a request may cost so much. */
    public boolean allows(long messages) {
      return (free && messages == 0) || (messages >= least && messages <= most);
    }

    /** Whether theory says nothing. */
    public boolean isOpen() {
      return most == Long.MAX_VALUE;
    }

    @Override
    public String toString() {
      String range =
          least == most
              ? "exactly " + most
              : least == 0 ? "at most " + most : least + " to " + most;
      return free && least > 0 ? range + ", or none" : range;
    }
  }

  /**
   * What a request costs that floods a network: messages that spread it, and hops of the token
   * back.
   */
  public record Flood(long least, long most, long mostHops) {
    /**
     * Whether a request may cost so much.
     *
     * @param overtaken whether a younger request of the same node met it on the way and stopped it
     */
    public boolean allows(long requests, long hops, boolean overtaken) {
      return (requests >= least || overtaken) && requests <= most && hops >= 1 && hops <= mostHops;
    }

    @Override
    public String toString() {
      return (least == most ? "exactly " + most : least + " to " + most)
          + " requests and 1 to "
          + mostHops
          + " hops";
    }
  }

  /**
   * What an algorithm that survives crashes comes back to once they have stopped.
   *
   * @param served holds whenever every node that is up has been served and all is quiet
   * @param shape what the tree should look like again; measured, not promised
   */
  public record Healing(Invariant served, Invariant shape) {}
}
