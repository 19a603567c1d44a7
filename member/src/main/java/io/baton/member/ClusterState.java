package io.baton.member;

import io.baton.agreement.Value;
import io.baton.member.View.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What the voters of a cluster agree on, as a whole: each change makes the next one of it.
 *
 * @param view who is a member
 * @param open whether anybody may have been granted anything since the cluster was founded (R5)
 * @param alone whether nobody else can join it
 * @param lease the longest for which anybody may have been granted one; 0: as configured
 */
public record ClusterState(View view, boolean open, boolean alone, long lease) implements Value {
  private static final long DAY = 1_440; // minutes: a cluster founded anew is ahead of the former
  private static final long LATEST = 1L << 26; // minutes: some 127 years

  /** Before a cluster is founded. */
  public static final ClusterState NONE = new ClusterState(View.NONE, false, false, 0);

  /**
   * A cluster is founded.
   *
   * @param founders who begins it
   * @param alone whether nobody else can join: then it needs no rest before its first grant
   * @param minutes the wall clock, since the beginning of 2025; 0: not known
   */
  public static ClusterState founded(
      Shape shape, List<Newcomer> founders, boolean alone, long minutes) {
    List<Place> places = new ArrayList<>();
    founders.forEach(founder -> places.add(placeOf(founder, 1)));
    long epoch = minutes > 0 ? epochAfter(0, minutes + DAY) : 1;
    return new ClusterState(new View(1, epoch, places.size(), shape, places), alone, alone, 0);
  }

  /** The same by a clock that says nothing. */
  public static ClusterState founded(Shape shape, List<Newcomer> founders, boolean alone) {
    return founded(shape, founders, alone, 0);
  }

  /**
   * Epochs follow the wall clock where that is ahead: so fences rise even over a cluster that is
   * founded anew, or whose disks were all set back. A clock in the far future counts for nothing.
   */
  private static long epochAfter(long epoch, long minutes) {
    return Math.max(epoch + 1, minutes < LATEST ? minutes : 0);
  }

  @Override
  public long epoch() {
    return view.epoch();
  }

  /**
   * Whether the cluster has been founded and nothing else has happened: nobody has been granted
   * anything yet (R5).
   */
  boolean isNew() {
    return !open;
  }

  /**
   * Whether all former lives of a member are over when a new one asks for its admission: no other
   * can be one, and its data folder is locked as long as its process lives.
   */
  boolean isOnly(String id) {
    return alone && view.places().stream().allMatch(place -> place.peer().id().equals(id));
  }

  /**
   * The next state (R1, R7).
   *
   * @param gone lives whose lease has surely run out, or that have left
   * @param admitted who joins; in place of a former life where that one is gone
   * @param renewed whether a new epoch is to begin whatever else changes
   * @param minutes the voters' wall clock, since the beginning of 2025; 0: not known
   */
  public ClusterState changed(
      Collection<Peer> gone, Collection<Newcomer> admitted, boolean renewed, long minutes) {
    List<Place> places = new ArrayList<>(view.places());
    places.removeIf(place -> gone.contains(place.peer()));
    boolean newEpoch = places.size() < view.places().size() || renewed;
    int stayed = places.size();
    for (Newcomer newcomer : admitted) {
      if (places.stream().noneMatch(place -> place.peer().id().equals(newcomer.id()))) {
        newEpoch |= view.shape().isFull(view.founders(), places.size());
        places.add(placeOf(newcomer, view.number() + 1));
      }
    }
    if (!newEpoch && places.size() == stayed) {
      return this;
    }
    View next =
        newEpoch
            ? new View(
                view.number() + 1,
                epochAfter(view.epoch(), minutes),
                places.size(),
                view.shape(),
                places)
            : new View(view.number() + 1, view.epoch(), view.founders(), view.shape(), places);
    return new ClusterState(next, true, alone, lease);
  }

  /** The same with leases of another length. */
  public ClusterState withLease(long newLease) {
    return newLease == lease ? this : new ClusterState(view, open, alone, newLease);
  }

  private static Place placeOf(Newcomer newcomer, long number) {
    return new Place(new Peer(newcomer.id(), number), newcomer.address(), newcomer.run());
  }
}
