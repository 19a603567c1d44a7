package io.baton.agreement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who should vote next, as the leader sees it. An odd number votes, up to as many as are wanted,
 * and never fewer than three once there were three; one who is away, or leaves, is exchanged for
 * one who is there, in one step, since a change asks a majority of both.
 *
 * @param present who votes now, as agreed
 * @param members who may vote: who belongs to the cluster, in some order
 * @param leaving voters who wish to be exchanged
 * @param hearing who has been heard of
 * @param answers which voters have answered this leader: one whose disk hangs is heard of, and does
 *     not
 * @param self the leader
 * @param wanted how many are to vote, if there are as many
 * @param since when this leader came into office, or exchanged a voter that was away
 */
record Electorate(
    Configuration present,
    List<String> members,
    Set<String> leaving,
    Hearing hearing,
    Hearing answers,
    String self,
    int wanted,
    long since,
    Pace pace,
    long now) {
  private static final int LEAST = 3;

  /** The configuration to change to; null: none, or none for now. */
  @Nullable Configuration next() {
    if (present.frozen()) {
      return null;
    }
    Configuration next = withoutThoseWhoLeave();
    next = next == null ? withoutOneWhoIsAway() : next;
    next = next == null ? grown() : next;
    return next == null ? shrunk() : next;
  }

  /** Whether one who leaves can be let go: nobody can vote in its place, or somebody does. */
  boolean releases(String voter) {
    return present.frozen() || !present.voters().contains(voter) || withoutThoseWhoLeave() == null;
  }

  /** Why an operator cannot have a member vote in the place of a voter; null: it can be done. */
  @Nullable String objection(String voter, String newcomer) {
    String why = null;
    if (!present.voters().contains(voter)) {
      why = voter + " does not vote: " + String.join(", ", present.voters()) + " do";
    } else if (present.voters().contains(newcomer)) {
      why = newcomer + " votes already";
    } else if (!members.contains(newcomer)) {
      why = newcomer + " is not a member: " + String.join(", ", members) + " are";
    } else if (!isThere(newcomer)) {
      why = newcomer + " does not answer";
    } else if (!goesOn(present.exchanged(voter, newcomer))) {
      why = "too few of the voters would answer then: exchange one that does not answer first";
    }
    return why;
  }

  /** All at once: each of them might count on the others to stay. */
  private @Nullable Configuration withoutThoseWhoLeave() {
    List<String> gone = present.voters().stream().filter(leaving::contains).toList();
    List<String> candidates = candidates(false);
    if (gone.isEmpty() || candidates.isEmpty()) {
      return gone.isEmpty() ? null : without(gone.get(0), candidates);
    }
    int exchanged = Math.min(gone.size(), candidates.size());
    List<String> next = new ArrayList<>(present.voters());
    next.removeAll(gone.subList(0, exchanged));
    next.addAll(candidates.subList(0, exchanged));
    Configuration changed = new Configuration(next);
    return goesOn(changed) ? changed : null;
  }

  private @Nullable Configuration withoutOneWhoIsAway() {
    if (now - since < pace.replaceAfter()) {
      return null;
    }
    List<String> candidates = candidates(true);
    Configuration next = null;
    for (String voter : present.voters()) {
      if (next == null && isAwayForLong(voter)) {
        next = without(voter, candidates);
      }
    }
    return next;
  }

  /**
   * Another one in its place; or none, where somebody else goes too, so that an odd number stays.
   */
  private @Nullable Configuration without(String voter, List<String> candidates) {
    List<String> next = new ArrayList<>(present.voters());
    next.remove(voter);
    String other = other(voter);
    if (!candidates.isEmpty()) {
      next.add(candidates.get(0));
    } else if (other != null && next.size() > LEAST) {
      next.remove(other);
    } else {
      return null;
    }
    boolean fewer = next.size() < present.voters().size();
    boolean allThere = next.stream().allMatch(this::isThere);
    Configuration changed = new Configuration(next);
    return (fewer ? allThere : goesOn(changed)) ? changed : null;
  }

  /** Whether enough of these voters are there, and stay, to agree on anything. */
  private boolean goesOn(Configuration voters) {
    return voters.isQuorum(
        voters.voters().stream().filter(id -> isThere(id) && !leaving.contains(id)).toList());
  }

  private @Nullable Configuration grown() {
    List<String> candidates = candidates(false);
    int voters = present.voters().size();
    int most = Math.min(wanted, voters + candidates.size());
    int odd = most % 2 == 0 ? most - 1 : most;
    if (odd <= voters) {
      return null;
    }
    List<String> next = new ArrayList<>(present.voters());
    next.addAll(candidates.subList(0, odd - voters));
    return new Configuration(next);
  }

  private @Nullable Configuration shrunk() {
    List<String> next = new ArrayList<>(present.voters());
    if (next.size() <= Math.max(wanted, 1)) {
      return null;
    }
    List<String> last = new ArrayList<>(next); // who goes first: who is away, else the last
    Collections.reverse(last);
    last.sort(Comparator.comparing(this::isThere));
    last.remove(self);
    next.removeAll(last.subList(0, next.size() - wanted));
    return new Configuration(next);
  }

  /** Another voter that is not there, or else leaves. */
  private @Nullable String other(String voter) {
    String other = null;
    for (String each : present.voters()) {
      boolean isGone = !isThere(each);
      if (!each.equals(voter) && (isGone || (other == null && leaving.contains(each)))) {
        other = each;
      }
    }
    return other;
  }

  /** Members that do not vote and could; long: those that have been there without a gap. */
  private List<String> candidates(boolean longThere) {
    List<String> all = new ArrayList<>();
    for (String member : members) {
      long there = hearing.since(member, now);
      boolean isThere = there != Hearing.NEVER && isThere(member);
      boolean isLong = !longThere || now - there >= pace.replaceAfter();
      if (isThere && isLong && !present.voters().contains(member) && !leaving.contains(member)) {
        all.add(member);
      }
    }
    return all;
  }

  private boolean isThere(String id) {
    return id.equals(self)
        || (present.voters().contains(id)
            ? answers.isHeard(id, pace.election(), now)
            : hearing.isHeard(id, pace.silence(), now));
  }

  private boolean isAwayForLong(String voter) {
    return !voter.equals(self) && now - answers.last(voter, since) >= pace.replaceAfter();
  }
}
