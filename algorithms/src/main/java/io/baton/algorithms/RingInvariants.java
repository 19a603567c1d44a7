package io.baton.algorithms;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What [RING] states, as checks of one instant. */
public final class RingInvariants {
  private RingInvariants() {}

  /** Property 4.1: grants follow priorities, so who is inside has the highest of all that wish. */
  public static final Invariant PROPERTY_4_1 =
      new Invariant("Property 4.1", RingInvariants::property41);

  /** Rule 4: "No node will store duplicate tokens in their request queues." */
  public static final Invariant NO_DUPLICATES =
      new Invariant("no queue holds two tokens of one node", RingInvariants::duplicates);

  /** Rule 2: only who is inside or wishes to enter holds tokens of others. */
  public static final Invariant HELD_FOR_A_REASON =
      new Invariant("who does not wish to enter holds no token", RingInvariants::heldInVain);

  /** Rules 1 to 3, tokens never being lost: a token is in one place. */
  public static final Invariant ONE_PLACE =
      new Invariant("every token is in one place", RingInvariants::places);

  /** What must hold even after channels or nodes have failed. */
  public static final List<Invariant> SAFETY =
      List.of(SchemeInvariants.MUTUAL_EXCLUSION, PROPERTY_4_1, NO_DUPLICATES, HELD_FOR_A_REASON);

  private static RingState at(Snapshot s, int i) {
    return (RingState) s.state(i);
  }

  private static @Nullable String property41(Snapshot s) {
    for (int resource = 0; resource < s.resources(); resource++) {
      RingToken first = null; // of those who wish
      RingToken inside = null;
      for (int i = 0; i < s.nodes(); i++) {
        RingToken copy = s.isUp(i) ? at(s, i).wishes().get(resource).copy() : null;
        if (copy != null) {
          first = first == null || copy.before(first) ? copy : first;
          inside = s.inside(i, resource) ? copy : inside;
        }
      }
      if (inside != null && first != null && first.before(inside)) {
        return Names.of(inside.pid()) + " is inside before " + first;
      }
    }
    return null;
  }

  private static @Nullable String duplicates(Snapshot s) {
    for (int i = 0; i < s.nodes(); i++) {
      if (s.isUp(i)) {
        for (RingState.Wish wish : at(s, i).wishes()) {
          BitSet seen = new BitSet();
          for (RingToken token : wish.queue()) {
            if (seen.get(token.pid())) {
              return Names.of(i) + " holds " + wish.queue();
            }
            seen.set(token.pid());
          }
        }
      }
    }
    return null;
  }

  private static @Nullable String heldInVain(Snapshot s) {
    for (int i = 0; i < s.nodes(); i++) {
      if (s.isUp(i)) {
        for (RingState.Wish wish : at(s, i).wishes()) {
          if (wish.copy() == null && !wish.queue().isEmpty()) {
            return Names.of(i) + " holds " + wish.queue();
          }
        }
      }
    }
    return null;
  }

  private static @Nullable String places(Snapshot s) {
    int[][] places = new int[s.resources()][s.nodes()];
    s.messages(
        (from, to, message) -> {
          if (message instanceof RingToken token) {
            places[token.resource()][token.pid()]++;
          }
        });
    for (int i = 0; i < s.nodes(); i++) {
      List<RingState.Wish> wishes = at(s, i).wishes();
      for (int r = 0; r < wishes.size(); r++) {
        wishes.get(r).queue().forEach(token -> places[token.resource()][token.pid()]++);
        places[r][i] += wishes.get(r).inside() ? 1 : 0;
      }
    }
    for (int i = 0; i < s.nodes(); i++) {
      for (int r = 0; r < s.resources(); r++) {
        int expected = at(s, i).wishes().get(r).copy() == null ? 0 : 1;
        if (places[r][i] != expected) {
          return places[r][i] + " tokens of " + Names.of(i) + ", not " + expected;
        }
      }
    }
    return null;
  }
}
