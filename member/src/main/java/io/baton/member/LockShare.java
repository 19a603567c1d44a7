package io.baton.member;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Message;
import io.baton.algorithms.Policy;
import io.baton.algorithms.Refusal;
import io.baton.algorithms.Request;
import io.baton.algorithms.Rule;
import io.baton.algorithms.SchemeState;
import io.baton.algorithms.Token;
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
 *
 * <p>Attempts: a request whose sink only tries is marked as such wherever it goes, and is refused
 * where it would have to wait for somebody: see {@link #answerAttempts}.
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

    /** Sends a message; one that is an attempt is a request that is to be refused, not to wait. */
    void send(LockShare lock, int to, Message message, boolean attempt);

    void recall(LockShare lock, int borrower, long loan);

    /** Asks a member whether it uses the lock, or has callers that wait for it. */
    void inquire(LockShare lock, int of, long loan, int question);

    /** Answers that it is so. */
    void busy(LockShare lock, int asker, int question);

    /** Tells all others that nobody here wants the lock any more that was asked for. */
    void withdraw(LockShare lock);

    /** Nobody holds it here any more. */
    void released(LockShare lock);

    /** Few numbers are left in this epoch. */
    void numbersRunShort();
  }

  private static final long NONE = -1;

  final String name;
  private final Host host;
  private final GeneralScheme scheme;
  private final int i;

  private @Nullable Callers callers; // who waits here; null: nobody ever did
  private @Nullable Attempts attempts; // who only tries; null: nobody does
  private @Nullable Caller holder;
  private boolean warned; // it has been told that others want the lock
  private boolean asking; // has asked to enter and is not inside
  private boolean revocable; // and by a request that others refuse, once nobody here wants it
  private int proxied = NIL; // for whom this node, as a proxy, has asked; attempts apart
  private boolean inside; // as the algorithm sees it: it has been let in and has not left
  private long last; // the last fence given, where the token is
  private int passes; // grants in a row while others waited

  private int borrower = NIL; // to whom this node, as a lender, has lent the token
  private boolean unsettled; // whether it was lent, and to whom, is not known yet (R16)
  private long lent; // the loan that it is
  private int questions; // asked in this epoch: a late answer is none to a later question
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
    next.attempts = attempts;
    if (attempts != null) {
      attempts.beginEpoch();
    }
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
    return holder == null && !isWaitedFor() && borrower == NIL && !unsettled && usedAt <= since;
  }

  /** Whether somebody waits for it here, or tries. */
  boolean isWaitedFor() {
    return hasCallers() || hasAttempts();
  }

  private boolean hasCallers() {
    return callers != null && !callers.isEmpty();
  }

  private boolean hasAttempts() {
    return attempts != null && attempts.hasCallers();
  }

  /** Whether it is in use here, or a caller waits for it here: then others may not have it. */
  private boolean isBusy() {
    return hasCallers() || (holder != null && holder.isInUse());
  }

  /** Whether others wait for it, or try. */
  private boolean isTriedFor() {
    return returns || scheme.isWanted() || (attempts != null && attempts.isAskedFor(borrowed));
  }

  /** Whether others wait for it that do not only try; or callers here, with a request here. */
  private boolean isAwaited() {
    int tries = attempts == null ? 0 : attempts.requestCount(hasCallers() ? i : NIL);
    return returns || scheme.waitingCount() > tries;
  }

  long lastFence() {
    return last;
  }

  @Nullable Caller holder() {
    return holder;
  }

  boolean isHeldWith(long fence) {
    return holder != null && holder.last(last) == fence;
  }

  /** Whether somebody holds it here, or waits for it here. */
  boolean isInUse() {
    return holder != null || isWaitedFor() || scheme.isWanted();
  }

  LockState state(View view) {
    SchemeState state = scheme.capture();
    List<String> members = new ArrayList<>();
    for (Request request : state.waiting()) {
      if (request.sink() != i) {
        members.add(view.at(request.sink()).id());
      }
    }
    List<Caller> waiting = callers == null ? List.of() : callers.list();
    int next = hasToken() ? NIL : borrower != NIL ? borrower : state.father();
    String towards = next == NIL || next == i ? "" : view.at(next).id();
    return new LockState(name, holder, waiting, members, hasToken(), towards, last);
  }

  /** Takes those who wait out of here. */
  List<Caller> dismissCallers() {
    List<Caller> dismissed = callers == null ? List.of() : callers.list();
    callers = null;
    return dismissed;
  }

  /** Takes those who try out of here. */
  List<Caller> dismissAttempts() {
    return attempts == null ? List.of() : attempts.takeAll();
  }

  // The events.

  void acquire(Caller caller) {
    if (callers == null) {
      callers = new Callers();
    }
    callers.add(caller);
    goOn();
  }

  /** The caller wants the lock only if nobody has it or waits for it; whether that is open yet. */
  boolean attempt(Caller caller) {
    if (isBusy()) {
      caller.refused();
      return false;
    }
    Attempts mine = attempts();
    mine.add(caller);
    goOn();
    return mine.hasCallers();
  }

  private Attempts attempts() {
    if (attempts == null) {
      attempts = new Attempts();
    }
    return attempts;
  }

  /** The caller gives up, or gives back: true if it was here. */
  boolean leave(Caller caller) {
    if (holder == caller) {
      last = caller.last(last);
      usedAt = host.now();
      holder = null;
      host.released(this);
      goOn();
      return true;
    }
    boolean waited = callers != null && callers.remove(caller);
    if (waited) {
      forgetWish();
      answerAttempts(); // they do not wait behind it any more
    }
    return waited || quit(caller);
  }

  /** Where nobody wants the lock any more, and its request has not even left, it need not. */
  private void forgetWish() {
    if (asking && !isWaitedFor() && scheme.waitingOf(i) != null) {
      refuse(i);
    }
  }

  /** The caller tries no more: true if it did. */
  boolean quit(Caller caller) {
    return attempts != null && attempts.remove(caller);
  }

  /** Ends the hold with this fence, for a reason that its holder is told: true if it was here. */
  boolean end(long fence, Loss reason) {
    Caller ended = holder;
    if (ended == null || !ended.isAt(last, fence)) {
      return false;
    }
    ended.lost(reason);
    return leave(ended);
  }

  void receive(int from, Message message, boolean attempt) {
    usedAt = host.now();
    if (message instanceof Token token) {
      borrower = NIL;
      proxied = NIL;
      unsettled = false;
      last = token.cargo();
      borrowed = token.cargo();
      returns = recallAhead == borrowed;
    } else if (message instanceof Refusal) {
      proxied = NIL;
    }
    boolean given =
        message instanceof Request && attempts != null && attempts.overtook(message.sink());
    if (attempt || given) {
      attempts().waits(message.sink());
    }
    scheme.receive(from, message, this);
    if (message instanceof Refusal && message.sink() == i) {
      refused();
    }
    goOn();
  }

  /** What was asked for from here is refused: whoever still wants it has to be asked for anew. */
  private void refused() {
    asking = false;
    revocable = false;
    if (attempts != null) {
      attempts.takeAsked().forEach(Caller::refused);
    }
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
      receive(i, new Token(NIL, NIL, 0), false);
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
    if (borrower != NIL && !recalled && isAwaited()) {
      recalled = true;
      host.recall(this, borrower, lent);
    }
    if (holder != null && !holder.isInUse()) {
      warn(isWaitedFor() || isTriedFor()); // it is only kept: who tries may have it
    }
    answerAttempts();
    warn(hasCallers() || isAwaited());
  }

  private void warn(boolean wanted) {
    if (holder != null && !warned && wanted) {
      warned = true;
      holder.wanted();
    }
  }

  private boolean enter() {
    if (asking || !isWaitedFor() || !host.mayGrant()) {
      return false;
    }
    if (!scheme.tokenHere() && !host.mayAsk(this)) {
      return false;
    }
    asking = true;
    revocable = !hasCallers();
    if (revocable) {
      attempts().waits(i);
      attempts().asked();
    } else if (!scheme.tokenHere()) {
      dismissAttempts().forEach(Caller::refused); // others wait here, and no attempt is made
    }
    scheme.enter(this);
    return inside;
  }

  /** Inside, and nobody holds the lock: grants it to the next caller, waits, or leaves. */
  private boolean serveOrExit() {
    Settings settings = host.settings();
    boolean others = isAwaited();
    if (isWaitedFor() && !(others && passes >= host.passes(this))) {
      if (!host.mayGrant() || Fence.isLast(last, host.epoch(), settings.counterBits())) {
        return false; // until there is a lease, or a new epoch
      }
      passes = others ? passes + 1 : 0;
      grantToNext();
      return false;
    }
    if (!isWaitedFor() && scheme.isBorrower() && !isTriedFor() && settings.loansStay()) {
      return false; // the loan stays
    }
    inside = false;
    passes = 0;
    returns = false;
    scheme.exit(last, this);
    return true;
  }

  private void grantToNext() {
    Caller caller = attempts == null ? null : attempts.poll(); // they came before all who wait
    if (caller == null && callers != null) {
      caller = callers.poll();
    }
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

  // Attempts.

  /**
   * Refuses those who only try where the lock is in use or a caller waits for it; who tries here is
   * before all callers that wait here, and fails only where the lock is in use. Where somebody else
   * is before those who try, that one is asked. A wish that was given up is before nobody: its
   * request is withdrawn, and the refusal tells who is before it.
   */
  private void answerAttempts() {
    Attempts open = attempts;
    if (open == null) {
      return;
    }
    if (holder != null && holder.isInUse()) {
      open.takeAll().forEach(Caller::refused);
    }
    if (isBusy()) {
      open.requests().forEach(this::refuseElsewhere);
      open.takeQuestions().forEach((asker, question) -> host.busy(this, asker, question.number()));
    }
    if (open.hasCallers() || !(isBusy() || open.isEmpty())) {
      askWhoIsBefore(open);
    }
    if (!asking && holder == null) {
      open.takeQuestions(); // it is not used here, and will not be
    }
    if (open.isEmpty()) {
      attempts = null;
    }
  }

  private void askWhoIsBefore(Attempts open) {
    if (asking && !revocable && !hasCallers()) { // for somebody who has given up
      revocable = true;
      open.asked();
      if (scheme.waitingOf(i) == null) {
        host.withdraw(this);
      } else {
        open.waits(i);
      }
    }
    int before = borrower != NIL ? borrower : proxied;
    if (before != NIL && open.isUnasked()) {
      questions++;
      open.ask(questions);
      host.inquire(this, before, borrower != NIL ? lent : NONE, questions);
    }
  }

  private void refuseElsewhere(int sink) {
    if (sink != i) {
      refuse(sink);
    }
  }

  /** Forgets a request that waits here, and tells who sent it. */
  private void refuse(int sink) {
    Request request = scheme.waitingOf(sink);
    if (attempts != null) {
      attempts.goes(sink);
    }
    if (request != null) {
      scheme.dismiss(sink);
      if (sink == i) {
        refused();
      } else {
        host.send(this, request.origin(), new Refusal(sink), false);
      }
    }
  }

  /**
   * One that waits behind this member, for those who only try, wants to know whether the lock is in
   * use here; and where it is not, to have its loan back.
   */
  void questioned(int from, long loan, int question) {
    attempts().question(from, new Attempts.Question(loan, question));
    goOn();
  }

  /** Who was asked uses the lock, or has callers that wait for it. */
  void answeredBusy(int from, int question) {
    if (attempts != null && (from == borrower || from == proxied)) {
      attempts.answered(question).forEach(this::fail);
      goOn();
    }
  }

  private void fail(int sink) {
    if (sink == i && (!revocable || hasCallers()) && attempts != null) {
      attempts.goes(i);
      revocable = false;
      attempts.takeAsked().forEach(Caller::refused); // and the request is for others who wait here
    } else {
      refuse(sink);
    }
  }

  /** Nobody at that member wants the lock any more; its request may be here, or still come. */
  void withdrawn(int sink) {
    if (scheme.waitingOf(sink) == null) {
      attempts().overtakes(sink);
    } else {
      attempts().waits(sink);
      answerAttempts();
    }
  }

  // What the algorithm asks for.

  @Override
  public void send(int to, Message message) {
    boolean attempt = attempts != null && attempts.goes(message.sink());
    if (message instanceof Request && message.sink() == i && hasCallers() && !hasAttempts()) {
      attempt = false; // those who tried have gone, and others wait
      revocable = false;
    }
    if (attempts != null) {
      attempts.askAnew(); // another may be before those who try from now on
    }
    if (message instanceof Token token && token.lender() == i) {
      borrower = token.sink();
      lent = token.cargo();
      recalled = false;
    } else if (message instanceof Request request && request.origin() == i && !attempt) {
      proxied = request.sink() == i ? NIL : request.sink();
    }
    host.send(this, to, message, attempt && message instanceof Request);
  }

  @Override
  public void grant(int resource, long cargo) {
    asking = false;
    inside = true;
    passes = 0;
    if (attempts != null) {
      attempts.goes(i);
    }
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
