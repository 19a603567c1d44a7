package io.baton.algorithms;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * [NET] §4.3 to the letter, for reading and breaking: min(X) orders requests by the name of their
 * origin and starves the others (A1), and a served request is forgotten, so that a late copy of it
 * is taken for a new one and floods the network again (A3).
 */
public final class NetworkLiteral implements Algorithm {
  private final int i;
  private final List<Integer> neighbours;
  private long clock; // "C_i"
  private boolean tokenHere;
  private boolean inside;
  private ByProcess<Stamp> lud = ByProcess.empty(); // meaningful where the token is
  private long cargo;
  private List<Known> requests = new ArrayList<>(); // "req_array_i"

  /** A request identifier, and the neighbour in whose list it is. */
  record Known(int origin, long time, int via) {
    @Override
    public String toString() {
      return "(" + Names.of(origin) + "," + time + ")>" + Names.of(via);
    }
  }

  /** Process i, initially without requests. */
  public NetworkLiteral(int i, List<Integer> neighbours, boolean owner) {
    this.i = i;
    this.neighbours = List.copyOf(neighbours);
    this.tokenHere = owner;
  }

  @Override
  public void enter(Effects out) { // procedure enter_CS
    if (tokenHere) {
      inside = true;
      out.grant(cargo);
    } else {
      TreeSet<Integer> seen = new TreeSet<>(neighbours);
      seen.add(i);
      broadcast(i, clock, neighbours, seen, out);
    }
  }

  private static void broadcast(
      int origin, long time, List<Integer> to, Collection<Integer> seen, Effects out) {
    for (int k : to) {
      Stamp stamp = new Stamp(0, time);
      out.send(k, new NetworkRequest(origin, stamp, List.copyOf(seen), List.of(), List.of()));
    }
  }

  @Override
  public void exit(long newCargo, Effects out) { // procedure exit_CS
    inside = false;
    cargo = newCargo;
    transmit(out);
  }

  private void onRequest(int sender, NetworkRequest req, Effects out) { // receive_request
    int origin = req.origin();
    long time = req.stamp().time();
    requests.removeIf(known -> known.origin() == origin && known.time() < time); // "old request"
    if (requests.stream().noneMatch(known -> known.origin() == origin && known.time() >= time)) {
      clock = Math.max(clock, time) + 1;
      requests.add(new Known(origin, time, sender));
      TreeSet<Integer> seen = new TreeSet<>(req.alreadySeen());
      List<Integer> others = neighbours.stream().filter(k -> !seen.contains(k)).toList();
      seen.addAll(neighbours);
      broadcast(origin, time, others, seen, out);
      if (tokenHere && !inside) {
        transmit(out);
      }
    }
  }

  private void onToken(NetworkToken token, Effects out) { // procedure receive_token
    if (token.elec() == i) {
      tokenHere = true;
      inside = true;
      lud = token.lud();
      cargo = token.cargo();
      out.grant(cargo);
    } else { // "The token is following the path that the corresponding request established"
      for (Known known : requests) {
        if (known.origin() == token.elec()) {
          out.send(known.via(), token);
          return;
        }
      }
      throw new IllegalStateException("no way to " + Names.of(token.elec()) + " is known");
    }
  }

  private void transmit(Effects out) { // procedure transmit_token
    Known elec = null;
    for (Known known : requests) {
      boolean pending = lud.get(known.origin(), Stamp.NEVER).time() < known.time();
      if (pending && (elec == null || known.origin() < elec.origin())) { // min(X), by name
        elec = known;
      }
    }
    if (elec != null) {
      requests.remove(elec);
      lud = lud.with(i, new Stamp(0, clock));
      clock++; // line (A)
      tokenHere = false;
      NetworkToken token = NetworkToken.FIRST.withLud(lud).withCargo(cargo);
      out.send(elec.via(), token.addressed(elec.origin(), new Stamp(0, elec.time())));
      lud = ByProcess.empty();
    }
  }

  @Override
  public void receive(int from, Message message, Effects out) {
    if (message instanceof NetworkRequest request) {
      onRequest(from, request, out);
    } else {
      onToken((NetworkToken) message, out);
    }
  }

  /** The variables of a process. */
  record Memory(
      long clock,
      boolean tokenHere,
      boolean inside,
      ByProcess<Stamp> lud,
      long cargo,
      List<Known> requests)
      implements HasToken {
    @Override
    public List<Variable> variables() {
      return List.of(
          new Variable("C", Long.toString(clock)),
          Variable.of("token_here", tokenHere),
          Variable.of("in_CS", inside),
          new Variable("req_array", requests.toString().replace(" ", "")));
    }
  }

  @Override
  public State capture() {
    return new Memory(clock, tokenHere, inside, lud, cargo, List.copyOf(requests));
  }

  @Override
  public void restore(State state) {
    Memory m = (Memory) state;
    clock = m.clock();
    tokenHere = m.tokenHere();
    inside = m.inside();
    lud = m.lud();
    cargo = m.cargo();
    requests = new ArrayList<>(m.requests());
  }
}
