package io.baton.member;

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
 * A voter's part in the membership: the one that leads grants leases, judges whose lease has surely
 * run out, and publishes what changes.
 */
final class Registrar {
  private static final long NO_TERM = -1;

  private record Asked(Renewal renewal, long batch) {}

  private final Settings settings;
  private final Output out;
  private final Register register;
  private ClusterState state = ClusterState.NONE; // the last that was agreed on

  private long term = NO_TERM; // in which this voter leads, as far as it knows
  private boolean acting; // a state of that term was agreed on (R10)
  private long granted; // when an earlier leader may last have granted a lease (R28)
  private long formerOver; // when leases of the length agreed on before are surely over
  private long opensAt; // where the cluster has just been founded: after a lease of rest (R5)
  private final Map<Peer, Long> overAt = new LinkedHashMap<>(); // when leases have surely run out
  private final Set<Peer> condemned = new LinkedHashSet<>(); // to be put out, refused till then
  private final Map<String, Newcomer> newcomers = new LinkedHashMap<>(); // by id
  private long renewed; // the epoch that somebody wants to be over; 0: none
  private long publishedAt = Link.NEVER; // when a state was, that is not agreed on yet
  private final Map<Peer, Renewal> arriving = new LinkedHashMap<>(); // since the last question
  private final Map<Peer, Asked> asked = new LinkedHashMap<>(); // about which a majority is asked
  private long batch;
  private long askedAt = Link.NEVER;

  Registrar(Settings settings, Output out, Register register) {
    this.settings = settings;
    this.out = out;
    this.register = register;
  }

  View view() {
    return state.view();
  }

  private boolean isInOffice() {
    return acting && !state.isNew();
  }

  /** This voter leads from now on, as far as it knows. */
  void elected(long newTerm, long until) {
    deposed();
    term = newTerm;
    granted = until;
  }

  /** This voter leads no more. */
  void deposed() {
    term = NO_TERM;
    acting = false;
    overAt.clear();
    condemned.clear();
    newcomers.clear();
    renewed = 0;
    publishedAt = Link.NEVER;
    arriving.clear();
    asked.clear();
    askedAt = Link.NEVER;
  }

  /**
   * The voters have agreed on a state. The first of a term is what its leader found: from then on
   * it knows all that was agreed on before, and is in office.
   */
  void committed(long itsTerm, ClusterState next, long now) {
    ClusterState before = state;
    state = next;
    if (itsTerm > term) {
      deposed(); // another leads, or this voter never did
    }
    if (itsTerm != term) {
      return;
    }
    if (!acting) { // whoever led before may have granted a lease until then (R11, R28)
      acting = true;
      opensAt = longestLease(now);
      formerOver = opensAt;
      state.view().places().forEach(place -> overAt.put(place.peer(), longestLease(granted)));
    }
    if (!state.view().equals(before.view())) {
      tell(before, now);
    }
    publishedAt = Link.NEVER;
    publishChanges(now);
  }

  /** The clock stood still: what was granted before is counted from now on. */
  void resumed(long now) {
    granted = Math.max(granted, now);
    overAt.replaceAll((peer, end) -> Math.max(end, longestLease(now)));
  }

  private long longestLease(long now) {
    return now + settings.leaseAtLeader(Math.max(settings.lease(), state.lease()));
  }

  /** Tells everybody who is a member, and who was, of the view. */
  private void tell(ClusterState before, long now) {
    View view = state.view();
    for (Place place : view.places()) {
      if (before.isNew() || !overAt.containsKey(place.peer())) {
        overAt.put(place.peer(), longestLease(now));
      }
      if (!condemned.contains(place.peer())) {
        newcomers.remove(place.peer().id()); // another attempt of it must ask again
      }
      out.send(place.peer().id(), new Agreed(view));
    }
    for (Place place : before.view().places()) {
      if (view.of(place.peer().id()) == null) {
        out.send(place.peer().id(), new Agreed(view));
      }
    }
    overAt.keySet().removeIf(peer -> !view.has(peer));
    condemned.removeIf(peer -> !view.has(peer));
    renewed = renewed < view.epoch() ? 0 : renewed;
  }

  void onRenewal(Renewal renewal, long now) {
    View view = state.view();
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
      register.confirm(term, batch);
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
        if (each.renewal().view() > state.view().number()) { // though this leader's term stands
          register.ahead(peer, each.renewal().view());
        } else if (overAt.containsKey(peer) && !condemned.contains(peer)) {
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
    Place former = state.view().of(newcomer.id());
    if (former != null && former.run() == newcomer.run()) {
      out.send(newcomer.id(), new Agreed(state.view()));
    } else if (former != null
        && !isOver(former.peer(), now)
        && !newcomer.outlived(former.run())
        && !state.isOnly(newcomer.id())) {
      out.send(newcomer.id(), new InUse(newcomer.id(), newcomer.run()));
    } else if (former != null || newcomers.containsKey(newcomer.id()) || hasRoom()) {
      if (former != null) {
        condemned.add(former.peer());
      }
      newcomers.merge(newcomer.id(), newcomer, (a, b) -> a.run() > b.run() ? a : b);
      publishChanges(now);
    }
  }

  private boolean hasRoom() {
    return state.view().places().size() + newcomers.size() < View.MOST_MEMBERS;
  }

  void onLeave(Packet.Leave leave, long now) {
    if (!isInOffice()) {
      return;
    }
    if (state.view().has(leave.from())) {
      condemned.add(leave.from());
      publishChanges(now);
    } else { // it is out already, and has not heard of it
      out.send(leave.from().id(), new Agreed(state.view()));
    }
  }

  void onRenew(Packet.Renew wish, long now) {
    if (isInOffice() && wish.epoch() == state.view().epoch()) {
      renewed = wish.epoch();
      publishChanges(now);
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
    if (acting && state.isNew()) {
      renewed = now >= opensAt ? state.view().epoch() : 0; // its second epoch opens the cluster
    } else {
      state.view().places().stream()
          .map(Place::peer)
          .filter(peer -> isOver(peer, now))
          .forEach(condemned::add);
    }
    if (now - settings.renewal() >= askedAt) {
      askedAt = Link.NEVER;
      askMajority(now);
    }
    if (now - settings.renewal() >= publishedAt) {
      publishedAt = Link.NEVER;
    }
    publishChanges(now);
  }

  /**
   * The length of leases to be agreed on. Members that were started with another one do not talk to
   * each other; so nobody is judged by a shorter one as long as somebody may have a longer one.
   */
  private long leaseAgreed(long now) {
    boolean isShorter = settings.lease() < state.lease();
    return isShorter && now < formerOver ? state.lease() : settings.lease();
  }

  private boolean hasOtherLease() {
    return acting && state.lease() != 0 && state.lease() != settings.lease();
  }

  /** One state at a time: what comes meanwhile waits and goes together (R7). */
  private void publishChanges(long now) {
    boolean otherLease = hasOtherLease() && leaseAgreed(now) != state.lease();
    boolean nothing = condemned.isEmpty() && newcomers.isEmpty() && renewed == 0 && !otherLease;
    if (nothing || !acting || publishedAt != Link.NEVER) {
      return;
    }
    publishedAt = now;
    boolean newEpoch = renewed == state.view().epoch();
    register.publish(
        state
            .changed(condemned, newcomers.values(), newEpoch, register.votersClock())
            .withLease(leaseAgreed(now)));
  }

  /** When something is to be judged, or asked anew. */
  long nextWake() {
    long next = Link.NEVER;
    if (acting && state.isNew()) {
      next = renewed == 0 ? opensAt : Link.NEVER;
    } else {
      for (Map.Entry<Peer, Long> entry : overAt.entrySet()) {
        if (!condemned.contains(entry.getKey())) {
          next = Math.min(next, entry.getValue());
        }
      }
    }
    if (hasOtherLease()) {
      next = Math.min(next, formerOver);
    }
    long oldest = Math.min(askedAt, publishedAt);
    return oldest == Link.NEVER ? next : Math.min(next, oldest + settings.renewal());
  }
}
