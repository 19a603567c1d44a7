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
  private static final Durable FOUNDED = Durable.founding(new Named("s0", 1), ABC);

  private final List<String> said = new ArrayList<>();
  private final List<Message> sent = new ArrayList<>();
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
        public void elected(long term) {
          said.add("leads " + term);
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
        public void contradicted(String from, Publication publication) {
          said.add("contradicted by " + publication);
        }
      };

  private Voter leader() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.receive("a", new Message.StartTerm(1), 0, out);
    a.receive("a", new Message.Vote("a", 1, 0, 0, 0), 0, out);
    a.receive("b", new Message.Vote("a", 1, 0, 0, 0), 0, out);
    return a;
  }

  private static Message.Publish publish(long term, long version, String name, long epoch) {
    return new Message.Publish(new Publication(term, version, new Named(name, epoch), ABC), ABC);
  }

  @Test
  void aVoterVotesOnceInATermAndWritesThatBeforeItSaysSo() {
    Voter a = new Voter("a", FOUNDED, 0);
    a.receive("b", new Message.StartTerm(1), 0, out);
    a.receive("c", new Message.StartTerm(1), 0, out);
    assertThat(said).containsExactly("store 1: 0.0 s0 of a+b+c", "b Vote");
    Voter again = new Voter("a", a.durable(), 0);
    again.receive("c", new Message.StartTerm(1), 0, out);
    assertThat(said).hasSize(2);
  }

  @Test
  void whoIsElectedPublishesWhatItFoundOnceMore() {
    leader();
    assertThat(said)
        .containsExactly(
            "store 1: 0.0 s0 of a+b+c", "a Vote", "leads 1", "a Publish", "b Publish", "c Publish");
  }

  @Test
  void aTermIsConfirmedOnlyOnceAPublicationOfItIsCommitted() {
    Voter a = leader();
    a.receive("a", publish(1, 1, "s0", 1), 0, out);
    a.receive("a", new Message.Accepted(1, 1), 0, out);
    said.clear();
    a.ask(1, out);
    assertThat(said).isEmpty();
    a.receive("b", new Message.Accepted(1, 1), 0, out);
    a.receive("a", new Message.Commit(1, 1), 0, out);
    a.ask(1, out);
    a.receive("b", new Message.Standing(1, 1), 0, out);
    assertThat(said).doesNotContain("confirmed 1");
    a.receive("c", new Message.Standing(1, 1), 0, out);
    assertThat(said).endsWith("confirmed 1");
  }

  @Test
  void aVoterIsFoundedOnceAndStandsForElectionNoSooner() {
    Voter a = new Voter("a", Durable.NONE, 0);
    a.campaign(out);
    assertThat(said).isEmpty();
    a.found(new Named("s0", 1), ABC, out);
    a.found(new Named("s1", 1), Configuration.of("a"), out);
    a.campaign(out);
    assertThat(said)
        .containsExactly("store 0: 0.0 s0 of a+b+c", "a StartTerm", "b StartTerm", "c StartTerm");
  }

  @Test
  void aNewcomerVotesOnlyOnceItWasInvitedAndCountedOn() {
    Voter a = leader();
    Configuration withD = Configuration.of("a", "d");
    a.receive("a", publish(1, 1, "s0", 1), 0, out);
    assertThat(a.publish(new Named("s1", 1), withD, out)).as("d has not voted").isFalse();
    said.clear();
    a.invite("d", out);
    assertThat(said).containsExactly("d StartTerm");
    a.receive("d", new Message.Vote("a", 1, 0, 0, 0), 0, out);
    assertThat(a.publish(new Named("s1", 1), withD, out)).isTrue();
    assertThat(said)
        .containsExactly("d StartTerm", "a Publish", "b Publish", "c Publish", "d Publish");
  }

  @Test
  void whatCannotFollowACommittedStateIsRefusedLoudly() {
    Voter b = new Voter("b", FOUNDED, 0);
    b.receive("a", publish(1, 1, "s1", 7), 0, out);
    b.receive("a", new Message.Commit(1, 1), 0, out);
    said.clear();
    b.receive("c", publish(2, 1, "old", 7), 0, out);
    b.receive("c", publish(2, 2, "older", 6), 0, out);
    assertThat(said)
        .containsExactly(
            "store 2: 1.1 s1 of a+b+c",
            "c Vote",
            "contradicted by 2.1 old of a+b+c",
            "contradicted by 2.2 older of a+b+c");
  }

  @Test
  void aVoteTellsHowLongAgoItsVoterAnsweredALeader() {
    Voter b = new Voter("b", FOUNDED, 100);
    b.receive("a", new Message.StartTerm(1), 150, out);
    b.receive("a", new Message.Question(1, 1), 170, out);
    b.receive("c", new Message.StartTerm(2), 200, out);
    assertThat(sent).endsWith(new Message.Vote("c", 2, 0, 0, 30));
  }

  @Test
  void aLeaderKnowsUntilWhenThoseWhoElectedItMayHaveConfirmedAnother() {
    Voter a = new Voter("a", FOUNDED, 100);
    a.receive("a", new Message.StartTerm(1), 1_000, out);
    a.receive("a", new Message.Vote("a", 1, 0, 0, 900), 1_000, out);
    a.receive("b", new Message.Vote("a", 1, 0, 0, 40), 1_010, out);
    assertThat(a.answeredUntil()).isEqualTo(970);
  }
}
