package io.baton.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A leader's part in the membership, step by step. */
class RegistrarTest {
  private static final Settings SETTINGS = Settings.ofSecond(1_000);
  private static final long TERM = 3;

  private final List<Packet> sent = new ArrayList<>();
  private final List<ClusterState> published = new ArrayList<>();
  private final List<Long> asked = new ArrayList<>();
  private final List<Peer> ahead = new ArrayList<>();
  private final Registrar registrar = new Registrar(SETTINGS, new Noted(), new Voters());
  private ClusterState state =
      ClusterState.founded(Shape.STAR, List.of(new Newcomer("a", "x", 1)), false);
  private long now;

  /** In office, with one member in the second view. */
  RegistrarTest() {
    registrar.elected(TERM, now);
    registrar.committed(TERM, state, now);
    now += 2 * SETTINGS.lease();
    registrar.tick(now);
    commit();
    sent.clear();
  }

  /** What was published is agreed on. */
  private void commit() {
    state = published.remove(0);
    registrar.committed(TERM, state, now);
  }

  private Peer member() {
    return registrar.view().at(0);
  }

  @Test
  void whoLagsGetsTheViewAndItsLease() {
    registrar.onRenewal(new Packet.Renewal(member(), 5, 1), now);
    registrar.confirmed(TERM, asked.get(0), now);
    assertThat(sent)
        .containsExactly(new Packet.Agreed(registrar.view()), new Packet.Renewed(member(), 5));
  }

  @Test
  void whoIsOutAlreadyAndLeavesIsToldSo() {
    registrar.onLeave(new Packet.Leave(new Peer("former", 1)), now);
    assertThat(sent).containsExactly(new Packet.Agreed(registrar.view()));
    assertThat(published).isEmpty();
  }

  @Test
  void thereAreNoMoreMembersThanAViewHasRoomFor() {
    for (int k = 0; k < 2 * View.MOST_MEMBERS; k++) {
      registrar.onJoin(new Packet.Join(new Newcomer("n" + k, "x", 1)), now);
      if (!published.isEmpty()) {
        commit();
      }
    }
    assertThat(registrar.view().places()).hasSize(View.MOST_MEMBERS);
    registrar.onJoin(new Packet.Join(new Newcomer("n1", "x", 2)), now + 9 * SETTINGS.lease());
    assertThat(published).as("one of them comes back").hasSize(1);
  }

  /** Its data folder is locked while its process lives, and nobody else can be a member. */
  @Test
  void inAClusterThatNobodyMayJoinANewLifeNeedsNoRestOfALease() {
    for (boolean alone : new boolean[] {true, false}) {
      Registrar leader = new Registrar(SETTINGS, new Noted(), new Voters());
      leader.elected(TERM, now);
      List<Newcomer> founder = List.of(new Newcomer("a", "x", 1));
      ClusterState open =
          ClusterState.founded(Shape.STAR, founder, alone).changed(List.of(), List.of(), true, 0);
      leader.committed(TERM, open, now);
      published.clear();
      sent.clear();
      leader.onJoin(new Packet.Join(new Newcomer("a", "x", 2)), now);
      assertThat(published).as("alone: %s", alone).hasSize(alone ? 1 : 0);
      leader.onJoin(new Packet.Join(new Newcomer("b", "x", 2)), now);
      assertThat(sent).hasSize(alone ? 0 : 1);
    }
  }

  @Test
  void whoProvesThatItsFormerProcessHasEndedNeedsNoRestOfALease() {
    long former = 1; // its run
    registrar.onJoin(new Packet.Join(new Newcomer("a", "x", 9, former + 1)), now);
    assertThat(sent).as("of an earlier one nothing is known").contains(new Packet.InUse("a", 9));
    registrar.onJoin(new Packet.Join(new Newcomer("a", "x", former, 0)), now);
    assertThat(published).as("one that is late").isEmpty();
    registrar.onJoin(new Packet.Join(new Newcomer("a", "x", 9, former)), now);
    commit();
    assertThat(registrar.view().places())
        .containsExactly(new View.Place(new Peer("a", registrar.view().number()), "x", 9));
  }

  @Test
  void epochsFollowTheVotersClockUnlessThatIsFarAhead() {
    ClusterState founded =
        ClusterState.founded(Shape.STAR, List.of(new Newcomer("a", "x", 1)), false, 900_000);
    assertThat(founded.epoch()).isEqualTo(900_000 + 24 * 60);
    ClusterState next = founded.changed(List.of(), List.of(), true, 900_001);
    assertThat(next.epoch()).as("the day is not over").isEqualTo(founded.epoch() + 1);
    assertThat(next.changed(List.of(), List.of(), true, 990_000).epoch()).isEqualTo(990_000);
    assertThat(next.changed(List.of(), List.of(), true, 1L << 26).epoch())
        .isEqualTo(next.epoch() + 1);
    assertThat(next.changed(List.of(), List.of(new Newcomer("b", "x", 1)), false, 990_000).epoch())
        .as("nothing but the view changes")
        .isEqualTo(next.epoch());
  }

  @Test
  void whoLeadsNoMorePublishesNothingAndJudgesNobody() {
    registrar.committed(TERM + 1, state, now);
    registrar.onLeave(new Packet.Leave(member()), now);
    registrar.tick(now + 9 * SETTINGS.lease());
    assertThat(published).isEmpty();
  }

  @Test
  void whatGotLostIsPublishedOnceMore() {
    registrar.onLeave(new Packet.Leave(member()), now);
    ClusterState lost = published.remove(0);
    registrar.tick(now + SETTINGS.renewal() - 1);
    assertThat(published).isEmpty();
    registrar.tick(now + SETTINGS.renewal());
    assertThat(published).containsExactly(lost);
  }

  @Test
  void withoutAMajorityRenewalsDoNotPileUp() {
    for (long k = 0; k < 15; k++) {
      registrar.onRenewal(new Packet.Renewal(member(), k, registrar.view().number()), now);
      now += SETTINGS.renewal() / 4;
      registrar.tick(now);
    }
    assertThat(sent).noneMatch(packet -> packet instanceof Packet.Renewed);
    registrar.confirmed(TERM, asked.get(asked.size() - 1), now);
    assertThat(sent.stream().filter(packet -> packet instanceof Packet.Renewed)).hasSize(1);
  }

  @Test
  void aConfirmationOfAnEarlierQuestionCountsForWhatItWasAskedFor() {
    registrar.onRenewal(new Packet.Renewal(member(), 5, registrar.view().number()), now);
    now += 2 * SETTINGS.renewal();
    registrar.tick(now); // asks again
    assertThat(asked).hasSize(2);
    registrar.confirmed(TERM, asked.get(0), now);
    assertThat(sent).containsExactly(new Packet.Renewed(member(), 5));
  }

  @Test
  void aSecondStartOfANewcomerIsNotProposedAgainAndAgain() {
    registrar.onJoin(new Packet.Join(new Newcomer("b", "x", 7)), now);
    registrar.onJoin(new Packet.Join(new Newcomer("b", "x", 8)), now);
    commit();
    assertThat(registrar.view().places()).hasSize(2);
    assertThat(published).isEmpty();
    registrar.onJoin(new Packet.Join(new Newcomer("b", "x", 8)), now);
    assertThat(sent).endsWith(new Packet.InUse("b", 8));
  }

  /** Members with another lease do not talk to each other; one of before may hold something. */
  @Test
  void nobodyIsJudgedByAShorterLeaseThanTheOneAgreedOnBefore() {
    long former = 10 * SETTINGS.lease();
    Registrar leader = new Registrar(SETTINGS, new Noted(), new Voters());
    leader.elected(TERM + 1, now);
    ClusterState agreed = state.withLease(former);
    leader.committed(TERM + 1, agreed, now);
    now += 2 * SETTINGS.lease();
    leader.tick(now);
    assertThat(published).as("its lease by the shorter one is over").isEmpty();
    now += former;
    leader.tick(now);
    assertThat(published).hasSize(1);
    assertThat(published.get(0).view().places()).isEmpty();
    assertThat(published.get(0).lease()).as("from now on").isEqualTo(SETTINGS.lease());
  }

  @Test
  void aLongerLeaseIsAgreedOnAtOnce() {
    Registrar leader = new Registrar(SETTINGS, new Noted(), new Voters());
    leader.elected(TERM + 1, now);
    leader.committed(TERM + 1, state.withLease(1), now);
    assertThat(published).hasSize(1);
    assertThat(published.get(0)).isEqualTo(state.withLease(SETTINGS.lease()));
  }

  @Test
  void whoKnowsMoreThanAllVotersIsGivenNoLeaseAndThatIsSaid() {
    registrar.onRenewal(new Packet.Renewal(member(), 5, registrar.view().number() + 1), now);
    registrar.confirmed(TERM, asked.get(0), now);
    assertThat(sent).isEmpty();
    assertThat(ahead).containsExactly(member());
  }

  @Test
  void whoseClockStoodStillCountsLeasesFromNowOn() {
    registrar.onRenewal(new Packet.Renewal(member(), 5, registrar.view().number()), now);
    registrar.confirmed(TERM, asked.get(0), now);
    now += 3 * SETTINGS.lease(); // in one step, as its clock is set forward
    registrar.resumed(now);
    registrar.tick(now);
    assertThat(published).isEmpty();
    now += 2 * SETTINGS.lease();
    registrar.tick(now);
    assertThat(published).hasSize(1);
  }

  private final class Noted implements Output {
    @Override
    public void send(String id, Packet packet) {
      sent.add(packet);
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      throw new IllegalStateException("no force here");
    }

    @Override
    public void inUse() {
      throw new IllegalStateException("not told here");
    }

    @Override
    public void left() {
      throw new IllegalStateException("nobody leaves");
    }
  }

  private final class Voters implements Register {
    @Override
    public void ahead(Peer member, long view) {
      ahead.add(member);
    }

    @Override
    public void publish(ClusterState next) {
      published.add(next);
    }

    @Override
    public void confirm(long term, long batch) {
      asked.add(batch);
    }
  }
}
