package io.baton.member;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Message;
import io.baton.algorithms.Policy;
import io.baton.algorithms.Request;
import io.baton.algorithms.Rule;
import io.baton.algorithms.SchemeState;
import io.baton.algorithms.Token;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One member's share of one lock: its node of the tree, and the local callers before it.
 *
 * <p>Callers are served in order. The member enters once for all of them and hands the lock on
 * locally, until nobody is left or others have waited long enough; what each event leads to is in
 * {@link #goOn}.
 *
 * <p>Loans that stay (R18): a borrower's exit is postponed until the lender recalls the token or a
 * request comes by. In between the node is inside, as the algorithm sees it, and nobody holds the
 * lock.
 */
final class LockShare implements Effects {
  /** What a lock asks of its member. */
  interface Host {
    Settings settings();

    long epoch();

    long now();

    /** Whether the member may grant anything now: it has a lease (R9). */
    boolean mayGrant();

    /** Whether new requests may be sent; the lock is told when that changes (R26). */
    boolean mayAsk(LockShare lock);

    /** How many local callers in a row are served while another member waits. */
    int passes(LockShare lock);

    void send(LockShare lock, int to, Message message);

    void recall(LockShare lock, int borrower, long loan);

    /** Few numbers are left in this epoch. */
    void numbersRunShort();
  }

  private static final long NONE = -1;

  final String name;
  private final Host host;
  private final GeneralScheme scheme;
  private final int i;

  private @Nullable ArrayDeque<Caller> callers; // who waits here; null: nobody ever did
  private @Nullable Caller holder;
  private boolean warned; // it has been told that others want the lock
  private boolean asking; // has asked to enter and is not inside
  private boolean inside; // as the algorithm sees it: it has been let in and has not left
  private long last; // the last fence given, where the token is
  private int passes; // grants in a row while others waited

  private int borrower = NIL; // to whom this node, as a lender, has lent the token
  private boolean unsettled; // whether it was lent, and to whom, is not known yet (R16)
  private long lent; // the loan that it is
  private boolean recalled; // the lender has asked for it back
  private long borrowed; // the loan that this node, as a borrower, has
  private long recallAhead = NONE; // the loan of a recall that came before its token
  private boolean returns; // the lender waits for it

  private long usedAt;

  /**
   * A share without a token.
   *
   * @param father nil: this is the root, and the token is lent to somebody not known yet (R16)
   */
  LockShare(String name, int position, int father, Rule rule, Host host) {
    this(name, host, position, new GeneralScheme(position, father, rule, Policy.FIFO));
    if (father == NIL) {
      unsettled = true;
      scheme.restore(new SchemeState(false, true, NIL, i, NIL, List.of(), 0));
    }
  }

  private LockShare(String name, Host host, int position, GeneralScheme scheme) {
    this.name = name;
    this.host = host;
    this.i = position;
    this.scheme = scheme;
    this.usedAt = host.now();
  }

  /**
   * This share in a new epoch (R14): who waits here goes on waiting, who holds goes on holding, and
   * a token that is here becomes a loan of the root's.
   */
  LockShare inNewEpoch(int position, int father, int root, Rule rule) {
    boolean hasToken = hasToken();
    LockShare next = new LockShare(name, position, father, rule, host);
    next.callers = callers;
    if (hasToken) {
      next.unsettled = false;
      next.holder = holder;
      next.last = last;
      next.usedAt = usedAt;
      next.inside = holder != null || position != root;
      next.borrowed = last;
      next.scheme.restore(new SchemeState(true, next.inside, father, root, NIL, List.of(), last));
    }
    return next;
  }

  boolean isAsking() {
    return asking;
  }

  boolean hasToken() {
    return scheme.tokenHere();
  }

  /** Nobody here wants it or has it, or has for a while; nor is it known to be lent. */
  boolean isIdle(long since) {
    return holder == null && !hasCallers() && borrower == NIL && !unsettled && usedAt <= since;
  }

  boolean hasCallers() {
    return callers != null && !callers.isEmpty();
  }

  long lastFence() {
    return last;
  }

  @Nullable Caller holder() {
    return holder;
  }

  /** Whether somebody holds it here, or waits for it here. */
  boolean isInUse() {
    return holder != null || hasCallers() || scheme.isWanted();
  }

  LockState state(View view) {
    SchemeState state = scheme.capture();
    List<String> members = new ArrayList<>();
    for (Request request : state.waiting()) {
      if (request.sink() != i) {
        members.add(view.at(request.sink()).id());
      }
    }
    List<Caller> waiting = callers == null ? List.of() : List.copyOf(callers);
    return new LockState(name, holder, waiting, members, hasToken(), last);
  }

  /** Takes those who wait out of here. */
  List<Caller> dismissCallers() {
    List<Caller> dismissed = callers == null ? List.of() : List.copyOf(callers);
    callers = null;
    return dismissed;
  }

  // The events.

  void acquire(Caller caller) {
    if (callers == null) {
      callers = new ArrayDeque<>(2);
    }
    callers.add(caller);
    goOn();
  }

  /** The caller gives up, or gives back: true if it was here. */
  boolean leave(Caller caller) {
    if (holder == caller) {
      last = caller.last(last);
      usedAt = host.now();
      holder = null;
      goOn();
      return true;
    }
    return callers != null && callers.removeIf(each -> each == caller);
  }

  /** Ends the hold with this fence: true if it was here. */
  boolean force(long fence) {
    Caller forced = holder;
    if (forced == null || !forced.isAt(last, fence)) {
      return false;
    }
    forced.lost(Loss.FORCED);
    return leave(forced);
  }

  void receive(int from, Message message) {
    usedAt = host.now();
    if (message instanceof Token token) {
      borrower = NIL;
      unsettled = false;
      last = token.cargo();
      borrowed = token.cargo();
      returns = recallAhead == borrowed;
    }
    scheme.receive(from, message, this);
    goOn();
  }

  void recalled(long loan) {
    if (inside && scheme.isBorrower() && borrowed == loan) {
      returns = true;
      goOn();
    } else if (asking) {
      recallAhead = Math.max(recallAhead, loan); // an older loan's may come last
    }
  }

  /** All have reported: the token of this root is with a borrower, or must be made anew. */
  void settle(int newBorrower, long loan) {
    if (!unsettled) {
      return; // the borrower has already given it back
    }
    if (newBorrower == NIL) {
      receive(i, new Token(NIL, NIL, 0));
    } else {
      unsettled = false;
      borrower = newBorrower;
      lent = loan;
      recalled = false;
      goOn();
    }
  }

  /** Goes on with whatever can be done now. */
  void goOn() {
    while (holder == null && (inside ? serveOrExit() : enter())) {
      // until there is nothing left to do
    }
    if (borrower != NIL && !recalled && scheme.isWanted()) {
      recalled = true;
      host.recall(this, borrower, lent);
    }
    if (holder != null && !warned && (hasCallers() || returns || scheme.isWanted())) {
      warned = true;
      holder.wanted();
    }
  }

  private boolean enter() {
    if (asking || !hasCallers() || !host.mayGrant()) {
      return false;
    }
    if (!scheme.tokenHere() && !host.mayAsk(this)) {
      return false;
    }
    asking = true;
    scheme.enter(this);
    return inside;
  }

  /** Inside, and nobody holds the lock: grants it to the next caller, waits, or leaves. */
  private boolean serveOrExit() {
    Settings settings = host.settings();
    boolean others = returns || scheme.isWanted();
    if (hasCallers() && !(others && passes >= host.passes(this))) {
      if (!host.mayGrant() || Fence.isLast(last, host.epoch(), settings.counterBits())) {
        return false; // until there is a lease, or a new epoch
      }
      passes = others ? passes + 1 : 0;
      grantToNext();
      return false;
    }
    if (!hasCallers() && scheme.isBorrower() && !others && settings.loansStay()) {
      return false; // the loan stays
    }
    inside = false;
    passes = 0;
    returns = false;
    scheme.exit(last, this);
    return true;
  }

  private void grantToNext() {
    Caller caller = callers == null ? null : callers.poll();
    if (caller == null) {
      throw new IllegalStateException("Nobody waits for " + this);
    }
    Settings settings = host.settings();
    last = Fence.next(last, host.epoch(), settings.counterBits());
    if (Fence.nearsEnd(last, settings.counterBits())) {
      host.numbersRunShort();
    }
    usedAt = host.now();
    holder = caller;
    warned = false;
    caller.granted(last);
  }

  // What the algorithm asks for.

  @Override
  public void send(int to, Message message) {
    if (message instanceof Token token && token.lender() == i) {
      borrower = token.sink();
      lent = token.cargo();
      recalled = false;
    }
    host.send(this, to, message);
  }

  @Override
  public void grant(int resource, long cargo) {
    asking = false;
    inside = true;
    passes = 0;
  }

  @Override
  public void setAlarm(Alarm alarm, long delay) {
    throw new IllegalStateException("The general scheme sets no alarm, yet " + alarm);
  }

  @Override
  public String toString() {
    return name
        + scheme.capture().variables()
        + (holder != null ? " held" : "")
        + (inside ? " inside" : "")
        + (asking ? " asking" : "");
  }
}
