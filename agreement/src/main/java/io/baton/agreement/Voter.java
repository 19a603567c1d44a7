package io.baton.agreement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
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
  private static final long NO_QUESTION = 0;

  private final String id;

  // On disk.
  private String cluster;
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
  private Message.@Nullable Vote given; // in this term and this life, to be repeated
  private boolean inOffice; // a publication of this term is committed
  private long batch; // the last question
  private final SortedSet<String> standing = new TreeSet<>(); // who has answered it
  private long lastAnswered; // when this voter last answered a leader, by its own clock (R28)

  /**
   * A voter that begins, or begins anew, with what it finds on disk.
   *
   * @param now the time by this voter's clock, read after the disk
   */
  public Voter(String id, Durable found, long now) { // RestartNode
    this.id = id;
    this.cluster = found.cluster();
    this.currentTerm = found.currentTerm();
    this.accepted = found.accepted();
    this.committed = found.committed();
    this.committedVersion = found.committedVersion();
    this.committedEpoch = found.committedEpoch();
    this.publishedConfiguration = accepted.configuration();
    this.lastAnswered = now;
  }

  /**
   * The cluster is founded: this voter knows the first state and who votes. It belongs to one
   * cluster, for good.
   */
  public void found(
      String newCluster, Value value, Configuration configuration, Output out) { // SetInitialState
    boolean belongsElsewhere = !cluster.isEmpty() && !cluster.equals(newCluster);
    if (belongsElsewhere || !accepted.configuration().isEmpty()) {
      return;
    }
    cluster = newCluster;
    accepted = new Publication(accepted.term(), accepted.version(), value, configuration);
    committed = configuration;
    publishedConfiguration = configuration;
    out.store(durable());
  }

  /** Not of the model: this process belongs to a cluster that others have founded, for good. */
  public void adopt(String newCluster, Output out) {
    if (cluster.isEmpty()) {
      cluster = newCluster;
      out.store(durable());
    }
  }

  /** Stands for election: asks everybody who votes for a vote in a new term. */
  public void campaign(long term, Output out) {
    if (accepted.configuration().isEmpty()) {
      return;
    }
    Message.StartTerm ask = new Message.StartTerm(term);
    voters().forEach(voter -> out.send(voter, ask));
    if (!voters().contains(id)) {
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
      throw new IllegalArgumentException("A voter is not told of " + message);
    }
  }

  private void onStartTerm(String candidate, long term, long now, Output out) { // HandleStartJoin
    if (term <= currentTerm) {
      sayAgain(candidate, term, out);
      return;
    }
    boolean led = won;
    currentTerm = term;
    forgetTerm();
    started = true;
    if (led) {
      out.deposed();
    }
    out.store(durable()); // a vote that is forgotten could be given twice
    long ago = Math.max(0, now - lastAnswered);
    given = new Message.Vote(cluster, candidate, term, accepted.term(), accepted.version(), ago);
    out.send(candidate, given);
  }

  /**
   * Not of the model: the vote may have got lost, and is said once more, to the letter; never after
   * a restart. Whoever asks in a term that is over is told so.
   */
  private void sayAgain(String candidate, long term, Output out) {
    Message.Vote vote = given;
    if (vote != null && vote.term() == term && vote.candidate().equals(candidate)) {
      out.send(candidate, vote);
    } else if (term < currentTerm) {
      out.send(candidate, new Message.Standing(currentTerm, NO_QUESTION, out.minutes()));
    }
  }

  private void onVote(String from, Message.Vote vote, long now, Output out) { // HandleJoin
    if (!vote.candidate().equals(id) // a vote that went astray is nobody's
        || vote.term() != currentTerm
        || !started
        || !isOfThisCluster(vote)
        || !isNoLaterThanAccepted(vote)
        || accepted.configuration().isEmpty()) {
      return;
    }
    votes.put(from, now - vote.ago());
    boolean before = won;
    won = isElectionQuorum();
    if (!before && won) {
      publishedVersion = accepted.version();
      long until = Math.max(lastAnswered, Collections.max(votes.values()));
      out.elected(currentTerm, until);
      publish(accepted.value(), accepted.configuration(), out); // what it found, in its own term
    }
  }

  private boolean isNoLaterThanAccepted(Message.Vote vote) {
    return vote.acceptedTerm() < accepted.term()
        || (vote.acceptedTerm() == accepted.term() && vote.acceptedVersion() <= accepted.version());
  }

  /** Departs from the model, which knows one cluster: the votes of another do not count. */
  private boolean isOfThisCluster(Message.Vote vote) {
    return vote.cluster().equals(cluster) || (vote.cluster().isEmpty() && !isFirstElection());
  }

  /**
   * Whether nothing has been published yet. Departs from the model, which is told the first state
   * of all voters: here they have all written it before one of them can lead. So two that found
   * clusters with some voters in common do not found two.
   */
  private boolean isFirstElection() {
    return accepted.version() == 0;
  }

  private boolean isElectionQuorum() {
    if (isFirstElection()) {
      return votes.keySet().containsAll(committed.voters());
    }
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
            cluster,
            new Publication(currentTerm, publishedVersion, value, configuration),
            committed);
    published = message;
    audience().forEach(voter -> out.send(voter, message));
    return true;
  }

  /** Who is told of a publication: its voters, and a leader that votes no more. */
  private List<String> audience() {
    List<String> all = new ArrayList<>(committed.and(publishedConfiguration));
    if (!all.contains(id)) {
      all.add(id);
    }
    return all;
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
    if (!cluster.isEmpty() && !cluster.equals(message.cluster())) {
      return; // not of the model: another cluster's
    }
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
    cluster = message.cluster();
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
    boolean before = isPublishQuorum(publishVotes);
    publishVotes.add(from);
    Message.Commit commit = new Message.Commit(currentTerm, publishedVersion);
    if (before) {
      out.send(from, commit); // it was late: the others have been told
    } else if (isPublishQuorum(publishVotes)) {
      audience().forEach(voter -> out.send(voter, commit));
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
    if (term > currentTerm) {
      onStartTerm(leader, term, now, out);
    }
  }

  /** Its clock stood still, and nobody knows when this voter last answered: now, at the latest. */
  public void resumed(long now) {
    lastAnswered = now;
  }

  /** Somebody lacks what was published last: it is said once more, to the letter. */
  private void onLacking(String from, Message.Lacking lacking, Output out) {
    if (won && lacking.term() == currentTerm && published != null) {
      out.send(from, published);
    }
  }

  /** Says what was published last once more to those who have not accepted it. */
  public void repeat(Output out) {
    Message.Publish last = published;
    if (last != null) {
      audience().stream()
          .filter(voter -> !publishVotes.contains(voter))
          .forEach(voter -> out.send(voter, last));
    }
  }

  /** Leads no more, and counts no votes of its term any more: as after a restart. */
  public void resign(Output out) {
    forgetTerm();
    out.deposed();
  }

  /** Asks every voter whether this leader's term still stands; not before it is in office (R10). */
  public void ask(long newBatch, Output out) {
    if (!inOffice) {
      return;
    }
    batch = newBatch;
    standing.clear();
    Message.Question question = new Message.Question(currentTerm, batch, committedVersion);
    committed.and(publishedConfiguration).forEach(voter -> out.send(voter, question));
  }

  private void onQuestion(String from, Message.Question question, long now, Output out) {
    follow(from, question.term(), now, out);
    if (question.term() < currentTerm) { // it is told that its term is over
      out.send(from, new Message.Standing(currentTerm, 0, out.minutes()));
    } else if (question.term() == currentTerm) {
      lastAnswered = now;
      out.send(from, new Message.Standing(currentTerm, question.batch(), out.minutes()));
      if (question.version() > committedVersion) {
        onCommit(from, new Message.Commit(currentTerm, question.version()), now, out);
      }
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

  private void forgetTerm() {
    given = null;
    started = false;
    won = false;
    publishedVersion = 0;
    publishedConfiguration = accepted.configuration();
    votes.clear();
    publishVotes.clear();
    forgetOffice();
  }

  private void forgetOffice() {
    published = null;
    inOffice = false;
    batch = 0;
    standing.clear();
  }

  // What others look at.

  /** What this voter has to find on disk when it begins anew. */
  public Durable durable() {
    return new Durable(cluster, currentTerm, accepted, committed, committedVersion, committedEpoch);
  }

  /** The cluster that this voter belongs to; empty: none yet. */
  public String cluster() {
    return cluster;
  }

  /** The latest term that this voter has started. */
  public long currentTerm() {
    return currentTerm;
  }

  /** The latest publication that this voter has accepted. */
  public Publication accepted() {
    return accepted;
  }

  /** The last configuration that this voter knows to be committed. */
  public Configuration committed() {
    return committed;
  }

  /** Everybody who votes, by the committed configuration or by the accepted one. */
  public List<String> voters() {
    return committed.and(accepted.configuration());
  }

  /** Whether somebody has voted for this leader in its term. */
  public boolean hasVoteOf(String voter) {
    return votes.containsKey(voter);
  }

  /** Whether somebody has accepted what this leader published last. */
  public boolean hasAccepted(String voter) {
    return publishVotes.contains(voter);
  }

  /** Whether this voter leads. */
  public boolean isLeader() {
    return won;
  }

  /** Whether it leads, and a publication of its term is committed. */
  public boolean isInOffice() {
    return inOffice;
  }

  /** Whether what this leader published last is committed, so that it can publish again. */
  public boolean isIdle() {
    return inOffice
        && publishedVersion == committedVersion
        && committed.equals(accepted.configuration());
  }

  /** Whether those who answered are enough to elect, and to commit. */
  public boolean isQuorum(Collection<String> answered) {
    return committed.isQuorum(answered) && accepted.configuration().isQuorum(answered);
  }

  /**
   * All that this voter knows, to be compared and gone back to; but for the vote that it could say
   * again: where messages may be doubled that adds nothing.
   */
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
        lastAnswered);
  }

  /** Goes back to a state that was captured. */
  public void restore(State state) {
    cluster = state.durable().cluster();
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
    given = null;
    inOffice = state.inOffice();
    batch = state.batch();
    standing.clear();
    standing.addAll(state.standing());
    lastAnswered = state.lastAnswered();
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
      long lastAnswered) {}
}
