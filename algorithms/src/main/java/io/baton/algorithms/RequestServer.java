package io.baton.algorithms;

import org.jspecify.annotations.Nullable;

/**
 * A node seen as a server of requests ([GS] §2.1 "Queues" and §3.3): it serves one request at a
 * time, and those that come while it is busy wait. Holds what the general scheme and its annexes
 * share; what a service does is the subclass's, in the paper's words.
 *
 * <p>The paper's "wait (not asked_i)" becomes the queue {@code waiting}. Invariant: nobody waits at
 * a node that is not asked.
 */
abstract class RequestServer implements Algorithm {
  final int i;
  final Request own; // immutable, so one serves for all of i's calls
  private final Policy policy;
  private final WaitingQueue waiting = new WaitingQueue();

  boolean tokenHere;
  boolean asked; // busy with a request, its own or another's
  int father; // whom to ask for the token; nil: this node is the root
  long cargo; // meaningful where the token is

  /** Node i of a tree, initially without requests; the root (father nil) has the token. */
  RequestServer(int i, int father, Policy policy) {
    this.i = i;
    this.own = new Request(i, i);
    this.policy = policy;
    this.father = father;
    this.tokenHere = father == NIL;
  }

  abstract void onEnter(Effects out);

  abstract void onExit(Effects out);

  abstract void onRequest(Request request, Effects out);

  abstract void onToken(Token token, int k, Effects out);

  /** Ends every wait that can end: a service may leave the node free, so it is a loop. */
  private void serveWaiting(Effects out) {
    while (!asked && !waiting.isEmpty()) {
      serve(waiting.remove(policy.next(waiting, i)), out);
    }
  }

  /** Whether a request waits here until this node is free. */
  public final boolean isWanted() {
    return !waiting.isEmpty();
  }

  /** How many requests wait here until this node is free. */
  public final int waitingCount() {
    return waiting.size();
  }

  /** Whether a request of j waits here. */
  final boolean hasWaiting(int j) {
    for (int place = 0; place < waiting.size(); place++) {
      if (waiting.get(place).origin() == j) {
        return true;
      }
    }
    return false;
  }

  /** The request of a sink that waits here; null where none does. */
  public final @Nullable Request waitingOf(int sink) {
    int place = placeOf(sink);
    return place < 0 ? null : waiting.get(place);
  }

  /**
   * Forgets the request of a sink that waits here. The caller of this method sends a {@link
   * Refusal} to the origin, unless the request is this node's own.
   */
  public final void dismiss(int sink) {
    waiting.remove(placeOf(sink));
  }

  private int placeOf(int sink) {
    for (int place = 0; place < waiting.size(); place++) {
      if (waiting.get(place).sink() == sink) {
        return place;
      }
    }
    return -1;
  }

  private void serveOrWait(Request request, Effects out) {
    if (asked) {
      waiting.add(request);
    } else {
      serve(request, out);
    }
  }

  private void serve(Request request, Effects out) {
    if (request.origin() == i) {
      onEnter(out);
    } else {
      onRequest(request, out);
    }
  }

  @Override
  public final void enter(Effects out) {
    serveOrWait(own, out);
  }

  @Override
  public final void exit(long newCargo, Effects out) {
    cargo = newCargo;
    onExit(out);
    serveWaiting(out);
  }

  @Override
  public final void receive(int from, Message message, Effects out) {
    if (message instanceof Request request) {
      serveOrWait(request, out);
    } else if (message instanceof Token token) {
      onToken(token, from, out);
      serveWaiting(out);
    } else {
      onOther(from, message, out);
      serveWaiting(out);
    }
  }

  /** A message that the general scheme does not know. */
  void onOther(int from, Message message, Effects out) {
    throw new IllegalArgumentException(getClass().getSimpleName() + " knows no " + message);
  }

  @Override
  public final void alarm(Alarm alarm, Effects out) {
    onAlarm(alarm, out);
    serveWaiting(out);
  }

  void onAlarm(Alarm alarm, Effects out) {
    Algorithm.super.alarm(alarm, out);
  }

  final SchemeState capture(int lender, int mandator) {
    return new SchemeState(
        tokenHere, asked, father, lender, mandator, waiting.capture(), tokenHere ? cargo : 0);
  }

  @Override
  public void restore(State state) {
    SchemeState s = (SchemeState) state;
    tokenHere = s.tokenHere();
    asked = s.asked();
    father = s.father();
    waiting.restore(s.waiting());
    cargo = s.cargo();
  }
}
