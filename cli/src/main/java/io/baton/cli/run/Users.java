package io.baton.cli.run;

import java.util.BitSet;
import java.util.stream.IntStream;

/** Where the users of a run are, by seat, as far as the parent knows. */
final class Users {
  private final int[] waiting; // sent there and not let in
  private final BitSet asking = new BitSet(); // seats whose node has begun to ask for one
  private final BitSet inside = new BitSet();

  Users(int seats) {
    waiting = new int[seats];
  }

  void sent(int seat) {
    waiting[seat]++;
  }

  void asked(int seat) {
    asking.set(seat);
  }

  void granted(int seat) {
    waiting[seat]--;
    asking.clear(seat);
    inside.set(seat);
  }

  /** A user has left; whether nobody else waits at the seat. */
  boolean left(int seat) {
    inside.clear(seat);
    return waiting[seat] == 0;
  }

  /** The process of a seat is dead; whether somebody was there. */
  boolean lost(int seat) {
    boolean hadUser = waiting[seat] > 0 || inside.get(seat);
    waiting[seat] = 0;
    asking.clear(seat);
    inside.clear(seat);
    return hadUser;
  }

  boolean isSomeoneInside() {
    return !inside.isEmpty();
  }

  boolean isSomeoneWaiting() {
    return IntStream.of(waiting).anyMatch(count -> count > 0);
  }

  /** Whether every node with users who wait has begun to ask, so that no user is on the way. */
  boolean haveAllAsked() {
    return IntStream.range(0, waiting.length)
        .allMatch(seat -> waiting[seat] == 0 || asking.get(seat));
  }
}
