package io.baton.algorithms;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A node of the several-token ring of [RING] §4, rules 1 to 5. Who wishes to enter sends a token
 * round the ring and enters when it is back; others hold it while they are inside or wish to enter
 * with a higher priority.
 *
 * <p>Invariant: whoever is inside has the highest priority of all that wish for the resource. A
 * token that has passed a node has left its number there ({@code hSeqNumSeen}), so a wish of that
 * node that comes later has a lower priority, and its token waits where the first one was made.
 *
 * <p>Rule 4 needs a time-out, rule 5 acknowledgements; without them tokens must not be lost and
 * nodes not fail, and a critical section costs exactly N messages.
 */
public class Ring implements Algorithm {
  /** Rule 4: the token of a resource has not come back in time. */
  record Timeout(int resource) implements Alarm {
    @Override
    public String toString() {
      return "TIMEOUT" + (resource + 1);
    }
  }

  /** Rule 5: not everybody has taken this node in yet. */
  enum Rejoin implements Alarm {
    REJOIN
  }

  private final int i;
  private final RingSetup setup;
  private long hSeqNumSeen;
  private final Wish[] wishes; // by resource
  private final BitSet out = new BitSet(); // nodes that are not in the ring
  private final List<RingState.Hop> hops = new ArrayList<>(); // sent and not acknowledged
  private final TreeSet<Integer> awaited = new TreeSet<>(); // who has not taken i in yet
  private Stamp asked = new Stamp(0, 0); // in which life, and how often, i has asked everybody

  /** What i has to do with one resource. */
  private static final class Wish {
    boolean wanted; // by a user who must wait until i is in the ring
    @Nullable RingToken copy; // of the token that i made, "T_i"
    boolean inside;
    List<RingToken> queue = new ArrayList<>(); // "Q_i", highest priority first, one of each pid
    long cargo; // the largest seen
  }

  /** Node i of a ring, initially without requests. */
  public Ring(int i, RingSetup setup) {
    this.i = i;
    this.setup = setup;
    this.wishes = new Wish[setup.resources()];
    for (int r = 0; r < wishes.length; r++) {
      wishes[r] = new Wish();
    }
  }

  @Override
  public void enter(Effects effects) {
    enter(0, effects);
  }

  @Override
  public void exit(long cargo, Effects effects) {
    exit(0, cargo, effects);
  }

  /** Rule 1. */
  @Override
  public void enter(int resource, Effects effects) {
    if (!awaited.isEmpty()) {
      wishes[resource].wanted = true;
      return;
    }
    Wish wish = wishes[resource];
    hSeqNumSeen++;
    RingToken token = new RingToken(resource, hSeqNumSeen, i, false, wish.cargo);
    wish.copy = token;
    pass(token, effects);
    setTimeout(resource, effects);
  }

  /** Rule 3, second half: "sends the queued tokens … and deletes the associated copy". */
  @Override
  public void exit(int resource, long cargo, Effects effects) {
    Wish wish = wishes[resource];
    wish.cargo = Math.max(wish.cargo, cargo);
    wish.inside = false;
    wish.copy = null;
    List<RingToken> queued = wish.queue;
    wish.queue = new ArrayList<>();
    for (RingToken token : queued) {
      pass(token, effects);
    }
  }

  @Override
  public void receive(int from, Message message, Effects effects) {
    if (message instanceof RingToken token) {
      if (setup.acks()) {
        effects.send(from, new RingToken.Ack(token));
      }
      onToken(token, effects);
    } else if (message instanceof RingToken.Ack ack) {
      hops.removeIf(hop -> hop.to() == from && hop.token().sameRequest(ack.token()));
    } else if (message instanceof RingJoin join) {
      onJoin(from, join, effects);
    } else if (message instanceof RingJoin.Welcome welcome) {
      onWelcome(from, welcome, effects);
    } else {
      throw new IllegalArgumentException("A ring knows no " + message);
    }
  }

  private void onToken(RingToken token, Effects effects) {
    Wish wish = wishes[token.resource()];
    hSeqNumSeen = Math.max(hSeqNumSeen, token.seqNum());
    wish.cargo = Math.max(wish.cargo, token.cargo());
    RingToken copy = wish.copy;
    if (token.pid() == i) {
      if (copy != null && isCurrent(token, copy) && !wish.inside) { // Rule 3, first half
        wish.inside = true;
        effects.grant(token.resource(), wish.cargo);
      } // Departs from [RING] rule 4 (T5): any other token of i's has had its turn
    } else if (copy == null) { // Rule 2, first case
      pass(asPassed(token), effects);
    } else if (wish.inside || copy.before(token)) { // second and third case
      hold(token, wish);
    } else {
      pass(token, effects);
    }
  }

  /** Whether a token of i's own is the one it waits for. */
  boolean isCurrent(RingToken token, RingToken copy) {
    return token.sameRequest(copy);
  }

  /**
   * What a node that does not wish to enter passes on. Departs from [RING] rule 2 (T1): "replaces
   * the sequence number by HSeqNumSeen" is read of the node's own memory; the token is not touched.
   */
  RingToken asPassed(RingToken token) {
    return token;
  }

  final long hSeqNumSeen() {
    return hSeqNumSeen;
  }

  /** Rule 4: "No node will store duplicate tokens in their request queues." */
  private static void hold(RingToken token, Wish wish) {
    for (RingToken other : wish.queue) {
      if (other.pid() == token.pid() && !other.before(token)) {
        return; // this one, or a later request of the same node, is here
      }
    }
    wish.queue.removeIf(other -> other.pid() == token.pid());
    int place = 0;
    while (place < wish.queue.size() && wish.queue.get(place).before(token)) {
      place++;
    }
    wish.queue.add(place, token);
  }

  /** Sends a token to the next node; where there is none, it is home at once. */
  private void pass(RingToken given, Effects effects) {
    RingToken token = given.withCargo(wishes[given.resource()].cargo);
    if (out.get(token.pid())) {
      return; // Departs from [RING] rule 5 (T6): nobody would ever take it off the ring
    }
    int next = next();
    if (next == i) {
      if (token.pid() == i) {
        onToken(token, effects);
      }
      return;
    }
    if (setup.acks()) {
      hops.removeIf(
          hop ->
              hop.token().pid() == token.pid()
                  && hop.token().resource() == token.resource()
                  && !token.before(hop.token()));
      hops.add(new RingState.Hop(next, token));
    }
    effects.send(next, token);
  }

  private int next() {
    int step = setup.anticlockwise() ? setup.nodes() - 1 : 1;
    int next = (i + step) % setup.nodes();
    while (out.get(next)) {
      next = (next + step) % setup.nodes();
    }
    return next;
  }

  // Rule 4.

  private void setTimeout(int resource, Effects effects) {
    if (setup.timeout() > 0) {
      effects.setAlarm(new Timeout(resource), setup.timeout());
    }
  }

  @Override
  public void alarm(Alarm alarm, Effects effects) {
    if (alarm instanceof Timeout timeout) {
      if (sendAgain(timeout.resource(), effects)) {
        setTimeout(timeout.resource(), effects);
      }
    } else if (!awaited.isEmpty()) {
      askToJoin(effects);
    }
  }

  /** Sends the own token again, if it has not come back yet. */
  private boolean sendAgain(int resource, Effects effects) {
    RingToken copy = wishes[resource].copy;
    if (copy == null || wishes[resource].inside) {
      return false;
    }
    pass(copy.again(), effects);
    return true;
  }

  // Rule 5.

  /** "The dead node can be removed from the logical ring", and its tokens with it. */
  @Override
  public void disconnected(int node, boolean forGood, List<Message> unsent, Effects effects) {
    out.set(node);
    for (Wish wish : wishes) {
      wish.queue.removeIf(token -> token.pid() == node);
    }
    List<RingState.Hop> again = hops.stream().filter(hop -> hop.to() == node).toList();
    hops.removeAll(again);
    for (RingState.Hop hop : again) { // "throw the token over the head of the dead one"
      pass(hop.token(), effects);
    }
    for (int r = 0; r < wishes.length; r++) { // it may have held the token of i
      sendAgain(r, effects);
    }
    if (!awaited.isEmpty()) { // it may have skipped i, and others remember what it let pass
      askAnew(effects);
    }
  }

  @Override
  public void connected(Revival.Neighbour neighbour, Effects effects) {
    out.clear(neighbour.node());
  }

  /**
   * Departs from [RING] rule 5 (T6): who comes back makes no request before everybody sends tokens
   * to it again and it has heard of all numbers that were in use meanwhile.
   */
  @Override
  public void recover(Revival revival, Effects effects) {
    asked = new Stamp(revival.life(), 0);
    out.set(0, setup.nodes());
    out.clear(i);
    for (Revival.Neighbour neighbour : revival.neighbours()) {
      out.clear(neighbour.node());
      awaited.add(neighbour.node());
    }
    askToJoin(effects);
  }

  private void askAnew(Effects effects) {
    asked = new Stamp(asked.life(), asked.time() + 1);
    awaited.clear();
    for (int node = 0; node < setup.nodes(); node++) {
      if (node != i && !out.get(node)) {
        awaited.add(node);
      }
    }
    if (awaited.isEmpty()) {
      joined(effects);
    } else {
      askToJoin(effects);
    }
  }

  private void askToJoin(Effects effects) {
    for (int node : awaited) {
      effects.send(node, new RingJoin(asked));
    }
    if (setup.timeout() > 0) {
      effects.setAlarm(Rejoin.REJOIN, setup.timeout());
    }
  }

  private void onJoin(int from, RingJoin join, Effects effects) {
    out.clear(from);
    List<Long> cargos = new ArrayList<>();
    for (Wish wish : wishes) {
      cargos.add(wish.cargo);
    }
    effects.send(from, new RingJoin.Welcome(join.asked(), hSeqNumSeen, List.copyOf(cargos)));
  }

  private void onWelcome(int from, RingJoin.Welcome welcome, Effects effects) {
    hSeqNumSeen = Math.max(hSeqNumSeen, welcome.hSeqNumSeen());
    for (int r = 0; r < wishes.length; r++) {
      wishes[r].cargo = Math.max(wishes[r].cargo, welcome.cargos().get(r));
    }
    if (welcome.asked().equals(asked) && awaited.remove(from) && awaited.isEmpty()) {
      joined(effects);
    }
  }

  private void joined(Effects effects) {
    for (int r = 0; r < wishes.length; r++) {
      if (wishes[r].wanted) {
        wishes[r].wanted = false;
        enter(r, effects);
      }
    }
  }

  @Override
  public State capture() {
    List<RingState.Wish> states = new ArrayList<>();
    for (Wish wish : wishes) {
      states.add(
          new RingState.Wish(
              wish.wanted, wish.copy, wish.inside, List.copyOf(wish.queue), wish.cargo));
    }
    return new RingState(
        hSeqNumSeen,
        List.copyOf(states),
        out.stream().boxed().toList(),
        List.copyOf(hops),
        List.copyOf(awaited),
        asked);
  }

  @Override
  public void restore(State state) {
    RingState memory = (RingState) state;
    hSeqNumSeen = memory.hSeqNumSeen();
    for (int r = 0; r < wishes.length; r++) {
      RingState.Wish s = memory.wishes().get(r);
      wishes[r].wanted = s.wanted();
      wishes[r].copy = s.copy();
      wishes[r].inside = s.inside();
      wishes[r].queue = new ArrayList<>(s.queue());
      wishes[r].cargo = s.cargo();
    }
    out.clear();
    memory.out().forEach(out::set);
    hops.clear();
    hops.addAll(memory.hops());
    awaited.clear();
    awaited.addAll(memory.awaited());
    asked = memory.asked();
  }
}
