package io.baton.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one voter says and writes. */
class VoterTest {
  private record Named(String name, long epoch) implements Value {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final Configuration ABC = Configuration.of("a", "b", "c");
  private static final String CLUSTER = "one";

  /** A cluster in which something has been agreed on. */
  private static final Durable FOUNDED =
      new Durable(CLUSTER, 0, new Publication(0, 1, new Named("s0", 1), ABC), ABC, 1, 1);

  private final List<String> said = new ArrayList<>();
  private final List<Message> sent = new ArrayList<>();
  private long granted;
  private final Output out =
      new Output() {
        @Override
        public void store(Durable state) {
          said.add("store " + state.currentTerm() + ": " + state.accepted());
        }

        @Override
        public void note(Durable state) {
          said.add("note " + state.committedVersion());
        }

        @Override
        public void send(String to, Message message) {
          said.add(to + " " + message.getClass().getSimpleName());
          sent.add(message);
        }

        @Override
        public void elected(long term, long until) {
          said.add("leads " + term);
          granted = until;
        }

        @Override
        public void deposed() {
          said.add("leads no more");
        }

        @Override
        public void committed(Publication publication) {
          said.add("committed " + publication.value());
        }

        @Override
        public void confirmed(long term, long batch) {
          said.add("confirmed " + batch);
        }

        @Override
        public long minutes() {
          return 77;
        }

        @Override
        public void contradicted(String from, Publication publication) {
          said.add("contradicted by " + publication);
        }
      };

  private Voter leader() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.receive("a", new Message.StartTerm(1), 0, out);
    a.receive("a", vote("a", 1, 0), 0, out);
    a.receive("b", vote("a", 1, 0), 0, out);
    return a;
  }

  private static Message.Vote vote(String candidate, long term, long ago) {
    return new Message.Vote(CLUSTER, candidate, term, 0, 1, ago);
  }

  private static Message.Publish publish(long term, long version, String name, long epoch) {
    return new Message.Publish(
        CLUSTER, new Publication(term, version, new Named(name, epoch), ABC), ABC);
  }

  @Test
  void aVoterVotesOnceInATermAndWritesThatBeforeItSaysSo() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.receive("b", new Message.StartTerm(1), 0, out);
    a.receive("c", new Message.StartTerm(1), 0, out);
    assertThat(said).containsExactly("store 1: 0.1 s0 of a+b+c", "b Vote");
    Voter again = new Voter("a", a.durable(), 0);
    again.receive("c", new Message.StartTerm(1), 0, out);
    assertThat(said).hasSize(2);
  }

  @Test
  void aVoteThatGotLostIsSaidOnceMoreToTheLetterButNotAfterARestart() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.receive("b", new Message.StartTerm(1), 5, out);
    a.receive("b", new Message.StartTerm(1), 9, out);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(1)).isEqualTo(sent.get(0));
    new Voter("a", a.durable(), 0).receive("b", new Message.StartTerm(1), 0, out);
    assertThat(sent).hasSize(2);
  }

  @Test
  void whoAsksForAVoteInATermThatIsOverIsToldSo() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.receive("b", new Message.StartTerm(7), 0, out);
    sent.clear();
    a.receive("c", new Message.StartTerm(6), 0, out);
    assertThat(sent).containsExactly(new Message.Standing(7, 0, 77));
  }

  @Test
  void whoseClockStoodStillHasPerhapsAnsweredUntilJustNow() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.resumed(90);
    a.receive("b", new Message.StartTerm(1), 100, out);
    assertThat(sent).containsExactly(vote("b", 1, 10));
  }

  @Test
  void whoIsElectedPublishesWhatItFoundOnceMore() {
    leader();
    assertThat(said)
        .containsExactly(
            "store 1: 0.1 s0 of a+b+c", "a Vote", "leads 1", "a Publish", "b Publish", "c Publish");
  }

  @Test
  void aTermIsConfirmedOnlyOnceAPublicationOfItIsCommitted() {
    Voter a = leader();
    a.receive("a", publish(1, 2, "s0", 1), 0, out);
    a.receive("a", new Message.Accepted(1, 2), 0, out);
    said.clear();
    a.ask(1, out);
    assertThat(said).isEmpty();
    a.receive("b", new Message.Accepted(1, 2), 0, out);
    a.receive("a", new Message.Commit(1, 2), 0, out);
    a.ask(1, out);
    a.receive("b", new Message.Standing(1, 1, 0), 0, out);
    assertThat(said).doesNotContain("confirmed 1");
    a.receive("c", new Message.Standing(1, 1, 0), 0, out);
    assertThat(said).endsWith("confirmed 1");
  }

  @Test
  void aVoterIsFoundedOnceAndStandsForElectionNoSooner() {
    Voter a = new Voter("a", Durable.NONE, 0);
    a.campaign(1, out);
    assertThat(said).isEmpty();
    a.found(CLUSTER, new Named("s0", 1), ABC, out);
    a.found("two", new Named("s1", 1), Configuration.of("a"), out);
    a.campaign(1, out);
    assertThat(said)
        .containsExactly("store 0: 0.0 s0 of a+b+c", "a StartTerm", "b StartTerm", "c StartTerm");
    assertThat(a.cluster()).isEqualTo(CLUSTER);
  }

  @Test
  void theFirstLeaderNeedsTheVotesOfAllWhoHaveWrittenTheFounding() {
    Voter a = new Voter("a", Durable.founding(CLUSTER, new Named("s0", 1), ABC), 0);
    a.receive("a", new Message.StartTerm(1), 0, out);
    a.receive("a", new Message.Vote(CLUSTER, "a", 1, 0, 0, 0), 0, out);
    a.receive("b", new Message.Vote(CLUSTER, "a", 1, 0, 0, 0), 0, out);
    a.receive("c", new Message.Vote("", "a", 1, 0, 0, 0), 0, out);
    a.receive("c", new Message.Vote("two", "a", 1, 0, 0, 0), 0, out);
    assertThat(a.isLeader()).isFalse();
    a.receive("c", new Message.Vote(CLUSTER, "a", 1, 0, 0, 0), 0, out);
    assertThat(a.isLeader()).isTrue();
  }

  @Test
  void aNewcomerVotesOnlyOnceItWasInvitedAndCountedOn() {
    Voter a = leader();
    Configuration withD = Configuration.of("a", "d");
    a.receive("a", publish(1, 2, "s0", 1), 0, out);
    assertThat(a.publish(new Named("s1", 1), withD, out)).as("d has not voted").isFalse();
    said.clear();
    a.invite("d", out);
    assertThat(said).containsExactly("d StartTerm");
    a.receive("d", vote("a", 1, 0), 0, out);
    assertThat(a.publish(new Named("s1", 1), withD, out)).isTrue();
    assertThat(said)
        .containsExactly("d StartTerm", "a Publish", "b Publish", "c Publish", "d Publish");
  }

  @Test
  void whatCannotFollowACommittedStateIsRefusedLoudly() {
    Voter b = new Voter("b", FOUNDED, 0);
    b.receive("a", publish(1, 2, "s1", 7), 0, out);
    b.receive("a", new Message.Commit(1, 2), 0, out);
    said.clear();
    b.receive("c", publish(2, 2, "old", 7), 0, out);
    b.receive("c", publish(2, 3, "older", 6), 0, out);
    assertThat(said)
        .containsExactly(
            "store 2: 1.2 s1 of a+b+c",
            "c Vote",
            "contradicted by 2.2 old of a+b+c",
            "contradicted by 2.3 older of a+b+c");
  }

  @Test
  void aVoteTellsHowLongAgoItsVoterAnsweredALeader() {
    Voter b = new Voter("b", FOUNDED, 100);
    b.receive("a", new Message.StartTerm(1), 150, out);
    b.receive("a", new Message.Question(1, 1, 0), 170, out);
    b.receive("c", new Message.StartTerm(2), 200, out);
    assertThat(sent).endsWith(vote("c", 2, 30));
  }

  @Test
  void aVoterThatWasRestartedAnsweredNoEarlierThanThat() {
    Voter b = new Voter("b", FOUNDED, 100);
    b.receive("c", new Message.StartTerm(1), 150, out);
    assertThat(sent).endsWith(vote("c", 1, 50));
  }

  @Test
  void aLeaderThatVotesNoMoreHearsThatWhatItPublishedIsCommitted() {
    Voter a = leader();
    a.receive("a", publish(1, 2, "s0", 1), 0, out);
    a.receive("a", new Message.Accepted(1, 2), 0, out);
    a.receive("b", new Message.Accepted(1, 2), 0, out);
    a.receive("a", new Message.Commit(1, 2), 0, out);
    a.receive("c", vote("a", 1, 0), 0, out);
    Configuration others = Configuration.of("b", "c");
    a.publish(new Named("s1", 1), others, out);
    a.receive("a", (Message.Publish) sent.get(sent.size() - 1), 0, out);
    said.clear();
    a.receive("b", new Message.Accepted(1, 3), 0, out);
    assertThat(said).isEmpty();
    a.receive("c", new Message.Accepted(1, 3), 0, out);
    assertThat(said).contains("a Commit");
  }

  @Test
  void aLeaderKnowsUntilWhenThoseWhoElectedItMayHaveConfirmedAnother() {
    Voter a = new Voter("a", FOUNDED, 100);
    a.receive("a", new Message.StartTerm(1), 1_000, out);
    a.receive("a", vote("a", 1, 900), 1_000, out);
    a.receive("b", vote("a", 1, 40), 1_010, out);
    assertThat(granted).isEqualTo(970);
  }
}
