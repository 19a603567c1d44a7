package io.baton.member;

import io.baton.member.View.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One member of a cluster with all its locks: events come in, one at a time and each with the
 * instant of this machine's monotonic clock; effects go out through {@link Output} and {@link
 * Caller}. After each event the host asks {@link #nextWake}.
 *
 * <p>A member lives one life after the other. A life begins with a view that admits it, may grant
 * while its lease lasts, and ends when the lease runs out or a view leaves it out: then all holds
 * are lost, who waits goes on waiting, and the member asks to be admitted again.
 *
 * <p>Every event looks at the clock first (R9).
 */
public final class Member {
  private record Mailed(Peer from, Letter letter) {}

  private record Wish(String lock, boolean attempt) {}

  private record Attempt(String lock, Caller caller, long until) {}

  private final String id;
  private final String address;
  private final Settings settings;
  private final Output out;
  private final Locks locks;
  private final Links links;
  private final Registrar registrar; // idle where this process does not vote
  private final Forces forces;
  private final Map<Caller, Wish> lobby = new LinkedHashMap<>(); // who waits for a life to begin
  private final ArrayDeque<Attempt> attempts = new ArrayDeque<>(); // that were open, in order
  private final List<Mailed> early = new ArrayList<>(); // letters of a view to come (R1)
  private final Map<Peer, Integer> positions = new LinkedHashMap<>();
  private List<String> voters;
  private @Nullable String leader; // who answered last; null: nobody for a while
  private long run; // of the attempt to join
  private long deadSince; // the runs from there on are over; but for this process's own (R27)

  private Peer self;
  private View view = View.NONE; // as installed
  private int position = View.ABSENT;
  private Lease lease;
  private @Nullable Settling settling; // of this epoch, at a founder
  private long now;
  private long nextRenewal;
  private boolean answered = true; // since the last renewal
  private long nextSweep;
  private boolean wantsNewEpoch;
  private boolean closed; // nothing is granted here any more
  private boolean leaving; // and the others are told
  private boolean gone;
  private boolean letGo; // by a view without this life

  /**
   * A member about to ask for its admission.
   *
   * @param run greater with every start of a process with this id, by more than it may have lives
   * @param deadSince all earlier runs from this one on were those of processes that have ended for
   *     certain (R27)
   * @param voters whom to ask, until told otherwise
   * @param register what the voters agree on, where this one is theirs
   */
  public Member(
      String id,
      String address,
      long run,
      long deadSince,
      Settings settings,
      Rules rules,
      List<String> voters,
      Output out,
      Register register,
      long now) {
    this.id = id;
    this.address = address;
    this.run = run;
    this.deadSince = deadSince;
    this.settings = settings;
    this.out = out;
    this.voters = List.copyOf(voters);
    this.self = new Peer(id, Peer.NONE);
    Inside inside = new Inside();
    this.locks = new Locks(settings, rules, inside);
    this.links = new Links(settings, self, out);
    this.registrar = new Registrar(settings, out, register);
    this.forces = new Forces(locks, inside, out);
    this.lease = new Lease(settings);
    this.now = now;
    this.nextRenewal = now;
    this.nextSweep = now;
  }

  // What the host may ask, at any time.

  /** Whether the caller holds the lock at this instant. */
  public boolean isHeld(String lock, Caller caller, long instant) {
    LockShare share = locks.find(lock);
    return share != null && share.holder() == caller && lease.isValid(instant);
  }

  /** Until when whatever is held is safely held, if nothing is renewed any more. */
  public long heldUntil() {
    return lease.end();
  }

  /** The view that is installed. */
  public View view() {
    return view;
  }

  /** This life. */
  public Peer self() {
    return self;
  }

  /** Who answered last as the leader of the voters; null: nobody yet. */
  public @Nullable String leader() {
    return leader;
  }

  /** Whether this member has left, or is about to. */
  public boolean isClosed() {
    return closed;
  }

  /** Whether the others have agreed to go on without this member. */
  boolean isLetGo() {
    return letGo;
  }

  /** Whether it is not known here yet which locks live on in this epoch, and which are free. */
  public boolean isSettling() {
    return settling != null && !settling.isSettled();
  }

  /** Whether the token of a lock is here. */
  public boolean hasToken(String lock) {
    LockShare share = locks.find(lock);
    return share != null && share.hasToken();
  }

  /** Whether this member has asked others for a lock and not got it yet. */
  public boolean isAsking(String lock) {
    LockShare share = locks.find(lock);
    return share != null && share.isAsking();
  }

  /** How many locks there is something to remember of. */
  public int lockCount() {
    return locks.size();
  }

  /** When this member wants to be told the time at the latest. */
  public long nextWake() {
    long next = gone ? Link.NEVER : Math.min(Math.min(nextRenewal, lease.end()), links.nextWake());
    if (!attempts.isEmpty()) {
      next = Math.min(next, attempts.peek().until());
    }
    return Math.min(Math.min(next, locks.nextEnd()), registrar.nextWake());
  }

  /** What is known here of the locks that are in use, as far as this member has a part in it. */
  public List<LockState> locks() {
    List<LockState> states = new ArrayList<>(locks.inUse());
    Map<String, List<Caller>> waiting = new LinkedHashMap<>();
    lobby.forEach(
        (caller, wish) -> waiting.computeIfAbsent(wish.lock(), l -> new ArrayList<>()).add(caller));
    waiting.forEach(
        (lock, callers) -> states.add(new LockState(lock, null, callers, List.of(), false, "", 0)));
    return states;
  }

  /** The same of one lock; where this member has no part in it, who has is known at best. */
  public LockState lock(String name) {
    if (position != View.ABSENT) {
      return locks.state(name);
    }
    List<Caller> waiting = new ArrayList<>();
    lobby.forEach(
        (caller, wish) -> {
          if (wish.lock().equals(name)) {
            waiting.add(caller);
          }
        });
    return new LockState(name, null, waiting, List.of(), false, "", 0);
  }

  // Local calls.

  /** The caller wants the lock; the answer comes through it. */
  public void acquire(String lock, Caller caller, long instant) {
    begin(instant);
    if (closed) {
      caller.lost(Loss.CLOSED);
    } else if (position == View.ABSENT) {
      lobby.put(caller, new Wish(lock, false));
    } else {
      locks.get(lock).acquire(caller);
    }
    end();
  }

  /**
   * The caller wants the lock if nobody has it and nobody waits for it, wherever its token is; the
   * answer comes through it, after {@link Settings#patience} at the latest.
   */
  public void attempt(String lock, Caller caller, long instant) {
    begin(instant);
    if (closed) {
      caller.lost(Loss.CLOSED);
    } else {
      attempts.add(new Attempt(lock, caller, now + settings.patience()));
      boolean open = true;
      if (position == View.ABSENT) {
        lobby.put(caller, new Wish(lock, true));
      } else {
        open = locks.get(lock).attempt(caller);
      }
      if (!open) {
        attempts.removeLast();
      }
    }
    end();
  }

  /** The hold with this fence ends at an instant, unless it is given back before. */
  public void limit(String lock, long fence, long at, long instant) {
    begin(instant);
    locks.limit(lock, fence, at);
    end();
  }

  /** The caller is done with the lock; others are to have it from an instant on. */
  public void rest(String lock, Caller caller, long at, long instant) {
    begin(instant);
    locks.rest(lock, caller, at);
    end();
  }

  /** The caller gives the lock back, or no longer wants it. */
  public void release(String lock, Caller caller, long instant) {
    begin(instant);
    LockShare share = locks.find(lock);
    if (share == null || !share.leave(caller)) {
      lobby.remove(caller);
    }
    end();
  }

  /** Whoever holds the lock with this fence, anywhere, shall lose it (R24). */
  public void forceRelease(String lock, long fence, long instant) {
    begin(instant);
    View everybody = position == View.ABSENT ? View.NONE : view;
    forces.force(new Letter.Force(lock, fence), everybody, position);
    if (gone) {
      forces.end();
    }
    end();
  }

  /** Gives up all that is held or wanted here, for good; it stays a member, who wants nothing. */
  public void giveUp(long instant) {
    begin(instant);
    giveUp();
    end();
  }

  /** Gives up all that is held here, and leaves (R6). */
  public void leave(long instant) {
    begin(instant);
    giveUp();
    leaving = true;
    nextRenewal = now;
    if (self.incarnation() == Peer.NONE) {
      depart();
    }
    end();
  }

  private void giveUp() {
    closed = true;
    lobby.keySet().forEach(caller -> caller.lost(Loss.CLOSED));
    lobby.clear();
    attempts.clear();
    locks.forEach(
        (name, share) -> {
          share.dismissAttempts().forEach(caller -> caller.lost(Loss.CLOSED));
          share.dismissCallers().forEach(caller -> caller.lost(Loss.CLOSED));
          Caller holder = share.holder();
          if (holder != null) {
            holder.lost(Loss.CLOSED);
            share.leave(holder);
          }
        });
  }

  // The clock, the network, the voters.

  /** An instant of the clock. */
  public void tick(long instant) {
    begin(instant);
    registrar.tick(now);
    if (!gone) {
      links.tick(now);
      if (now >= nextRenewal) {
        renew();
      }
    }
    end();
  }

  /** Whom to ask for admission and leases from now on, where nobody is known to lead. */
  public void voters(List<String> newVoters) {
    voters = List.copyOf(newVoters);
  }

  /** There is a connection to a process. */
  public void connected(String peer, long instant) {
    begin(instant);
    links.connected(peer, now);
    hurry();
    end();
  }

  /** There is none any more; what was under way may be lost. */
  public void disconnected(String peer, long instant) {
    begin(instant);
    links.disconnected(peer);
    end();
  }

  /**
   * This voter leads.
   *
   * @param until when, by the clock of this machine, an earlier leader may last have granted a
   *     lease (R28)
   */
  public void elected(long term, long until, long instant) {
    begin(instant);
    registrar.elected(term, until);
    end();
  }

  /** This voter leads no more. */
  public void deposed(long instant) {
    begin(instant);
    registrar.deposed();
    end();
  }

  /** The voters have agreed on a state, which was published in this term. */
  public void committed(long term, ClusterState state, long instant) {
    begin(instant);
    registrar.committed(term, state, now);
    hurry();
    end();
  }

  /** The clock stood still, as while the machine was suspended: leases are counted from now. */
  public void resumed(long instant) {
    begin(instant);
    registrar.resumed(now);
    end();
  }

  /** Where this member can hold nothing, it asks at once: there may be somebody to answer now. */
  private void hurry() {
    if (!gone && !lease.isValid(now)) {
      nextRenewal = now;
    }
  }

  /** A majority says that the term stands; the answer to {@link Register#confirm}. */
  public void confirmed(long term, long batch, long instant) {
    begin(instant);
    registrar.confirmed(term, batch, now);
    end();
  }

  /** A packet comes from a process. */
  public void receive(String from, Packet packet, long instant) {
    begin(instant);
    if (packet instanceof Packet.Mail mail) {
      onMail(mail);
    } else if (packet instanceof Packet.Relayed relayed) {
      out.send(relayed.mail().to().id(), relayed.mail());
    } else if (packet instanceof Packet.Renewed renewed) {
      onRenewed(from, renewed);
    } else if (packet instanceof Packet.Agreed agreed) {
      leader = from;
      links.relayBy(from);
      install(agreed.view());
    } else if (packet instanceof Packet.InUse inUse) {
      if (inUse.run() == run) {
        out.inUse();
      }
    } else if (packet instanceof Packet.Renewal renewal) {
      registrar.onRenewal(renewal, now);
    } else if (packet instanceof Packet.Join join) {
      registrar.onJoin(join, now);
    } else if (packet instanceof Packet.Leave leave) {
      registrar.onLeave(leave, now);
    } else if (packet instanceof Packet.Vote) {
      throw new IllegalArgumentException("A member does not vote: " + packet);
    } else if (packet instanceof Packet.Renew renew) {
      registrar.onRenew(renew, now);
    } else {
      throw new IllegalArgumentException("A packet of unknown kind: " + packet);
    }
    end();
  }

  private void begin(long instant) {
    now = instant;
    if (lease.hasRunOut(now)) {
      endLife(Loss.PARTITIONED);
    }
    locks.endHolds(now);
    while (!attempts.isEmpty() && attempts.peek().until() <= now) {
      giveUp(attempts.remove());
    }
  }

  private void giveUp(Attempt attempt) {
    LockShare share = locks.find(attempt.lock());
    boolean open = share != null && share.quit(attempt.caller());
    if (open || lobby.remove(attempt.caller()) != null) {
      attempt.caller().refused();
    }
  }

  private void end() {
    locks.goOn();
  }

  // The lease.

  private void renew() {
    String whom = answered ? leader : null;
    answered = false;
    nextRenewal = now + (lease.isValid(now) ? settings.renewal() : settings.resend());
    if (self.incarnation() == Peer.NONE) {
      toVoters(null, new Packet.Join(new Newcomer(id, address, run, deadSince)));
    } else if (leaving) {
      toVoters(null, new Packet.Leave(self));
    } else {
      toVoters(whom, new Packet.Renewal(self, now, view.number()));
      wantsNewEpoch |= now >= nextSweep && hasLocksToRetire();
      if (wantsNewEpoch) {
        toVoters(whom, new Packet.Renew(view.epoch()));
      }
    }
  }

  /** Looks through all locks, but not often (R23). */
  private boolean hasLocksToRetire() {
    nextSweep = now + settings.retireAfter() / 4;
    return locks.size() >= settings.retireBatch()
        && locks.countToRetire() >= settings.retireBatch();
  }

  private void toVoters(@Nullable String leaderOnly, Packet packet) {
    if (leaderOnly != null) {
      out.send(leaderOnly, packet);
    } else {
      voters.forEach(voter -> out.send(voter, packet));
    }
  }

  private void onRenewed(String from, Packet.Renewed renewed) {
    if (!renewed.to().equals(self)) {
      return;
    }
    leader = from;
    links.relayBy(from);
    answered = true;
    boolean first = !lease.isValid(now);
    lease.renewed(renewed.sent(), now);
    if (first && lease.isValid(now)) {
      locks.goOnAll();
    }
  }

  /** All that this life held is lost; who waits goes on waiting in the next one (R7). */
  private void endLife(Loss reason) {
    locks.end(
        reason,
        (name, caller) -> lobby.put(caller, new Wish(name, false)),
        (name, caller) -> lobby.put(caller, new Wish(name, true)));
    self = new Peer(id, Peer.NONE);
    links.begin(self);
    position = View.ABSENT;
    positions.clear();
    early.clear();
    settling = null;
    lease = new Lease(settings);
    wantsNewEpoch = false;
    nextRenewal = now;
    answered = false;
    letGo &= leaving;
    run++;
    deadSince = run;
    if (leaving) {
      depart();
    }
  }

  private void depart() {
    if (!gone) {
      gone = true;
      forces.end();
      out.left();
    }
  }

  // Views and epochs.

  private void install(View next) {
    if (next.number() <= view.number() || gone) {
      return;
    }
    if (self.incarnation() != Peer.NONE && !next.has(self)) {
      letGo = true;
      endLife(leaving ? Loss.CLOSED : Loss.EVICTED);
    }
    boolean born = self.incarnation() == Peer.NONE;
    if (born) {
      Place place = next.of(id);
      if (place == null || place.run() != run) {
        return; // not a member, or only a former life of this one (R4)
      }
      self = place.peer();
      links.begin(self);
    }
    boolean newEpoch = born || next.epoch() != view.epoch();
    view = next;
    position = view.position(self);
    positions.clear();
    for (int k = 0; k < view.places().size(); k++) {
      positions.put(view.at(k), k);
    }
    links.retain(view);
    if (newEpoch) {
      beginEpoch();
    } else {
      locks.extend(view);
      forces.extend(view, position);
    }
    List<Mailed> waited = List.copyOf(early);
    early.clear();
    waited.forEach(mailed -> deliver(mailed.from(), mailed.letter()));
    nextRenewal = now; // R12
  }

  private void beginEpoch() {
    wantsNewEpoch = false;
    settling = null;
    links.beginEpoch();
    List<Letter.Survivor> survivors = locks.begin(view, position);
    if (position < view.founders()) {
      settling = new Settling(view, position, settings.reportSize(), this::send);
      if (settling.report(survivors)) {
        locks.settle(settling.survivorsOfMine());
      }
    }
    Map<Caller, Wish> waiting = new LinkedHashMap<>(lobby);
    lobby.clear();
    waiting.forEach(this::askFor);
    locks.goOnAll();
    forces.begin(view, position);
  }

  private void askFor(Caller caller, Wish wish) {
    LockShare share = locks.get(wish.lock());
    if (wish.attempt()) {
      share.attempt(caller);
    } else {
      share.acquire(caller);
    }
  }

  // Letters.

  private void onMail(Packet.Mail mail) {
    boolean welcome =
        positions.containsKey(mail.from()) || mail.from().incarnation() > view.number();
    Letter next = links.take(mail, welcome, now);
    if (next != null) {
      deliver(mail.from(), next);
    }
  }

  private void deliver(Peer from, Letter letter) {
    if (letter.view() > view.number()) {
      early.add(new Mailed(from, letter));
      return;
    }
    Integer sender = positions.get(from);
    if (letter.epoch() < view.epoch() || sender == null) {
      return; // R1
    }
    Letter.Body body = letter.body();
    if (body instanceof Letter.OfLock ofLock) {
      locks.get(ofLock.lock()).receive(sender, ofLock.message(), ofLock.attempt());
    } else if (body instanceof Letter.Recall recall) {
      LockShare share = locks.find(recall.lock());
      if (share != null) {
        share.recalled(recall.loan());
      }
    } else if (body instanceof Letter.Inquiry inquiry) {
      LockShare share = locks.find(inquiry.lock());
      if (share != null) {
        share.questioned(sender, inquiry.loan(), inquiry.question());
      }
    } else if (body instanceof Letter.Busy busy) {
      LockShare share = locks.find(busy.lock());
      if (share != null) {
        share.answeredBusy(sender, busy.question());
      }
    } else if (body instanceof Letter.Withdrawn withdrawn) {
      LockShare share = locks.find(withdrawn.lock());
      if (share != null) {
        share.withdrawn(sender);
      }
    } else if (body instanceof Letter.Report report) {
      if (settling != null && settling.reported(sender, report)) {
        locks.settle(settling.survivorsOfMine());
      }
    } else if (body instanceof Letter.Settled settled) {
      if (settling != null && settling.settled(settled)) {
        locks.settle(settling.survivorsOfMine());
      }
    } else if (body instanceof Letter.Force force) {
      send(sender, forces.onForce(force));
    } else if (body instanceof Letter.Forced forced) {
      forces.onForced(sender, forced);
    } else {
      throw new IllegalArgumentException("A letter of unknown kind: " + body);
    }
  }

  private void send(int to, Letter.Body body) {
    links.send(view.at(to), new Letter(view.number(), view.epoch(), body), now);
  }

  /** What locks ask for. */
  private final class Inside implements Locks.Host {
    @Override
    public long now() {
      return now;
    }

    @Override
    public boolean hasLease() {
      return !leaving && lease.isValid(now);
    }

    @Override
    public boolean hasRoom() {
      return links.hasRoom();
    }

    @Override
    public void send(int to, Letter.Body body) {
      Member.this.send(to, body);
    }

    @Override
    public void sendToAll(Letter.Body body) {
      for (int to = 0; to < view.places().size(); to++) {
        if (to != position) {
          Member.this.send(to, body);
        }
      }
    }

    @Override
    public void handedOver(String lock) {
      out.handedOver(lock);
    }

    @Override
    public void wantNewEpoch() {
      if (!wantsNewEpoch) {
        wantsNewEpoch = true;
        toVoters(leader, new Packet.Renew(view.epoch()));
      }
    }
  }
}
