package io.baton.simulator.run;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Message;

/** One atomic step of a system: something happens to one node. */
public sealed interface Step {
  /** The node it happens to. */
  int node();

  /** What a user does. */
  sealed interface OfUser extends Step {
    /** The resource the user is there for, from 0. */
    int resource();
  }

  /** A node wishes to enter. */
  record Enter(int node, int resource) implements OfUser {
    /** Where there is one resource. */
    public Enter(int node) {
      this(node, 0);
    }
  }

  /** A node leaves the critical section. */
  record Exit(int node, int resource) implements OfUser {
    /** Where there is one resource. */
    public Exit(int node) {
      this(node, 0);
    }
  }

  /** A message arrives. */
  record Delivery(int from, int to, Message message) implements Step {
    @Override
    public int node() {
      return to;
    }
  }

  /** An alarm rings. */
  record Ring(int node, Alarm alarm) implements Step {}

  /** A node crashes: it forgets all, and what is in transit towards it is lost. */
  record Crash(int node) implements Step {}

  /** A node that crashed comes back. */
  record Recover(int node) implements Step {}

  /** A node is to be removed: it gives away what others need. */
  record Leave(int node) implements Step {}

  /** A node is gone for good: it was removed, or crashed never to come back. */
  record Gone(int node) implements Step {}

  /** The channel between two nodes fails; they are told later. */
  record Cut(int node, int neighbour) implements Step {}

  /** The channel between two nodes is whole again. */
  record Mend(int node, int neighbour) implements Step {}

  /** A node is told that the channel to a neighbour is gone. */
  record Lost(int node, int neighbour) implements Step {}

  /** A node is told that there is a channel to a neighbour. */
  record Found(int node, int neighbour) implements Step {}

  /** A node takes another for dead that is not: its failure detector errs. */
  record Suspect(int node, int neighbour) implements Step {}

  /** A node no longer takes another for dead. */
  record Trust(int node, int neighbour) implements Step {}

  /** A message in transit is lost; nothing happens to the node it was meant for. */
  record Drop(Delivery lost) implements Step {
    @Override
    public int node() {
      return lost.to();
    }
  }

  /** A message in transit is doubled: it will arrive twice. */
  record Duplicate(Delivery doubled) implements Step {
    @Override
    public int node() {
      return doubled.to();
    }
  }
}
