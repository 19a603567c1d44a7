package io.baton.agreement;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When a voter stands for election. Nothing here can break a promise: whoever stands at whatever
 * time, {@link Voter} lets one lead. It is asked before whether an election would succeed, so that
 * one who comes back, or hears nobody, does not depose a leader whom the others hear.
 */
final class Elections {
  private final String id;
  private final Voter voter;
  private final Pace pace;
  private final Output out;
  private long random;

  private @Nullable String leader; // of whom this voter hears
  private long leaderHeard;
  private long due; // when this voter asks for an election
  private boolean called; // somebody asked for an election that this voter must win
  private long polledFor; // the term after which it asked last
  private long highest; // the latest term that anybody has told
  private final SortedSet<String> willing = new TreeSet<>();

  Elections(String id, Voter voter, Pace pace, Output out, long seed, long now) {
    this.id = id;
    this.voter = voter;
    this.pace = pace;
    this.out = out;
    this.random = seed;
    this.leaderHeard = now - pace.election();
    putOff(now);
    if (voter.isQuorum(List.of(id))) {
      due = now; // it needs nobody, and deposes nobody
    }
  }

  private void putOff(long now) {
    due = now + pace.election() + draw(pace.election());
  }

  /** From zero up to a bound, by chance. */
  private long draw(long bound) {
    random += 0x9E3779B97F4A7C15L; // SplitMix64
    long mixed = (random ^ (random >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return Math.floorMod(mixed ^ (mixed >>> 31), Math.max(1, bound));
  }

  /** The leader of this voter's term says something. */
  void heard(String from, long now) {
    leader = from;
    leaderHeard = now;
    putOff(now);
  }

  /** There is no connection to a process any more: if it led, others need not wait for long. */
  void disconnected(String peer, long now) {
    if (peer.equals(leader)) {
      leader = null;
      leaderHeard = now - pace.election();
      due = Math.min(due, now + draw(pace.election() / 2));
    }
  }

  /** Somebody is in a later term: the next election is to be above it. */
  void heardOf(long term) {
    highest = Math.max(highest, term);
  }

  /** Asks for an election as soon as it is told the time. */
  void hurry(long now) {
    due = now;
  }

  /** Looks whether it is time to ask for an election. */
  void tick(long now) {
    if (now >= due && mayStand()) {
      putOff(now);
      called = false;
      poll();
    }
  }

  /** Who votes no more, and knows more than one who does, has to lead once more. */
  private boolean mayStand() {
    return called || voter.voters().contains(id);
  }

  private void poll() {
    willing.clear();
    polledFor = voter.currentTerm();
    Publication accepted = voter.accepted();
    Message.Poll poll = new Message.Poll(polledFor, accepted.term(), accepted.version());
    voter.voters().forEach(other -> out.send(other, poll));
  }

  /** Somebody asks whether this voter would vote for it. */
  void onPoll(String from, Message.Poll poll, long now) {
    Publication mine = voter.accepted();
    boolean isBehind =
        poll.acceptedTerm() < mine.term()
            || (poll.acceptedTerm() == mine.term() && poll.acceptedVersion() < mine.version());
    boolean hearsLeader = voter.isLeader() || now - leaderHeard < pace.election();
    if (isBehind && !hearsLeader && !called) { // it may be that nobody else can win
      called = true;
      due = now + draw(pace.election());
    } else if (!isBehind && !hearsLeader) {
      out.send(from, new Message.Willing(Math.max(poll.term(), voter.currentTerm())));
    }
  }

  /** Somebody would. */
  void onWilling(String from, Message.Willing answer, long now) {
    if (voter.isLeader() || voter.currentTerm() != polledFor) {
      return;
    }
    willing.add(from);
    highest = Math.max(highest, answer.term());
    boolean enough =
        voter.accepted().version() == 0
            ? willing.containsAll(voter.voters())
            : voter.isQuorum(willing);
    if (enough) {
      willing.clear();
      putOff(now);
      voter.campaign(highest + 1, out);
    }
  }

  /** The leader asks this voter to lead in its place. */
  void onTakeOver(Message.TakeOver ask, long now) {
    if (ask.term() == voter.currentTerm() && voter.voters().contains(id)) {
      putOff(now);
      voter.campaign(Math.max(highest, voter.currentTerm()) + 1, out);
    }
  }

  long nextWake() {
    return mayStand() ? due : Agreement.NEVER;
  }
}
