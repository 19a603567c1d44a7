package io.baton.member;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Message;
import io.baton.algorithms.Token;
import io.baton.member.Letter.Survivor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The locks of a member, each made on first use and forgotten when it is of no use any more. */
final class Locks implements LockShare.Host {
  /** What the locks ask of their member. */
  interface Host {
    long now();

    boolean hasLease();

    boolean hasRoom();

    void send(int position, Letter.Body body);

    void sendToAll(Letter.Body body);

    void wantNewEpoch();

    void handedOver(String lock);
  }

  private final Settings settings;
  private final Rules rules;
  private final Host host;
  private Map<String, LockShare> shares = new LinkedHashMap<>();
  private final Set<LockShare> heldBack = new LinkedHashSet<>(); // until there is room (R26)
  private final Limits limits = new Limits();
  private View view = View.NONE;
  private int position = View.ABSENT;
  private boolean settled; // tokens of locks rooted here may be made

  Locks(Settings settings, Rules rules, Host host) {
    this.settings = settings;
    this.rules = rules;
    this.host = host;
  }

  @Nullable LockShare find(String name) {
    return shares.get(name);
  }

  /** The share of a lock, made where there is none. Needs a view. */
  LockShare get(String name) {
    LockShare share = shares.get(name);
    if (share == null) {
      share =
          new LockShare(
              name, position, view.father(position, name), rules.of(name, view.founders()), this);
      shares.put(name, share);
      if (settled && view.root(name) == position) {
        share.settle(NIL, 0);
      }
    }
    return share;
  }

  int size() {
    return shares.size();
  }

  void forEach(BiConsumer<String, LockShare> action) {
    List.copyOf(shares.values()).forEach(share -> action.accept(share.name, share));
  }

  List<LockState> inUse() {
    List<LockState> states = new ArrayList<>();
    for (LockShare share : shares.values()) {
      if (share.isInUse()) {
        states.add(share.state(view));
      }
    }
    return states;
  }

  /** What is known of one lock. Needs a view. */
  LockState state(String name) {
    LockShare share = shares.get(name);
    if (share != null) {
      return share.state(view);
    }
    int father = view.father(position, name);
    boolean hasToken = father == NIL && settled; // once somebody asks
    String towards = father == NIL ? "" : view.at(father).id();
    return new LockState(name, null, List.of(), List.of(), hasToken, towards, 0);
  }

  /** A view without a new epoch: nobody is disturbed. */
  void extend(View newView) {
    view = newView;
  }

  /**
   * A new epoch begins (R14): tokens that are here stay, who waits here asks again, and all else is
   * forgotten, tokens that were long idle included (R23).
   *
   * @return the tokens that are here
   */
  List<Survivor> begin(View newView, int newPosition) {
    Map<String, LockShare> former = shares;
    view = newView;
    position = newPosition;
    settled = false;
    heldBack.clear();
    shares = new LinkedHashMap<>();
    List<Survivor> survivors = new ArrayList<>();
    for (LockShare share : former.values()) {
      boolean survives = share.hasToken() && !isToRetire(share);
      if (survives || share.isWaitedFor()) {
        String name = share.name;
        int father = view.father(position, name);
        shares.put(
            name,
            share.inNewEpoch(position, father, view.root(name), rules.of(name, view.founders())));
      }
      if (survives) {
        survivors.add(new Survivor(share.name, position, share.lastFence()));
      }
    }
    return survivors;
  }

  private boolean isToRetire(LockShare share) {
    return share.isIdle(host.now() - settings.retireAfter());
  }

  /** How many would be forgotten in a change of epoch. */
  int countToRetire() {
    int count = 0;
    for (LockShare share : shares.values()) {
      count += isToRetire(share) ? 1 : 0;
    }
    return count;
  }

  /** Of the locks rooted here these have a token; all others may get a new one. */
  void settle(List<Survivor> survivors) {
    Map<String, Survivor> byName = new LinkedHashMap<>();
    for (Survivor survivor : survivors) {
      byName.put(survivor.lock(), survivor);
      get(survivor.lock()); // as one whose token is not here
    }
    settled = true;
    forEach(
        (name, share) -> {
          Survivor survivor = byName.get(name);
          if (view.root(name) == position) {
            share.settle(
                survivor == null ? NIL : survivor.holder(), survivor == null ? 0 : survivor.loan());
          }
        });
  }

  // Ends of holds.

  /** The hold with this fence ends at an instant, by itself. */
  void limit(String name, long fence, long at) {
    LockShare share = shares.get(name);
    if (share != null && share.isHeldWith(fence)) {
      limits.set(new Limits.Limit(name, fence, at, false));
    }
  }

  /** The holder is done, and others are to have the lock from an instant on. */
  void rest(String name, Caller caller, long at) {
    LockShare share = shares.get(name);
    if (share != null && share.holder() == caller) {
      limits.set(new Limits.Limit(name, share.lastFence(), at, true));
    }
  }

  void endHolds(long now) {
    for (Limits.Limit due = limits.takeDue(now); due != null; due = limits.takeDue(now)) {
      LockShare share = shares.get(due.lock());
      Caller holder = share == null ? null : share.holder();
      if (share != null && holder != null && due.rests()) {
        holder.rested();
        share.leave(holder);
      } else if (share != null) {
        share.end(due.fence(), Loss.EXPIRED);
      }
    }
  }

  long nextEnd() {
    return limits.next();
  }

  /** A life is over: whoever holds is told, and nothing is left but who waits or tries. */
  void end(Loss reason, BiConsumer<String, Caller> waiting, BiConsumer<String, Caller> trying) {
    Map<String, LockShare> former = shares;
    shares = new LinkedHashMap<>();
    heldBack.clear();
    limits.clear();
    settled = false;
    view = View.NONE;
    position = View.ABSENT;
    for (LockShare share : former.values()) {
      Caller holder = share.holder();
      if (holder != null) {
        holder.lost(reason);
      }
      share.dismissAttempts().forEach(caller -> trying.accept(share.name, caller));
      share.dismissCallers().forEach(caller -> waiting.accept(share.name, caller));
    }
  }

  /** Goes on where something was held back. */
  void goOn() {
    while (!heldBack.isEmpty() && host.hasRoom()) {
      LockShare next = heldBack.iterator().next();
      heldBack.remove(next);
      next.goOn();
    }
  }

  void goOnAll() {
    forEach((name, share) -> share.goOn());
  }

  // What each lock asks for.

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public long epoch() {
    return view.epoch();
  }

  @Override
  public long now() {
    return host.now();
  }

  @Override
  public boolean mayGrant() {
    return host.hasLease();
  }

  @Override
  public boolean mayAsk(LockShare lock) {
    boolean room = host.hasRoom();
    if (!room) {
      heldBack.add(lock);
    }
    return room;
  }

  @Override
  public int passes(LockShare lock) {
    return rules.passes(lock.name, settings.passes());
  }

  @Override
  public void send(LockShare lock, int to, Message message, boolean attempt) {
    if (message instanceof Token) {
      host.handedOver(lock.name);
    }
    host.send(to, new Letter.OfLock(lock.name, message, attempt));
  }

  @Override
  public void recall(LockShare lock, int borrower, long loan) {
    host.send(borrower, new Letter.Recall(lock.name, loan));
  }

  @Override
  public void inquire(LockShare lock, int of, long loan, int question) {
    host.send(of, new Letter.Inquiry(lock.name, loan, question));
  }

  @Override
  public void busy(LockShare lock, int asker, int question) {
    host.send(asker, new Letter.Busy(lock.name, question));
  }

  @Override
  public void withdraw(LockShare lock) {
    host.sendToAll(new Letter.Withdrawn(lock.name));
  }

  @Override
  public void released(LockShare lock) {
    limits.remove(lock.name);
  }

  @Override
  public void numbersRunShort() {
    host.wantNewEpoch();
  }
}
