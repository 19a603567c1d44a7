package io.baton.agreement;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One process's share in what a cluster agrees on: a {@link Voter}, and around it what makes it
 * live. Who leads says so again and again, repeats what may have got lost, and sees to it that
 * others vote where voters are away or leave ({@link Electorate}); who hears no leader asks for an
 * election ({@link Elections}).
 *
 * <p>Events come in, one at a time and each with the instant of a monotonic clock that was read
 * after it came; effects go out, those that must wait for the disk once it has been written ({@link
 * SyncedOutput}).
 */
public final class Agreement {
  /** What an agreement asks of its host. */
  public interface Effects {
    /** The state has to be on disk for good, as soon as can be; then {@link #stored} is called. */
    void store(Durable state, long ticket);

    /** Sends a message to another process; it may get lost. */
    void send(String to, Message message);

    /**
     * This voter leads from now on.
     *
     * @param until when those who elected it may last have confirmed an earlier leader (R28)
     */
    void elected(long term, long until);

    /** It leads no more. */
    void deposed();

    /** This state is agreed on; nothing that was agreed on before is told after it. */
    void committed(long term, Value value);

    /** A majority has said, since it was asked, that the term of this leader stands. */
    void confirmed(long term, long batch);

    /** Somebody lost what it had agreed to: its disk was set back, or it is of another cluster. */
    void contradicted(String from, Publication publication);

    /** This voter has nothing to do any more that others need: it may leave. */
    void released();

    /** The wall clock: minutes since the beginning of 2025. */
    long minutes();
  }

  /** An instant that does not come. */
  public static final long NEVER = Long.MAX_VALUE;

  private final String id;
  private final Pace pace;
  private final int wanted;
  private final Effects effects;
  private final SyncedOutput out;
  private final Voter voter;
  private final Elections elections;
  private final Hearing hearing; // of anything
  private final Hearing followers; // of answers to this leader, in its term
  private final ArrayDeque<Runnable> todo = new ArrayDeque<>(); // by this process itself
  private long now;
  private long writingSince = NEVER; // its disk has been at work for so long; NEVER: it is not

  private List<String> members = List.of(); // who may vote
  private final SortedSet<String> founded = new TreeSet<>(); // who has written its founding
  private long foundingBeat = NEVER; // when those are told again who have not; NEVER: nobody is

  // At the leader.
  private long nextBeat = NEVER;
  private long since; // in office, or the last exchange
  private long number; // of questions
  private long confirmed; // the last of them that a majority has answered
  private long askedAt; // the last one
  private long askedNumber; // of the host's last one
  private long askedBatch; // as the host counts it; 0: none
  private final SortedSet<String> leaving = new TreeSet<>(); // voters that wish to
  private @Nullable Configuration ordered; // by an operator
  private long orderedUntil; // when that is given up
  private final SortedMap<String, Integer> invited = new TreeMap<>(); // how often, to vote
  private final SortedMap<String, Long> clocks = new TreeMap<>(); // of voters, in minutes

  // Where this one leaves.
  private long leaveBy = NEVER; // whatever others say by then; NEVER: it does not
  private long nextLeaving = NEVER;
  private boolean released;

  /**
   * An agreement that begins, or begins anew.
   *
   * @param found what is on disk
   * @param wanted how many are to vote, if there are as many
   * @param seed for what is left to chance
   */
  public Agreement(
      String id, Durable found, Pace pace, int wanted, long seed, Effects effects, long now) {
    this.id = id;
    this.pace = pace;
    this.wanted = wanted;
    this.effects = effects;
    this.now = now;
    this.voter = new Voter(id, found, now);
    this.out = new SyncedOutput(new Inside());
    this.elections = new Elections(id, voter, pace, out, seed, now);
    this.hearing = new Hearing(pace.silence());
    this.followers = new Hearing(pace.election());
    if (isFounding()) {
      foundingBeat = now;
    }
  }

  // What comes.

  /** This process founds a cluster: it begins once all these voters have written that. */
  public void found(String cluster, Value value, Configuration voters, long instant) {
    now = instant;
    found(cluster, value, voters);
    tick(instant);
  }

  /** This process belongs to a cluster that others have founded. */
  public void adopt(String cluster, long instant) {
    now = instant;
    voter.adopt(cluster, out);
    carryOut();
  }

  /** A message comes. */
  public void receive(String from, Message message, long instant) {
    now = instant;
    hearing.heard(from, now);
    handle(from, message);
    carryOut();
  }

  /** Something else comes from a process, which is there then. */
  public void heard(String from, long instant) {
    hearing.heard(from, instant);
  }

  /** There is no connection to a process any more. */
  public void disconnected(String peer, long instant) {
    now = instant;
    elections.disconnected(peer, now);
  }

  /** What was to be stored with this ticket is on disk for good. */
  public void stored(long ticket, long instant) {
    now = instant;
    out.synced(ticket);
    writingSince = out.isSynced() ? NEVER : now;
    carryOut();
  }

  /** This machine's clock stood still, as while it was suspended. */
  public void resumed(long instant) {
    now = instant;
    voter.resumed(now);
  }

  /** Who may vote. */
  public void members(Collection<String> ids) {
    members = List.copyOf(ids);
  }

  /** Has others vote, and lead, instead of this one; {@link Effects#released} then. */
  public void leave(long instant, long longest) {
    now = instant;
    if (leaveBy == NEVER) {
      leaveBy = now + longest;
      nextLeaving = now;
    }
    tick(instant);
  }

  /** Time passes. */
  public void tick(long instant) {
    now = instant;
    if (now >= foundingBeat) {
      foundingBeat = isFounding() ? now + pace.heartbeat() : NEVER;
      tellOfFounding();
    }
    if (voter.isLeader()) {
      lead();
    } else if (mayStand()) {
      elections.tick(now);
    }
    if (now >= nextLeaving) {
      goOnLeaving();
    }
    carryOut();
  }

  /** When this is to be told the time at the latest. */
  public long nextWake() {
    long next = Math.min(foundingBeat, nextLeaving);
    if (voter.isLeader()) {
      return Math.min(next, nextBeat);
    }
    return mayStand() ? Math.min(next, elections.nextWake()) : next;
  }

  /** Nobody stands whose disk is at work: if that hangs, it could publish nothing. */
  private boolean mayStand() {
    return writingSince == NEVER && (!isFounding() || isAllFounded());
  }

  /**
   * Has the voters agree on this as the next state. Nothing where this one does not lead, or
   * something else is under way.
   */
  public void publish(Value value, long instant) {
    now = instant;
    if (voter.isIdle()) {
      voter.publish(value, voter.accepted().configuration(), out);
    }
    carryOut();
  }

  /**
   * An operator has a member vote in the place of a voter.
   *
   * @return why that cannot be done; null: it is under way
   */
  public @Nullable String exchange(String voterToGo, String newcomer, long instant) {
    now = instant;
    String why = objection();
    why = why == null ? electorate().objection(voterToGo, newcomer) : why;
    return why == null ? order(voter.committed().exchanged(voterToGo, newcomer)) : why;
  }

  /**
   * An operator decides alone who votes from now on, or no longer does.
   *
   * @return why that cannot be done; null: it is under way
   */
  public @Nullable String freeze(boolean freeze, long instant) {
    now = instant;
    String why = objection();
    return why == null ? order(voter.committed().freeze(freeze)) : why;
  }

  private @Nullable String objection() {
    String why = null;
    if (!voter.isInOffice()) {
      why = id + " does not lead the voters";
    } else if (!voter.isIdle() || (ordered != null && !ordered.equals(voter.committed()))) {
      why = "the voters are agreeing on something else just now: try again";
    }
    return why;
  }

  private @Nullable String order(Configuration next) {
    ordered = next;
    orderedUntil = now + pace.silence();
    seeToVoters();
    carryOut();
    return null;
  }

  /** Asks whether the term still stands; {@link Effects#confirmed} tells that, or nothing. */
  public void confirm(long batch, long instant) {
    now = instant;
    askedBatch = batch;
    askedNumber = number + 1;
    ask();
    carryOut();
  }

  // What may be asked.

  /** The voters as agreed. */
  public Configuration voters() {
    return voter.committed();
  }

  /** All that this process must not forget. */
  public Durable durable() {
    return voter.durable();
  }

  /** The cluster that this process belongs to; empty: none yet. */
  public String cluster() {
    return voter.cluster();
  }

  /** Who has not written yet that the cluster is founded; empty: nobody is waited for. */
  public List<String> lackingFounders() {
    return isFounding()
        ? voter.committed().voters().stream().filter(each -> !founded.contains(each)).toList()
        : List.of();
  }

  /** Whether this voter leads, as far as it knows. */
  public boolean isLeader() {
    return voter.isLeader();
  }

  /** The latest term that this voter knows. */
  public long term() {
    return voter.currentTerm();
  }

  /** The median of the voters' wall clocks, in minutes since the beginning of 2025. */
  public long minutes() {
    List<Long> told = new ArrayList<>(clocks.values());
    told.add(effects.minutes());
    told.sort(null);
    return told.get((told.size() - 1) / 2);
  }

  // One event.

  private void handle(String from, Message message) {
    if (message instanceof Message.StartTerm && released && !voter.voters().contains(id)) {
      return; // nobody is to count on one that is about to be gone
    } else if (message instanceof Message.Found founding) {
      found(founding.cluster(), founding.value(), founding.configuration());
      if (voter.cluster().equals(founding.cluster())) {
        out.send(from, new Message.Founded(founding.cluster()));
      }
    } else if (message instanceof Message.Founded answer) {
      if (isFounding()
          && answer.cluster().equals(voter.cluster())
          && founded.add(from)
          && isAllFounded()) {
        standFirst();
      }
    } else if (message instanceof Message.Poll poll) {
      elections.onPoll(from, poll, now);
    } else if (message instanceof Message.Willing answer) {
      elections.onWilling(from, answer, now);
    } else if (message instanceof Message.TakeOver ask) {
      onTakeOver(from, ask);
    } else if (message instanceof Message.Leaving) {
      onLeaving(from);
    } else if (message instanceof Message.Released answer) {
      onReleased(answer);
    } else {
      voter.receive(from, message, now, out);
      note(from, message);
    }
    elections.heardOf(message.term());
    if (voter.isLeader() && message.term() > voter.currentTerm()) {
      voter.resign(out); // somebody has started a later term, and follows nobody in this one
    }
  }

  /** What a message of the protocol tells besides. */
  private void note(String from, Message message) {
    boolean isOfLeader =
        message instanceof Message.Publish
            || message instanceof Message.Commit
            || message instanceof Message.Question;
    boolean isOfThisTerm = message.term() == voter.currentTerm();
    if (isOfLeader && isOfThisTerm) {
      elections.heard(from, now);
    } else if (isOfThisTerm) {
      followers.heard(from, now);
    }
    if (message instanceof Message.Commit && nextLeaving != NEVER) {
      nextLeaving = now; // there is somebody in office to be asked
    }
    if (message instanceof Message.Standing answer && !from.equals(id)) {
      clocks.put(from, answer.minutes());
    }
  }

  /** Does what may be done, and what that leads to. */
  private void carryOut() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private @Nullable Runnable next() {
    Runnable effect = out.poll();
    return effect == null ? todo.poll() : effect;
  }

  // The founding.

  private boolean isFounding() {
    return !voter.accepted().configuration().isEmpty() && voter.accepted().version() == 0;
  }

  /** From then on it tells the others, whoever told it. */
  private void found(String cluster, Value value, Configuration voters) {
    boolean before = isFounding();
    voter.found(cluster, value, voters, out);
    if (isFounding() && !before) {
      foundingBeat = now;
    }
  }

  /** One of those that found a cluster stands at once: if all did, none would win. */
  private void standFirst() {
    if (voter.committed().voters().get(0).equals(id)) {
      elections.hurry(now);
    }
  }

  private boolean isAllFounded() {
    return founded.containsAll(voter.committed().voters());
  }

  /** Whoever has written the founding tells those who may not have. */
  private void tellOfFounding() {
    Value value = voter.accepted().value();
    if (isFounding() && value != null) {
      Configuration voters = voter.accepted().configuration();
      Message.Found founding = new Message.Found(voter.cluster(), value, voters);
      lackingFounders().forEach(other -> out.send(other, founding));
    }
  }

  // Leading.

  private void lead() {
    if (now < nextBeat) {
      return;
    }
    nextBeat = now + pace.heartbeat();
    if (!hearsQuorum() || now - writingSince > pace.silence()) {
      voter.resign(out);
      return;
    }
    voter.repeat(out);
    boolean isOpen = confirmed < number && now - askedAt < pace.election();
    if (!isOpen && now - askedAt >= pace.heartbeat()) { // else all have just been asked
      ask();
    }
    if (voter.isIdle()) {
      seeToVoters();
    }
    if (voter.isIdle() && !voter.voters().contains(id)) {
      handOver();
    }
  }

  private void ask() {
    if (voter.isInOffice()) {
      askedAt = now;
      voter.ask(++number, out);
    }
  }

  private boolean hearsQuorum() {
    List<String> there = new ArrayList<>();
    for (String other : voter.voters()) {
      if (other.equals(id) || followers.isHeard(other, pace.election(), now)) {
        there.add(other);
      }
    }
    return voter.isQuorum(there);
  }

  private Electorate electorate() {
    List<String> ready = new ArrayList<>(members); // who has voted first; then who was asked least
    ready.sort(
        Comparator.comparing((String member) -> !voter.hasVoteOf(member))
            .thenComparing(member -> invited.getOrDefault(member, 0)));
    return new Electorate(
        voter.committed(), ready, leaving, hearing, followers, id, wanted, since, pace, now);
  }

  /** Changes who votes, where that is to be; a newcomer is asked for its vote first. */
  private void seeToVoters() {
    leaving.retainAll(voter.committed().voters());
    if (now > orderedUntil || voter.committed().equals(ordered)) {
      ordered = null;
    }
    Configuration next = ordered == null ? electorate().next() : ordered;
    if (next == null) {
      return;
    }
    boolean all = true;
    for (String each : next.voters()) {
      if (!voter.committed().voters().contains(each) && !voter.hasVoteOf(each)) {
        voter.invite(each, out);
        invited.merge(each, 1, Integer::sum);
        all = false;
      }
    }
    if (all && voter.publish(voter.accepted().value(), next, out)) {
      since = now;
    }
  }

  // Leaving.

  /** Who leaves, too, takes nothing over: else two would hand over to each other for ever. */
  private void onTakeOver(String from, Message.TakeOver ask) {
    if (leaveBy == NEVER) {
      elections.onTakeOver(ask, now);
    } else {
      out.send(from, new Message.Leaving(voter.currentTerm()));
    }
  }

  private void onLeaving(String from) {
    if (voter.isInOffice()) {
      boolean isNew = leaving.add(from);
      if (isNew && nextLeaving != NEVER) {
        nextLeaving = now; // it is not the one to lead in this one's place
      }
      if (voter.isIdle()) {
        seeToVoters();
      }
      if (voter.isIdle() && electorate().releases(from)) {
        out.send(from, new Message.Released(voter.currentTerm()));
      }
    }
  }

  private void onReleased(Message.Released answer) {
    if (nextLeaving != NEVER && answer.term() == voter.currentTerm()) {
      leaveBy = now;
      goOnLeaving();
    }
  }

  private void goOnLeaving() {
    boolean votes = voter.voters().contains(id);
    if (released) {
      return;
    }
    if (voter.isLeader() && now < leaveBy) {
      goOnLeavingAsLeader();
    } else if (votes && now < leaveBy) {
      nextLeaving = now + pace.heartbeat();
      voter.voters().forEach(other -> out.send(other, new Message.Leaving(voter.currentTerm())));
    } else {
      release();
    }
  }

  private void release() {
    released = true;
    nextLeaving = NEVER;
    if (voter.isLeader()) {
      voter.resign(out);
    }
    todo.add(effects::released);
  }

  /** Another is to vote in its place, if one can; then another is to lead. */
  private void goOnLeavingAsLeader() {
    nextLeaving = now + pace.heartbeat();
    leaving.add(id);
    if (voter.isIdle()) {
      seeToVoters();
    }
    if (!voter.isIdle() || !electorate().releases(id)) {
      return;
    }
    if (!handOver()) {
      release();
    }
  }

  /** Asks a voter to lead that has all that was agreed on; false: there is none. */
  private boolean handOver() {
    for (String other : voter.committed().voters()) {
      boolean isThere = !other.equals(id) && followers.isHeard(other, pace.election(), now);
      if (isThere && !leaving.contains(other) && voter.hasAccepted(other)) {
        out.send(other, new Message.TakeOver(voter.currentTerm()));
        return true;
      }
    }
    return false;
  }

  /** What the voter and what surrounds it ask for, once it may be done. */
  private final class Inside implements Effects {
    @Override
    public void store(Durable state, long ticket) {
      writingSince = Math.min(writingSince, now);
      effects.store(state, ticket);
    }

    @Override
    public void send(String to, Message message) {
      if (to.equals(id)) {
        todo.add(() -> handle(id, message));
      } else {
        effects.send(to, message);
      }
    }

    @Override
    public void elected(long term, long until) {
      nextBeat = now + pace.heartbeat();
      since = now;
      askedAt = now - pace.heartbeat();
      askedBatch = 0;
      leaving.clear();
      ordered = null;
      invited.clear();
      clocks.clear();
      effects.elected(term, until);
    }

    @Override
    public void deposed() {
      nextBeat = NEVER;
      askedBatch = 0;
      effects.deposed();
    }

    @Override
    public void committed(long term, Value value) {
      effects.committed(term, value);
    }

    @Override
    public void confirmed(long term, long batch) {
      confirmed = batch;
      if (askedBatch > 0 && batch >= askedNumber) {
        effects.confirmed(term, askedBatch);
      }
    }

    @Override
    public void contradicted(String from, Publication publication) {
      effects.contradicted(from, publication);
    }

    @Override
    public void released() {
      effects.released();
    }

    @Override
    public long minutes() {
      return effects.minutes();
    }
  }
}
