package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;

/**
 * "token(lud, elec)" of [NET] §4.1, and what it takes to find its way when channels have failed.
 *
 * @param lud when each process last gave the privilege away
 * @param elec the final addressee
 * @param stamp of the request it answers
 * @param path the handlers between the owner and the one that has the token now, in order
 * @param visited who has had the token on its way to elec, without having found it
 * @param stranded requests whose origin could not be reached…
 * @param asOf …in a search that began when the network had seen these changes and no others
 * @param hop how often the token has been sent
 */
record NetworkToken(
    ByProcess<Stamp> lud,
    int elec,
    Stamp stamp,
    List<Integer> path,
    List<Integer> visited,
    ByProcess<Stamp> stranded,
    ByProcess<Stamp> asOf,
    long hop,
    long cargo)
    implements CarriesToken {
  /** The token of the initial owner. */
  static final NetworkToken FIRST =
      new NetworkToken(
          ByProcess.empty(),
          Algorithm.NIL,
          Stamp.NEVER,
          List.of(),
          List.of(),
          ByProcess.empty(),
          ByProcess.empty(),
          0,
          0);

  NetworkToken withLud(ByProcess<Stamp> other) {
    return new NetworkToken(other, elec, stamp, path, visited, stranded, asOf, hop, cargo);
  }

  NetworkToken withCargo(long other) {
    return new NetworkToken(lud, elec, stamp, path, visited, stranded, asOf, hop, other);
  }

  /** The token at its owner. */
  NetworkToken atRest() {
    return addressed(Algorithm.NIL, Stamp.NEVER);
  }

  /** The token about to set out for a new addressee. */
  NetworkToken addressed(int process, Stamp request) {
    return new NetworkToken(
        lud, process, request, List.of(), List.of(), stranded, asOf, hop, cargo);
  }

  /** The token that has been at a node without finding the addressee. */
  NetworkToken seenBy(int node) {
    if (visited.contains(node)) {
      return this;
    }
    List<Integer> more = new ArrayList<>(visited);
    more.add(node);
    return new NetworkToken(lud, elec, stamp, path, List.copyOf(more), stranded, asOf, hop, cargo);
  }

  /** The token on its way from a node to the next. */
  NetworkToken sentBy(int node) {
    List<Integer> longer = new ArrayList<>(path);
    longer.add(node);
    return on(longer);
  }

  /** The token on its way back to the last handler on its path. */
  NetworkToken sentBack() {
    return on(path.subList(0, path.size() - 1));
  }

  private NetworkToken on(List<Integer> other) {
    return new NetworkToken(
        lud, elec, stamp, List.copyOf(other), visited, stranded, asOf, hop + 1, cargo);
  }

  /** The token that a channel did not carry: back at the node that sent it. */
  NetworkToken returnedTo(int node) {
    boolean forward = !path.isEmpty() && path.get(path.size() - 1) == node;
    return new NetworkToken(
        lud,
        elec,
        stamp,
        forward ? path.subList(0, path.size() - 1) : List.of(),
        forward ? visited : List.of(),
        stranded,
        asOf,
        hop,
        cargo);
  }

  /** The token after its addressee could not be reached. */
  NetworkToken gaveUp() {
    return new NetworkToken(
        lud,
        Algorithm.NIL,
        Stamp.NEVER,
        List.of(),
        List.of(),
        stranded.with(elec, stamp),
        asOf,
        hop,
        cargo);
  }

  /** The token in a network that has changed: whoever could not be reached may be now. */
  NetworkToken after(ByProcess<Stamp> changes) {
    return asOf.equals(changes)
        ? this
        : new NetworkToken(lud, elec, stamp, path, visited, ByProcess.empty(), changes, hop, cargo);
  }

  @Override
  public int sink() {
    return elec;
  }

  @Override
  public long ticket() {
    return stamp.ticket();
  }

  @Override
  public int bytes() {
    int stamps = lud.size() + stranded.size() + asOf.size();
    return 1 + NAME * (1 + path.size() + visited.size()) + (NAME + NUMBER) * stamps + 3 * NUMBER;
  }

  @Override
  public String toString() {
    return "token(" + lud + "," + Names.of(elec) + ")";
  }
}
