package io.baton.member;

import java.util.List;

/** An entry of the agreed log. */
public sealed interface Command {
  /**
   * The first entry: a cluster is founded (R5).
   *
   * @param founders who begins it, as admitted by this entry
   * @param alone whether nobody can join it: then it needs no rest before its first grant
   */
  record Found(Shape shape, List<Newcomer> founders, boolean alone) implements Command {
    /** The founders are copied. */
    public Found {
      founders = List.copyOf(founders);
    }

    /** One that others may join. */
    public Found(Shape shape, List<Newcomer> founders) {
      this(shape, founders, false);
    }
  }

  /**
   * All the changes that waited at the leader (R7); without any, a leader's sign of life.
   *
   * @param term in which the leader judged: void where it is logged in another (R11)
   * @param gone lives whose lease has surely run out, or that have left
   * @param admitted who joins; in place of a former life where that one is gone
   * @param renewed the epoch that is to be followed by a new one whatever else changes; 0: none
   */
  record Change(long term, List<Peer> gone, List<Newcomer> admitted, long renewed)
      implements Command {
    /** The lists are copied. */
    public Change {
      gone = List.copyOf(gone);
      admitted = List.copyOf(admitted);
    }
  }

  /**
   * What all entries up to this place amount to, in their stead.
   *
   * @param open whether anybody may have been granted anything ({@link Roster#isNew})
   * @param alone whether nobody else can join ({@link Found#alone})
   */
  record State(View view, boolean open, boolean alone) implements Command {}

  /** One who wants to be a member. */
  record Newcomer(String id, String address, long run) {}
}
