package io.baton.simulator.run;

import static io.baton.algorithms.Algorithm.NIL;
import static java.util.stream.Collectors.toSet;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.HasToken;
import io.baton.algorithms.Invariant;
import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Revival;
import io.baton.algorithms.Snapshot;
import io.baton.algorithms.State;
import io.baton.simulator.system.LockSystem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
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

    void granted(int node, int resource);

    void alarmSet(int node, Alarm alarm, long delay);

    /** Shows every message in transit. */
    void inTransit(Snapshot.Visitor visitor);

    /** Takes off and returns the messages in transit from a node to another. */
    default List<Message> withdraw(int from, int to) {
      throw new UnsupportedOperationException("Nobody is told here when a channel fails");
    }
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
  private final Phase[] phases; // by seat
  private final int[] inside; // by resource, how many users are
  private int actor = NIL;
  private final BitSet down = new BitSet();
  private final Links links;
  private final int[] lives; // how often each node has crashed
  private boolean faulted; // whether a channel or a node has failed
  private boolean crashed; // whether a node has
  private boolean mistaken; // whether one that has not was taken for dead
  private final BitSet leaving = new BitSet(); // nodes that have been told to leave
  private final long[] exits; // by resource; also the cargo that the last holder left

  /** All nodes in their initial state, all users idle. */
  public Stage(LockSystem system, Outbox outbox) {
    this.system = system;
    this.outbox = outbox;
    this.nodes = new Algorithm[system.size()];
    this.captured = new State[system.size()];
    this.phases = new Phase[system.seats()];
    this.links = new Links(system);
    this.lives = new int[system.size()];
    this.inside = new int[system.resources()];
    this.exits = new long[system.resources()];
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
        Set<Integer> up = IntStream.range(0, nodes()).filter(this::isUp).boxed().collect(toSet());
        List<Revival.Neighbour> neighbours =
            links.recover(actor, up).stream().map(this::neighbour).toList();
        node(actor).recover(new Revival(lives[actor], neighbours), this);
      } else if (step instanceof Step.Cut cut) {
        cut(cut.node(), cut.neighbour());
      } else if (step instanceof Step.Mend mend) {
        boolean bothUp = isUp(mend.node()) && isUp(mend.neighbour());
        links.mend(mend.node(), mend.neighbour(), bothUp);
      } else if (down.get(actor)) {
        return null; // whatever happens here is lost
      } else if (step instanceof Step.Crash) {
        crash(true);
      } else if (step instanceof Step.Gone) {
        crash(!leaving.get(actor)); // who leaves in good order takes nothing along
        links.gone(actor, down);
      } else if (step instanceof Step.Leave) {
        faulted = true; // no failure, but theory does not speak of it
        leaving.set(actor);
        node(actor).leave(this);
      } else if (step instanceof Step.Delivery delivery) {
        node(actor).receive(delivery.from(), delivery.message(), this);
      } else if (step instanceof Step.Enter enter) {
        move(enter.resource(), Phase.IDLE, Phase.WAITING);
        node(actor).enter(enter.resource(), this);
      } else if (step instanceof Step.Exit exit) {
        int resource = exit.resource();
        move(resource, Phase.INSIDE, Phase.IDLE);
        inside[resource]--;
        exits[resource]++;
        node(actor).exit(resource, exits[resource], this);
      } else if (step instanceof Step.Ring ring) {
        node(actor).alarm(ring.alarm(), this);
      } else if (step instanceof Step.Lost lost) {
        boolean forGood = links.isGone(lost.neighbour());
        node(actor).disconnected(lost.neighbour(), forGood, links.lost(lost), this);
      } else if (step instanceof Step.Found found) {
        links.found(found);
        node(actor).connected(neighbour(found.neighbour()), this);
      } else if (step instanceof Step.Trust trust) {
        node(actor).connected(neighbour(trust.neighbour()), this);
      } else if (step instanceof Step.Suspect suspect) {
        faulted = true;
        mistaken = true;
        node(actor).disconnected(suspect.neighbour(), false, List.of(), this);
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

  private Revival.Neighbour neighbour(int node) {
    return new Revival.Neighbour(node, lives[node]);
  }

  private void crash(boolean suddenly) {
    faulted = true;
    crashed |= suddenly;
    leaving.clear(actor);
    down.set(actor);
    nodes[actor] = null;
    lives[actor]++;
    if (system.channels() != null) {
      links.crash(actor, outbox::withdraw);
    }
    for (int resource = 0; resource < resources(); resource++) {
      inside[resource] -= inside(actor, resource) ? 1 : 0;
      phases[system.seat(actor, resource)] = Phase.IDLE;
    }
  }

  private void cut(int a, int b) {
    faulted = true;
    links.cut(a, b, outbox.withdraw(a, b), outbox.withdraw(b, a));
  }

  /** What nodes are still to be told of their channels, in the order in which it came about. */
  public List<Step> untold() {
    return List.copyOf(links.pending());
  }

  /** What would make whole the channels and nodes that failed, where that can be now. */
  public List<Step> repairs() {
    List<Step> repairs = new ArrayList<>(links.mends());
    IntStream.range(0, nodes()).filter(down::get).mapToObj(Step.Recover::new).forEach(repairs::add);
    repairs.removeIf(step -> !canHappen(step));
    return repairs;
  }

  /** Whether a step on channels or nodes can happen now. */
  public boolean canHappen(Step step) {
    int node = step.node();
    if (step instanceof Step.Recover) {
      return !isUp(node) && links.canRecover(node);
    } else if (step instanceof Step.Cut cut) {
      return links.areNeighbours(node, cut.neighbour()) && !links.isCut(node, cut.neighbour());
    } else if (step instanceof Step.Mend mend) {
      return links.canMend(node, mend.neighbour());
    } else if (step instanceof Step.Suspect suspect) {
      return canBeMistaken(node, suspect.neighbour());
    } else if (step instanceof Step.Trust trust) {
      return canBeMistaken(node, trust.neighbour());
    }
    if (step instanceof Step.Gone) {
      return isUp(node) && (!leaving.get(node) || isDispensable(node));
    }
    if (step instanceof Step.Leave) {
      return isUp(node);
    }
    return links.pending().contains(step);
  }

  private boolean canBeMistaken(int node, int other) {
    return isUp(node) && isUp(other) && links.areNeighbours(node, other) && links.isUp(node, other);
  }

  /** Whether a node that is to leave can be removed: it has no token, and nobody uses it. */
  boolean isDispensable(int node) {
    boolean[] sends = {false};
    outbox.inTransit((from, to, message) -> sends[0] |= from == node);
    return phase(node, 0) == Phase.IDLE && !sends[0] && !hasToken(node) && !links.hasUnsent(node);
  }

  /** Whether the token of a system that has one is at this node. */
  boolean hasToken(int node) {
    return state(node) instanceof HasToken state && state.tokenHere();
  }

  boolean isCut(int a, int b) {
    return links.isCut(a, b);
  }

  boolean isGone(int node) {
    return links.isGone(node);
  }

  /**
   * Whether a node that waits can be served: all that are up are in one piece, or it is in the
   * piece of the token.
   */
  public boolean isOwed(int node) {
    if (system.channels() == null || links.isInOnePiece(down)) {
      return true;
    }
    return IntStream.range(0, nodes())
        .filter(other -> isUp(other) && hasToken(other))
        .anyMatch(other -> links.reached(other, down).get(node));
  }

  /** Whether the channel of a message that was sent is still there. */
  public boolean carries(Step.Delivery message) {
    return system.channels() == null || links.carries(message.from(), message.to());
  }

  /** Whether what is in transit from one node to another can arrive. */
  public boolean canArrive(int from, int to) {
    return system.channels() == null || links.isUp(from, to);
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
    if (system.channels() == null || links.carries(actor, to)) {
      outbox.sent(new Step.Delivery(actor, to, message));
    } else if (links.areNeighbours(actor, to) && links.knowsChannel(actor, to)) {
      links.keep(actor, to, message);
    } else {
      throw broken(
          "every message goes over a channel",
          Names.of(actor) + " sent " + message + " to " + Names.of(to));
    }
  }

  @Override
  public void grant(int resource, long cargo) {
    if (phase(actor, resource) != Phase.WAITING) {
      throw broken("only who asked is granted", Names.of(actor) + " did not ask");
    }
    move(resource, Phase.WAITING, Phase.INSIDE);
    inside[resource]++;
    if (inside[resource] > 1) {
      throw broken("mutual exclusion", Names.of(actor) + " enters while another is inside");
    }
    boolean resilient = system.channels() != null || system.patience() > 1;
    boolean promised = resilient ? !crashed && !mistaken : !faulted;
    if (cargo != exits[resource] && promised) { // a token that was made anew cannot know it
      throw broken(
          "the token carries what the last holder left",
          "the grant of " + Names.of(actor) + " carries " + cargo + ", not " + exits[resource]);
    }
    outbox.granted(actor, resource);
  }

  @Override
  public void setAlarm(Alarm alarm, long delay) {
    outbox.alarmSet(actor, alarm, delay);
  }

  private static Violation.Broken broken(String invariant, String detail) {
    return new Violation.Broken(new Violation(invariant, detail));
  }

  private void move(int resource, Phase from, Phase to) {
    if (phase(actor, resource) != from) {
      throw new IllegalStateException(
          "the user of " + Names.of(actor) + " is " + phase(actor, resource) + ", not " + from);
    }
    phases[system.seat(actor, resource)] = to;
  }

  /** Whether a channel has lost or doubled a message, or a node has crashed. */
  public boolean isFaulted() {
    return faulted;
  }

  /** Whether a node has crashed. */
  boolean hasCrashed() {
    return crashed;
  }

  /** Where the user of a node and resource is. */
  public Phase phase(int node, int resource) {
    return phases[system.seat(node, resource)];
  }

  private Algorithm node(int i) {
    Algorithm node = nodes[i];
    if (node == null) {
      node = system.nodes().apply(i);
      nodes[i] = node;
    }
    return node;
  }

  /** Puts a user into an earlier state. */
  public void restoreUser(int seat, Phase phase) {
    inside[system.resource(seat)] +=
        (phase == Phase.INSIDE ? 1 : 0) - (phases[seat] == Phase.INSIDE ? 1 : 0);
    phases[seat] = phase;
  }

  /** Puts a node into an earlier state. */
  public void restore(int i, State state) {
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

  /** Goes back to when that many critical sections of a resource had ended. */
  public void restoreExits(int resource, long number) {
    exits[resource] = number;
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
  public int resources() {
    return system.resources();
  }

  @Override
  public boolean inside(int i, int resource) {
    return phase(i, resource) == Phase.INSIDE;
  }

  @Override
  public void messages(Visitor visitor) {
    outbox.inTransit(visitor);
  }
}
