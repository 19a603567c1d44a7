package io.baton.simulator.run;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.Invariant;
import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Snapshot;
import io.baton.algorithms.State;
import io.baton.simulator.system.LockSystem;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a system and the users in front of them: performs steps, one at a time, and hands
 * what the nodes send to an {@link Outbox}. Simulator, explorer and replay differ only in which
 * step they perform next.
 *
 * <p>Nodes are made when first touched, so that a large system costs what it uses.
 */
public final class Stage implements Snapshot, Effects {
  /** Takes what a node asks for during a step. */
  public interface Outbox {
    void sent(Step.Delivery delivery);

    void granted(int node);

    void alarmSet(int node, Alarm alarm, long delay);

    /** Shows every message in transit. */
    void inTransit(Snapshot.Visitor visitor);
  }

  /** Where the user of a node is. */
  public enum Phase {
    IDLE,
    WAITING,
    INSIDE
  }

  /** The state of a node that is down. */
  public static final State DOWN = List::of;

  private final LockSystem system;
  private final Outbox outbox;
  private final @Nullable Algorithm[] nodes;
  private final @Nullable State[] captured; // null: not captured since the node's last step
  private final Phase[] phases;
  private int inside; // how many users are
  private int actor = NIL;
  private final BitSet down = new BitSet();
  private boolean faulted; // whether a channel or a node has failed
  private boolean crashed; // whether a node has
  private long exits; // also the cargo that the last holder left

  /** All nodes in their initial state, all users idle. */
  public Stage(LockSystem system, Outbox outbox) {
    this.system = system;
    this.outbox = outbox;
    this.nodes = new Algorithm[system.size()];
    this.captured = new State[system.size()];
    this.phases = new Phase[system.size()];
    Arrays.fill(phases, Phase.IDLE);
  }

  /**
   * Performs one step.
   *
   * @return what it broke, or null
   */
  public @Nullable Violation perform(Step step) {
    actor = step.node();
    captured[actor] = null;
    try {
      if (step instanceof Step.Recover) {
        down.clear(actor);
        node(actor).recover(this);
      } else if (down.get(actor)) {
        return null; // whatever happens here is lost
      } else if (step instanceof Step.Crash) {
        crash();
      } else if (step instanceof Step.Delivery delivery) {
        node(actor).receive(delivery.from(), delivery.message(), this);
      } else if (step instanceof Step.Enter) {
        move(Phase.IDLE, Phase.WAITING);
        node(actor).enter(this);
      } else if (step instanceof Step.Exit) {
        move(Phase.INSIDE, Phase.IDLE);
        inside--;
        exits++;
        node(actor).exit(exits, this);
      } else if (step instanceof Step.Ring ring) {
        node(actor).alarm(ring.alarm(), this);
      } else { // a message is lost or doubled
        faulted = true;
      }
      return null;
    } catch (Violation.Broken broken) {
      return broken.violation;
    } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return new Violation("no node fails", Names.of(actor) + " failed: " + e);
    } finally {
      actor = NIL;
    }
  }

  private void crash() {
    faulted = true;
    crashed = true;
    down.set(actor);
    nodes[actor] = null;
    inside -= inside(actor) ? 1 : 0;
    phases[actor] = Phase.IDLE;
  }

  /** The first invariant that should hold now and does not, or null. */
  public @Nullable Violation check() {
    for (Invariant invariant : faulted ? system.safety() : system.invariants()) {
      Violation violation = check(invariant);
      if (violation != null) {
        return violation;
      }
    }
    return null;
  }

  /** What this invariant says of the present, or null. */
  @Nullable Violation check(Invariant invariant) {
    String detail = invariant.violation(this);
    return detail == null ? null : new Violation(invariant.name(), detail);
  }

  @Override
  public void send(int to, Message message) {
    if (to < 0 || to >= nodes.length || to == actor) {
      throw broken(
          "every message goes to another node",
          Names.of(actor) + " sent " + message + " to " + (to < 0 ? "nil" : Names.of(to)));
    }
    outbox.sent(new Step.Delivery(actor, to, message));
  }

  @Override
  public void grant(long cargo) {
    if (phase(actor) != Phase.WAITING) {
      throw broken("only who asked is granted", Names.of(actor) + " did not ask");
    }
    move(Phase.WAITING, Phase.INSIDE);
    inside++;
    if (inside > 1) {
      throw broken("mutual exclusion", Names.of(actor) + " enters while another is inside");
    }
    if (cargo != exits && !faulted) { // a token that was made anew cannot know it
      throw broken(
          "the token carries what the last holder left",
          "the grant of " + Names.of(actor) + " carries " + cargo + ", not " + exits);
    }
    outbox.granted(actor);
  }

  @Override
  public void setAlarm(Alarm alarm, long delay) {
    outbox.alarmSet(actor, alarm, delay);
  }

  private static Violation.Broken broken(String invariant, String detail) {
    return new Violation.Broken(new Violation(invariant, detail));
  }

  private void move(Phase from, Phase to) {
    if (phase(actor) != from) {
      throw new IllegalStateException(
          "the user of " + Names.of(actor) + " is " + phase(actor) + ", not " + from);
    }
    phases[actor] = to;
  }

  /** Whether a channel has lost or doubled a message, or a node has crashed. */
  public boolean isFaulted() {
    return faulted;
  }

  /** Whether a node has crashed. */
  boolean hasCrashed() {
    return crashed;
  }

  /** Where the user of a node is. */
  public Phase phase(int node) {
    return phases[node];
  }

  private Algorithm node(int i) {
    Algorithm node = nodes[i];
    if (node == null) {
      node = system.nodes().apply(i);
      nodes[i] = node;
    }
    return node;
  }

  /** Puts a node and its user into an earlier state. */
  public void restore(int i, State state, Phase phase) {
    inside += (phase == Phase.INSIDE ? 1 : 0) - (inside(i) ? 1 : 0);
    phases[i] = phase;
    down.set(i, state == DOWN);
    if (state == DOWN) {
      nodes[i] = null;
      captured[i] = null;
    } else if (captured[i] != state) {
      node(i).restore(state);
      captured[i] = state;
    }
  }

  /** Goes back to when nodes had crashed, or had not. */
  public void restoreCrashed(boolean some) {
    crashed = some;
    faulted = some;
  }

  /** How many critical sections have ended. */
  public long exits() {
    return exits;
  }

  /** Goes back to when that many critical sections had ended. */
  public void restoreExits(long number) {
    exits = number;
  }

  @Override
  public int nodes() {
    return nodes.length;
  }

  @Override
  public boolean isUp(int i) {
    return !down.get(i);
  }

  @Override
  public State state(int i) {
    if (down.get(i)) {
      return DOWN;
    }
    State state = captured[i];
    if (state == null) {
      state = node(i).capture();
      captured[i] = state;
    }
    return state;
  }

  @Override
  public boolean inside(int i) {
    return phases[i] == Phase.INSIDE;
  }

  @Override
  public void messages(Visitor visitor) {
    outbox.inTransit(visitor);
  }
}
