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
  private final List<Command> proposed = new ArrayList<>();
  private final List<Long> asked = new ArrayList<>();
  private final Registrar registrar = new Registrar(SETTINGS, new Noted());
  private long index;
  private long now;

  /** In office, with one member in the second view. */
  RegistrarTest() {
    apply(1, new Command.Found(Shape.STAR, List.of(new Command.Newcomer("a", "x", 1))));
    registrar.elected(TERM, now);
    apply(TERM, proposed.remove(0));
    now += 2 * SETTINGS.lease();
    registrar.tick(now);
    apply(TERM, proposed.remove(0));
    sent.clear();
  }

  private void apply(long term, Command command) {
    registrar.applied(++index, term, command, now);
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
    assertThat(proposed).isEmpty();
  }

  @Test
  void thereAreNoMoreMembersThanAViewHasRoomFor() {
    for (int k = 0; k < 2 * View.MOST_MEMBERS; k++) {
      registrar.onJoin(new Packet.Join(new Command.Newcomer("n" + k, "x", 1)), now);
      if (!proposed.isEmpty()) {
        apply(TERM, proposed.remove(0));
      }
    }
    assertThat(registrar.view().places()).hasSize(View.MOST_MEMBERS);
    registrar.onJoin(
        new Packet.Join(new Command.Newcomer("n1", "x", 2)), now + 9 * SETTINGS.lease());
    assertThat(proposed).as("one of them comes back").hasSize(1);
  }

  /** Its data folder is locked while its process lives, and nobody else can be a member. */
  @Test
  void inAClusterThatNobodyMayJoinANewLifeNeedsNoRestOfALease() {
    for (boolean alone : new boolean[] {true, false}) {
      for (boolean fromState : new boolean[] {true, false}) {
        List<Command.Newcomer> founder = List.of(new Command.Newcomer("a", "x", 1));
        Roster roster = new Roster();
        roster.apply(1, 1, new Command.Found(Shape.STAR, founder, alone));
        roster.apply(2, 1, new Command.Change(1, List.of(), List.of(), 1));
        Registrar leader = new Registrar(SETTINGS, new Noted());
        leader.applied(2, 1, roster.state(), now);
        leader.elected(TERM, now);
        if (fromState) {
          leader.applied(3, TERM, roster.state(), now);
        } else {
          leader.applied(3, TERM, new Command.Change(TERM, List.of(), List.of(), 0), now);
        }
        proposed.clear();
        sent.clear();
        leader.onJoin(new Packet.Join(new Command.Newcomer("a", "x", 2)), now);
        assertThat(proposed).as("alone: %s", alone).hasSize(alone ? 1 : 0);
        leader.onJoin(new Packet.Join(new Command.Newcomer("b", "x", 2)), now);
        assertThat(sent).hasSize(alone ? 0 : 1);
      }
    }
  }

  @Test
  void aChangeOfNothingChangesNothing() {
    apply(TERM, new Command.State(View.NONE, false, false));
    apply(
        TERM,
        new Command.Change(TERM, List.of(), List.of(new Command.Newcomer("late", "x", 1)), 0));
    assertThat(registrar.view()).isEqualTo(View.NONE);
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
    registrar.onJoin(new Packet.Join(new Command.Newcomer("b", "x", 7)), now);
    registrar.onJoin(new Packet.Join(new Command.Newcomer("b", "x", 8)), now);
    apply(TERM, proposed.remove(0));
    assertThat(registrar.view().places()).hasSize(2);
    assertThat(proposed).isEmpty();
    registrar.onJoin(new Packet.Join(new Command.Newcomer("b", "x", 8)), now);
    assertThat(sent).endsWith(new Packet.InUse("b", 8));
  }

  @Test
  void aJudgementOfAnotherTermIsVoid() {
    View before = registrar.view();
    apply(TERM, new Command.Change(TERM - 1, List.of(member()), List.of(), 0));
    assertThat(registrar.view()).isEqualTo(before);
    apply(TERM, new Command.Change(TERM, List.of(member()), List.of(), 0));
    assertThat(registrar.view().places()).isEmpty();
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

    @Override
    public void propose(Command command) {
      proposed.add(command);
    }

    @Override
    public void confirm(long term, long batch) {
      asked.add(batch);
    }
  }
}
