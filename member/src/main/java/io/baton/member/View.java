package io.baton.member;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is a member, as agreed: complete in itself, so that one who was away needs only the latest.
 *
 * @param number grows with every change of membership, by one each time; whoever it admits has it
 *     as its incarnation
 * @param epoch counts the changes that can kill a token or a request (R1)
 * @param founders how many were members in the epoch's first view, at positions 0 to founders − 1:
 *     they report, and the roots of all locks are among them (R2)
 * @param shape of the tree that each lock begins an epoch with
 * @param places the members by position
 */
public record View(long number, long epoch, int founders, Shape shape, List<Place> places) {
  /** Before anything was agreed. */
  public static final View NONE = new View(0, 0, 0, Shape.STAR, List.of());

  /**
   * One member.
   *
   * @param address where others reach it
   * @param run which attempt to join was admitted: one who starts anew must not take the place of
   *     its former life
   */
  public record Place(Peer peer, String address, long run) {}

  /** As many as fit into a frame, with the longest names and addresses. */
  public static final int MOST_MEMBERS = 128;

  /** In bytes. */
  public static final int LONGEST_ADDRESS = 160;

  /** Who has no position. */
  public static final int ABSENT = -1;

  /** The places are copied. */
  public View {
    places = List.copyOf(places);
  }

  /** The position of a peer, this life of it; ABSENT where there is none. */
  public int position(Peer peer) {
    for (int position = 0; position < places.size(); position++) {
      if (places.get(position).peer().equals(peer)) {
        return position;
      }
    }
    return ABSENT;
  }

  /** Whether this life of a peer is a member. */
  public boolean has(Peer peer) {
    return position(peer) != ABSENT;
  }

  /** Whether this life of a peer is a member, or may become one in a later view. */
  public boolean mayHave(Peer peer) {
    return peer.incarnation() > number || has(peer);
  }

  /** Who is at a position. */
  public Peer at(int position) {
    return places.get(position).peer();
  }

  /** The place of an id, whichever life; null where there is none. */
  public @Nullable Place of(String id) {
    for (Place place : places) {
      if (place.peer().id().equals(id)) {
        return place;
      }
    }
    return null;
  }

  /** The position where the tree of a lock has its root in this epoch, from its name alone. */
  public int root(String lock) {
    return Math.floorMod((lock.hashCode() * 0x9E3779B9) >>> 8, founders);
  }

  /** The father of a position in the tree that a lock begins this epoch with. */
  public int father(int position, String lock) {
    return shape.father(position, root(lock), founders);
  }
}
