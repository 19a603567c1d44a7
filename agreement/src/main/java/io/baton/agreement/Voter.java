package io.baton.agreement;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One voter: it votes, leads, accepts and commits. It says nothing about when somebody should stand
 * for election, nor about who should vote.
 *
 * <p>Transcribes the TLA+ model ZenWithTerms, by which Elasticsearch agrees on the state of its
 * clusters; the names in the margin are those of the model's actions, and their order is the
 * model's. Three translations:
 *
 * <ul>
 *   <li>What the model keeps for each node is one object here: {@code lastAccepted…} is {@link
 *       Durable#accepted}, {@code joinVotes} is {@code votes}.
 *   <li>The model's set of messages is the network. A leader talks to itself by messages, too: its
 *       own vote and its own acceptance count only once they are on disk.
 *   <li>A guard that is false ends the action without an effect.
 * </ul>
 *
 * <p>Every departure from the model is marked, and only ever forbids a step, repeats a message, or
 * tells somebody of what has happened.
 */
public final class Voter {
  private final String id;

  // On disk.
  private long currentTerm;
  private Publication accepted;
  private Configuration committed; // lastCommittedConfiguration
  private long committedVersion;
  private long committedEpoch;

  // In memory; forgotten by a restart.
  private final SortedMap<String, Long> votes =
      new TreeMap<>(); // and when each voter last answered
  private boolean started; // a term was started since the restart
  private boolean won;
  private long publishedVersion;
  private Configuration publishedConfiguration;
  private final SortedSet<String> publishVotes = new TreeSet<>();

  // Not of the model.
  private Message.@Nullable Publish published; // the last one of this term, to be repeated
  private boolean inOffice; // a publication of this term is committed
  private long batch; // the last question
  private final SortedSet<String> standing = new TreeSet<>(); // who has answered it
  private long lastAnswered; // when this voter last answered a leader, by its own clock (R28)
  private long answeredUntil; // when those who elected this leader last answered an earlier one

  /**
   * A voter that begins, or begins anew, with what it finds on disk.
   *
   * @param now the time by this voter's clock, read after the disk
   */
  public Voter(String id, Durable found, long now) { // RestartNode
    this.id = id;
    this.currentTerm = found.currentTerm();
    this.accepted = found.accepted();
    this.committed = found.committed();
    this.committedVersion = found.committedVersion();
    this.committedEpoch = found.committedEpoch();
    this.publishedConfiguration = accepted.configuration();
    this.lastAnswered = now;
  }

  /** The cluster is founded: this voter knows the first state and who votes. */
  public void found(Value value, Configuration configuration, Output out) { // SetInitialState
    if (!accepted.configuration().isEmpty()) {
      return;
    }
    accepted = new Publication(accepted.term(), accepted.version(), value, configuration);
    committed = configuration;
    publishedConfiguration = configuration;
    out.store(durable());
  }

  /** Stands for election: asks everybody who votes for a vote in a new term. */
  public void campaign(Output out) {
    if (accepted.configuration().isEmpty()) {
      return;
    }
    Message.StartTerm ask = new Message.StartTerm(currentTerm + 1);
    committed.and(accepted.configuration()).forEach(voter -> out.send(voter, ask));
    if (!committed.and(accepted.configuration()).contains(id)) {
      out.send(id, ask); // its own vote names the term in which it stands
    }
  }

  /** Hands a message to this voter, at an instant of its clock that was read after it came. */
  public void receive(String from, Message message, long now, Output out) {
    if (message instanceof Message.StartTerm ask) {
      onStartTerm(from, ask.term(), now, out);
    } else if (message instanceof Message.Vote vote) {
      onVote(from, vote, now, out);
    } else if (message instanceof Message.Publish publish) {
      onPublish(from, publish, now, out);
    } else if (message instanceof Message.Accepted answer) {
      onAccepted(from, answer, out);
    } else if (message instanceof Message.Commit commit) {
      onCommit(from, commit, now, out);
    } else if (message instanceof Message.Lacking lacking) {
      onLacking(from, lacking, out);
    } else if (message instanceof Message.Question question) {
      onQuestion(from, question, now, out);
    } else if (message instanceof Message.Standing answer) {
      onStanding(from, answer, out);
    } else {
      throw new IllegalArgumentException("A message of an unknown kind: " + message);
    }
  }

  private void onStartTerm(String candidate, long term, long now, Output out) { // HandleStartJoin
    if (term <= currentTerm) {
      return;
    }
    boolean led = won;
    currentTerm = term;
    publishedVersion = 0;
    publishedConfiguration = accepted.configuration();
    started = true;
    won = false;
    votes.clear();
    publishVotes.clear();
    forgetOffice();
    if (led) {
      out.deposed();
    }
    out.store(durable()); // a vote that is forgotten could be given twice
    long ago = Math.max(0, now - lastAnswered);
    out.send(
        candidate, new Message.Vote(candidate, term, accepted.term(), accepted.version(), ago));
  }

  private void onVote(String from, Message.Vote vote, long now, Output out) { // HandleJoin
    if (!vote.candidate().equals(id) // a vote that went astray is nobody's
        || vote.term() != currentTerm
        || !started
        || !isNoLaterThanAccepted(vote)
        || accepted.configuration().isEmpty()) {
      return;
    }
    votes.put(from, now - vote.ago());
    boolean before = won;
    won = isElectionQuorum();
    if (!before && won) {
      publishedVersion = accepted.version();
      answeredUntil = Math.max(lastAnswered, Collections.max(votes.values()));
      out.elected(currentTerm);
      publish(accepted.value(), accepted.configuration(), out); // what it found, in its own term
    }
  }

  private boolean isNoLaterThanAccepted(Message.Vote vote) {
    return vote.acceptedTerm() < accepted.term()
        || (vote.acceptedTerm() == accepted.term() && vote.acceptedVersion() <= accepted.version());
  }

  private boolean isElectionQuorum() {
    return committed.isQuorum(votes.keySet()) && accepted.configuration().isQuorum(votes.keySet());
  }

  /**
   * Publishes a state as the next one. A configuration other than the present one needs votes of
   * this term from a quorum of its voters: whoever is to become one is asked for its vote before
   * ({@link #invite}).
   *
   * @return whether it was published: not before the last publication is accepted here, nor a
   *     change of who votes before the last such change is committed
   */
  public boolean publish(
      @Nullable Value value, Configuration configuration, Output out) { // HandleClientValue
    boolean reconfigures = !configuration.equals(accepted.configuration());
    if (!won
        || publishedVersion != accepted.version()
        || (reconfigures && !committed.equals(accepted.configuration()))
        || !configuration.isQuorum(votes.keySet())) {
      return false;
    }
    publishedVersion = accepted.version() + 1;
    publishedConfiguration = configuration;
    publishVotes.clear();
    Message.Publish message =
        new Message.Publish(
            new Publication(currentTerm, publishedVersion, value, configuration), committed);
    published = message;
    committed.and(configuration).forEach(voter -> out.send(voter, message));
    if (!committed.and(configuration).contains(id)) {
      out.send(id, message); // a leader that votes no more still has to know what it published
    }
    return true;
  }

  /** Asks somebody who does not vote yet for its vote in the term of this leader. */
  public void invite(String newcomer, Output out) {
    if (won) {
      out.send(newcomer, new Message.StartTerm(currentTerm));
    }
  }

  private void onPublish(
      String from, Message.Publish message, long now, Output out) { // HandlePublishRequest
    Publication publication = message.publication();
    follow(from, publication.term(), now, out);
    if (publication.term() != currentTerm) {
      return;
    }
    if (publication.is(accepted.term(), accepted.version())) { // not of the model: said once more
      lastAnswered = now;
      out.send(from, new Message.Accepted(accepted.term(), accepted.version()));
      return;
    }
    if (publication.term() == accepted.term() && publication.version() <= accepted.version()) {
      return;
    }
    // Departs from the model, which knows no disk that is set back to an earlier state.
    if (publication.version() <= committedVersion || publication.epoch() < committedEpoch) {
      out.contradicted(from, publication);
      return;
    }
    accepted = publication;
    committed = message.committed(); // whichever is newer
    out.store(durable()); // both in one write
    lastAnswered = now;
    out.send(from, new Message.Accepted(accepted.term(), accepted.version()));
  }

  private void onAccepted(
      String from, Message.Accepted answer, Output out) { // HandlePublishResponse
    if (!won || answer.term() != currentTerm || answer.version() != publishedVersion) {
      return;
    }
    publishVotes.add(from);
    if (isPublishQuorum(publishVotes)) {
      Message.Commit commit = new Message.Commit(currentTerm, publishedVersion);
      committed.and(publishedConfiguration).forEach(voter -> out.send(voter, commit));
    }
  }

  private boolean isPublishQuorum(Set<String> answered) {
    return committed.isQuorum(answered) && publishedConfiguration.isQuorum(answered);
  }

  private void onCommit(String from, Message.Commit commit, long now, Output out) { // HandleCommit
    follow(from, commit.term(), now, out);
    if (commit.term() != currentTerm) {
      return;
    }
    if (!accepted.is(commit.term(), commit.version())) {
      if (!accepted.isLaterThan(commit.term(), commit.version())) { // not of the model: it asks
        out.send(from, new Message.Lacking(commit.term(), commit.version()));
      }
      return;
    }
    if (won && accepted.version() != publishedVersion) {
      return;
    }
    boolean news = committedVersion < accepted.version();
    committed = accepted.configuration();
    committedVersion = accepted.version();
    committedEpoch = accepted.epoch();
    inOffice |= won;
    if (news) {
      out.note(durable());
      out.committed(accepted);
    }
  }

  // Not of the model.

  /** A later term's leader speaks: this voter starts that term, as a vote for it. */
  private void follow(String leader, long term, long now, Output out) {
    onStartTerm(leader, term, now, out);
  }

  /** Somebody lacks what was published last: it is said once more, to the letter. */
  private void onLacking(String from, Message.Lacking lacking, Output out) {
    if (won && lacking.term() == currentTerm && published != null) {
      out.send(from, published);
    }
  }

  /** Asks every voter whether this leader's term still stands; not before it is in office (R10). */
  public void ask(long newBatch, Output out) {
    if (!inOffice) {
      return;
    }
    batch = newBatch;
    standing.clear();
    Message.Question question = new Message.Question(currentTerm, batch);
    committed.and(publishedConfiguration).forEach(voter -> out.send(voter, question));
  }

  private void onQuestion(String from, Message.Question question, long now, Output out) {
    follow(from, question.term(), now, out);
    if (question.term() == currentTerm) {
      lastAnswered = now;
      out.send(from, new Message.Standing(currentTerm, question.batch()));
    }
  }

  private void onStanding(String from, Message.Standing answer, Output out) {
    if (!inOffice || answer.term() != currentTerm || answer.batch() != batch) {
      return;
    }
    standing.add(from);
    if (isPublishQuorum(standing)) { // of the voters as they stand now
      out.confirmed(currentTerm, batch);
    }
  }

  private void forgetOffice() {
    published = null;
    inOffice = false;
    batch = 0;
    standing.clear();
    answeredUntil = 0;
  }

  // What others look at.

  /** What this voter has to find on disk when it begins anew. */
  public Durable durable() {
    return new Durable(currentTerm, accepted, committed, committedVersion, committedEpoch);
  }

  /**
   * Until when, by the clock of this leader, those who elected it may have confirmed an earlier one
   * (R28).
   */
  public long answeredUntil() {
    return answeredUntil;
  }

  /** All that this voter knows, to be compared and gone back to. */
  public State capture() {
    return new State(
        durable(),
        new TreeMap<>(votes),
        started,
        won,
        publishedVersion,
        publishedConfiguration,
        new TreeSet<>(publishVotes),
        published,
        inOffice,
        batch,
        new TreeSet<>(standing),
        lastAnswered,
        answeredUntil);
  }

  /** Goes back to a state that was captured. */
  public void restore(State state) {
    currentTerm = state.durable().currentTerm();
    accepted = state.durable().accepted();
    committed = state.durable().committed();
    committedVersion = state.durable().committedVersion();
    committedEpoch = state.durable().committedEpoch();
    votes.clear();
    votes.putAll(state.votes());
    started = state.started();
    won = state.won();
    publishedVersion = state.publishedVersion();
    publishedConfiguration = state.publishedConfiguration();
    publishVotes.clear();
    publishVotes.addAll(state.publishVotes());
    published = state.published();
    inOffice = state.inOffice();
    batch = state.batch();
    standing.clear();
    standing.addAll(state.standing());
    lastAnswered = state.lastAnswered();
    answeredUntil = state.answeredUntil();
  }

  /** Everything that a voter knows, on disk and in memory. */
  public record State(
      Durable durable,
      Map<String, Long> votes,
      boolean started,
      boolean won,
      long publishedVersion,
      Configuration publishedConfiguration,
      Set<String> publishVotes,
      Message.@Nullable Publish published,
      boolean inOffice,
      long batch,
      Set<String> standing,
      long lastAnswered,
      long answeredUntil) {}
}
