package io.baton.member;

import io.baton.member.Command.Change;
import io.baton.member.Command.Newcomer;
import io.baton.member.Packet.Agreed;
import io.baton.member.Packet.InUse;
import io.baton.member.Packet.Join;
import io.baton.member.Packet.Renewal;
import io.baton.member.Packet.Renewed;
import io.baton.member.View.Place;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A voter's part in the membership. Every voter applies the log; the one that leads grants leases,
 * judges whose lease has surely run out, and proposes what changes.
 */
final class Registrar {
  private static final long NO_TERM = -1;

  private record Asked(Renewal renewal, long batch) {}

  private final Settings settings;
  private final Output out;
  private final Roster roster = new Roster();

  private long term = NO_TERM; // in which this voter leads, as far as it knows
  private boolean acting; // an entry of that term has been applied here (R10)
  private long opensAt; // where the cluster has just been founded: after a lease of rest (R5)
  private final Map<Peer, Long> overAt = new LinkedHashMap<>(); // when leases have surely run out
  private final Set<Peer> condemned = new LinkedHashSet<>(); // to be put out, refused till then
  private final Map<String, Newcomer> newcomers = new LinkedHashMap<>(); // by id
  private long renewed; // the epoch that somebody wants to be over; 0: none
  private long proposedAt = Link.NEVER; // when a change was proposed that is not applied yet
  private final Map<Peer, Renewal> arriving = new LinkedHashMap<>(); // since the last question
  private final Map<Peer, Asked> asked = new LinkedHashMap<>(); // about which a majority is asked
  private long batch;
  private long askedAt = Link.NEVER;

  Registrar(Settings settings, Output out) {
    this.settings = settings;
    this.out = out;
  }

  View view() {
    return roster.view();
  }

  private boolean isInOffice() {
    return acting && !roster.isNew();
  }

  /** This voter leads from now on, as far as it knows. */
  void elected(long newTerm, long now) {
    deposed();
    term = newTerm;
    proposeChanges(now);
  }

  /** This voter leads no more. */
  void deposed() {
    term = NO_TERM;
    acting = false;
    overAt.clear();
    condemned.clear();
    newcomers.clear();
    renewed = 0;
    proposedAt = Link.NEVER;
    arriving.clear();
    asked.clear();
    askedAt = Link.NEVER;
  }

  /** The next entry of the log; true if there is a new view. */
  boolean applied(long index, long entryTerm, Command command, long now) {
    View before = roster.view();
    boolean wasNew = roster.isNew();
    boolean changed = roster.apply(index, entryTerm, command);
    if (entryTerm > term) {
      deposed(); // another leads, or this voter never did
    }
    if (entryTerm != term) {
      return changed;
    }
    if (!acting) { // whoever led before may have granted a lease until just now (R11)
      acting = true;
      opensAt = longestLease(now);
      roster.view().places().forEach(place -> overAt.put(place.peer(), longestLease(now)));
    }
    if (changed) {
      publish(before, wasNew, now);
    }
    proposedAt = Link.NEVER;
    proposeChanges(now);
    return changed;
  }

  private long longestLease(long now) {
    return now + settings.leaseAtLeader();
  }

  /** Tells everybody who is a member, and who was, of the view. */
  private void publish(View before, boolean wasNew, long now) {
    View view = roster.view();
    for (Place place : view.places()) {
      if (wasNew || !overAt.containsKey(place.peer())) {
        overAt.put(place.peer(), longestLease(now));
      }
      if (!condemned.contains(place.peer())) {
        newcomers.remove(place.peer().id()); // another attempt of it must ask again
      }
      out.send(place.peer().id(), new Agreed(view));
    }
    for (Place place : before.places()) {
      if (view.of(place.peer().id()) == null) {
        out.send(place.peer().id(), new Agreed(view));
      }
    }
    overAt.keySet().removeIf(peer -> !view.has(peer));
    condemned.removeIf(peer -> !view.has(peer));
    renewed = renewed < view.epoch() ? 0 : renewed;
  }

  void onRenewal(Renewal renewal, long now) {
    View view = roster.view();
    if (!isInOffice() || condemned.contains(renewal.from())) {
      return;
    }
    if (renewal.view() < view.number()) { // R12
      out.send(renewal.from().id(), new Agreed(view));
    }
    if (view.has(renewal.from())) {
      arriving.put(renewal.from(), renewal);
      askMajority(now);
    }
  }

  /** One question for all renewals that came while the last was under way (R10). */
  private void askMajority(long now) {
    if (askedAt == Link.NEVER && !(arriving.isEmpty() && asked.isEmpty())) {
      askedAt = now;
      batch++;
      arriving.forEach((peer, renewal) -> asked.put(peer, new Asked(renewal, batch)));
      arriving.clear();
      out.confirm(term, batch);
    }
  }

  /** A majority has said, since it was asked, that the term stands. */
  void confirmed(long confirmedTerm, long confirmedBatch, long now) {
    if (confirmedTerm != term || !acting) {
      return;
    }
    for (Asked each : List.copyOf(asked.values())) {
      Peer peer = each.renewal().from();
      if (each.batch() <= confirmedBatch) {
        asked.remove(peer);
        if (overAt.containsKey(peer) && !condemned.contains(peer)) {
          overAt.put(peer, longestLease(now));
          out.send(peer.id(), new Renewed(peer, each.renewal().sent()));
        }
      }
    }
    if (confirmedBatch == batch) {
      askedAt = Link.NEVER;
      askMajority(now);
    }
  }

  void onJoin(Join join, long now) {
    Newcomer newcomer = join.newcomer();
    if (!isInOffice()) {
      return;
    }
    Place former = roster.view().of(newcomer.id());
    if (former != null && former.run() == newcomer.run()) {
      out.send(newcomer.id(), new Agreed(roster.view()));
    } else if (former != null && !isOver(former.peer(), now) && !roster.isOnly(newcomer.id())) {
      out.send(newcomer.id(), new InUse(newcomer.id(), newcomer.run()));
    } else if (former != null || newcomers.containsKey(newcomer.id()) || hasRoom()) {
      if (former != null) {
        condemned.add(former.peer());
      }
      newcomers.merge(newcomer.id(), newcomer, (a, b) -> a.run() > b.run() ? a : b);
      proposeChanges(now);
    }
  }

  private boolean hasRoom() {
    return roster.view().places().size() + newcomers.size() < View.MOST_MEMBERS;
  }

  void onLeave(Packet.Leave leave, long now) {
    if (!isInOffice()) {
      return;
    }
    if (roster.view().has(leave.from())) {
      condemned.add(leave.from());
      proposeChanges(now);
    } else { // it is out already, and has not heard of it
      out.send(leave.from().id(), new Agreed(roster.view()));
    }
  }

  void onRenew(Packet.Renew wish, long now) {
    if (isInOffice() && wish.epoch() == roster.view().epoch()) {
      renewed = wish.epoch();
      proposeChanges(now);
    }
  }

  private boolean isOver(Peer peer, long now) {
    Long over = overAt.get(peer);
    return condemned.contains(peer) || (over != null && now >= over);
  }

  /** Judges, and asks anew what got no answer. */
  void tick(long now) {
    if (term == NO_TERM) {
      return;
    }
    if (acting && roster.isNew()) {
      renewed = now >= opensAt ? roster.view().epoch() : 0; // its second epoch opens the cluster
    } else {
      roster.view().places().stream()
          .map(Place::peer)
          .filter(peer -> isOver(peer, now))
          .forEach(condemned::add);
    }
    if (now - settings.renewal() >= askedAt) {
      askedAt = Link.NEVER;
      askMajority(now);
    }
    if (now - settings.renewal() >= proposedAt) {
      proposedAt = Link.NEVER;
    }
    proposeChanges(now);
  }

  /**
   * One proposal at a time: what comes meanwhile waits and goes together (R7). The first of a term
   * changes nothing: when it is applied, this leader knows all that was agreed before.
   */
  private void proposeChanges(long now) {
    boolean nothing = condemned.isEmpty() && newcomers.isEmpty() && renewed == 0;
    if ((nothing && acting) || proposedAt != Link.NEVER) {
      return;
    }
    proposedAt = now;
    out.propose(new Change(term, List.copyOf(condemned), List.copyOf(newcomers.values()), renewed));
  }

  /** When something is to be judged, or asked anew. */
  long nextWake() {
    long next = Link.NEVER;
    if (acting && roster.isNew()) {
      next = renewed == 0 ? opensAt : Link.NEVER;
    } else {
      for (Map.Entry<Peer, Long> entry : overAt.entrySet()) {
        if (!condemned.contains(entry.getKey())) {
          next = Math.min(next, entry.getValue());
        }
      }
    }
    long oldest = Math.min(askedAt, proposedAt);
    return oldest == Link.NEVER ? next : Math.min(next, oldest + settings.renewal());
  }
}
