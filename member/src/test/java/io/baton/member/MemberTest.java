package io.baton.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.member.Cluster.Told;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What users of one member see, in a world where nothing goes wrong unless a test does it. */
class MemberTest {
  private static final Settings DEFAULTS = Settings.ofSecond(Cluster.SECOND);

  @ParameterizedTest
  @EnumSource(Way.class)
  void whoTakesALockAgainSendsNothing(Way way) {
    Cluster cluster = way.cluster(5);
    String lock = cluster.lockAt(1);
    for (int k = 1; k <= 5; k++) {
      cluster.release(k, lock, cluster.acquire(k, lock));
      cluster.letters.clear();
      for (int again = 0; again < 10; again++) {
        Told told = cluster.acquire(k, lock);
        assertThat(told.told).containsExactly("granted");
        cluster.release(k, lock, told);
      }
      assertThat(cluster.letters).isEmpty();
    }
  }

  @Test
  void aBorrowerIsRecalledOnceWhenSomebodyElseAsks() {
    Cluster cluster = Way.CENTRALIZED.cluster(3);
    String lock = cluster.lockAt(1);
    cluster.release(2, lock, cluster.acquire(2, lock));
    cluster.letters.clear();
    assertThat(cluster.acquire(3, lock).told).containsExactly("granted");
    assertThat(cluster.letters).filteredOn(letter -> letter.contains("Recall")).hasSize(1);
    assertThat(cluster.letters).hasSize(4); // request, recall, return, token
  }

  @Test
  void whoIsPutOutWhileItsLeaseStillRunsIsToldThatItWasEvicted() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, cluster.lockAt(2));
    Peer second = cluster.member(2).self();
    cluster.change(state -> state.changed(List.of(second), List.of(), false, 0));
    cluster.settle();
    assertThat(holder.told).containsExactly("granted", "EVICTED");
  }

  @Test
  void whoWaitsForALifeToBeginIsSeenAsOneWhoWaits() {
    Cluster cluster = Cluster.of(2);
    cluster.start("m3"); // nobody has admitted it yet
    Told first = new Told();
    Told second = new Told();
    cluster.member(3).acquire("x", first, cluster.now);
    cluster.member(3).acquire("x", second, cluster.now);
    assertThat(cluster.member(3).locks())
        .containsExactly(new LockState("x", null, List.of(first, second), List.of(), false, "", 0));
  }

  /** One that hands the lock on within itself. */
  private static final class Keeper implements Caller {
    private final List<String> told = new ArrayList<>();
    private long fence;
    private int turn;

    @Override
    public void granted(long newFence) {
      fence = newFence;
    }

    @Override
    public void lost(Loss reason) {
      told.add("" + reason);
    }

    @Override
    public void wanted() {
      told.add("wanted");
    }

    @Override
    public long last(long granted) {
      return granted + turn;
    }
  }

  @Test
  void whoHandsALockOnWithinItselfIsToldOnceThatOthersWantItAndItsNumbersAreItsOwn() {
    Cluster cluster = Cluster.of(3);
    String lock = cluster.lockAt(1);
    Keeper keeper = new Keeper();
    cluster.member(1).acquire(lock, keeper, cluster.now);
    keeper.turn = 5;
    assertThat(keeper.told).isEmpty();
    Cluster.Told second = cluster.acquire(2, lock);
    Cluster.Told third = cluster.acquire(1, lock);
    assertThat(keeper.told).containsExactly("wanted");
    cluster.member(1).release(lock, keeper, cluster.now);
    cluster.settle();
    assertThat(third.fence).isEqualTo(keeper.fence + 6);
    cluster.release(1, lock, third);
    assertThat(second.fence).isEqualTo(keeper.fence + 7);
  }

  @Test
  void aForcedReleaseNamesTheNumberThatIsInUse() {
    Cluster cluster = Cluster.of(2);
    String lock = cluster.lockAt(1);
    Keeper keeper = new Keeper();
    cluster.member(1).acquire(lock, keeper, cluster.now);
    keeper.turn = 1;
    cluster.member(2).forceRelease(lock, keeper.fence, cluster.now);
    cluster.settle();
    assertThat(keeper.told).isEmpty();
    cluster.member(2).forceRelease(lock, keeper.fence + 1, cluster.now);
    cluster.settle();
    assertThat(keeper.told).containsExactly("FORCED");
  }

  @Test
  void localCallersAreServedInTheOrderInWhichTheyCame() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, "x");
    List<Told> waiting = new ArrayList<>();
    for (int k = 0; k < 5; k++) {
      waiting.add(cluster.acquire(2, "x"));
    }
    long last = holder.fence;
    cluster.release(2, "x", holder);
    for (Told next : waiting) {
      assertThat(next.told).containsExactly("granted");
      assertThat(next.fence).isGreaterThan(last);
      last = next.fence;
      cluster.release(2, "x", next);
    }
  }

  @Test
  void anotherMemberGetsItsTurnAfterSoManyLocalCallers() {
    Cluster cluster = Cluster.of(2);
    String lock = cluster.lockAt(1);
    Told current = cluster.acquire(1, lock);
    List<Told> local = new ArrayList<>();
    for (int k = 0; k < 3 * DEFAULTS.passes(); k++) {
      local.add(cluster.acquire(1, lock));
    }
    Told other = cluster.acquire(2, lock);
    int before = 0;
    while (other.told.isEmpty()) {
      cluster.release(1, lock, current);
      current = local.get(before++);
    }
    assertThat(before - 1).isEqualTo(DEFAULTS.passes());
    cluster.release(2, lock, other);
    assertThat(local.get(before - 1).told).containsExactly("granted");
  }

  @Test
  void alsoWithoutLoansThatStayABorrowerLearnsThatOthersWait() {
    Settings plain = DEFAULTS.withoutLoansThatStay();
    Cluster cluster = new Cluster(3, plain, Rules.CENTRALIZED, Shape.STAR);
    String lock = cluster.lockAt(1);
    Told current = cluster.acquire(2, lock);
    Told other = cluster.acquire(3, lock);
    int before = 0;
    while (other.told.isEmpty() && before < 100) {
      Told next = cluster.acquire(2, lock);
      cluster.release(2, lock, current);
      current = next;
      before++;
    }
    assertThat(before).isLessThanOrEqualTo(DEFAULTS.passes() + 1);
  }

  @Test
  void whoGivesUpLeavesNoTrace() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(1, "x");
    Told impatient = cluster.acquire(2, "x");
    Told patient = cluster.acquire(3, "x");
    cluster.release(2, "x", impatient);
    cluster.release(1, "x", holder);
    assertThat(impatient.told).isEmpty();
    assertThat(patient.told).containsExactly("granted");
  }

  @Test
  void whoLeavesTellsItsHoldersAndNobodyWaitsForALease() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, "x");
    Told local = cluster.acquire(2, "x");
    Told other = cluster.acquire(3, "x");
    Told idle = cluster.acquire(2, "y");
    cluster.release(2, "y", idle);
    long before = cluster.now;
    cluster.member(2).leave(cluster.now);
    cluster.pass(1);
    assertThat(holder.told).containsExactly("granted", "CLOSED");
    assertThat(local.told).containsExactly("CLOSED");
    assertThat(other.told).containsExactly("granted");
    assertThat(cluster.acquire(3, "y").told).containsExactly("granted");
    assertThat(cluster.now - before).isLessThanOrEqualTo(1);
    assertThat(cluster.members).containsOnlyKeys("m1", "m3");
  }

  @Test
  void whoGivesUpIsAMemberWithoutHoldersUntilItLeaves() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, "x");
    Told other = cluster.acquire(3, "x");
    cluster.member(2).giveUp(cluster.now);
    cluster.settle();
    assertThat(holder.told).containsExactly("granted", "CLOSED");
    assertThat(other.told).containsExactly("granted");
    assertThat(cluster.acquire(2, "y").told).containsExactly("CLOSED");
    cluster.pass(2 * DEFAULTS.lease());
    assertThat(cluster.member(3).view().of("m2")).isNotNull();
  }

  @Test
  void aMemberThatDiesIsPutOutAndItsTokensAreMadeAnewAboveItsFences() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, "x");
    Told other = cluster.acquire(3, "x");
    cluster.members.remove("m2");
    cluster.pass(DEFAULTS.lease() / 2);
    assertThat(other.told).isEmpty();
    cluster.pass(DEFAULTS.lease());
    assertThat(other.told).containsExactly("granted");
    assertThat(other.fence).isGreaterThan(holder.fence);
  }

  @Test
  void aHolderIsNotDisturbedByAChangeOfEpoch() {
    Cluster cluster = Cluster.of(4);
    Told holder = cluster.acquire(2, "x");
    Told other = cluster.acquire(3, "x");
    cluster.member(4).leave(cluster.now);
    cluster.pass(1);
    assertThat(cluster.member(2).view().epoch()).isEqualTo(3);
    assertThat(holder.told).containsExactly("granted");
    assertThat(cluster.member(2).isHeld("x", holder, cluster.now)).isTrue();
    assertThat(other.told).isEmpty();
    cluster.release(2, "x", holder);
    assertThat(other.told).containsExactly("granted");
  }

  @Test
  void aPlainJoinDisturbsNobody() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, "x");
    cluster.start("m4");
    cluster.pass(1);
    assertThat(cluster.member(4).view().epoch()).isEqualTo(2);
    assertThat(cluster.member(2).view().places()).hasSize(4);
    Told newcomer = cluster.acquire(4, "x");
    cluster.pass(DEFAULTS.renewal());
    cluster.release(2, "x", holder);
    assertThat(newcomer.told).containsExactly("granted");
  }

  @Test
  void aForcedReleaseNamesTheFenceItEnds() {
    Cluster cluster = Cluster.of(3);
    Told holder = cluster.acquire(2, "x");
    cluster.member(1).forceRelease("x", holder.fence + 1, cluster.now);
    cluster.settle();
    assertThat(holder.told).containsExactly("granted");
    cluster.member(1).forceRelease("x", holder.fence, cluster.now);
    cluster.settle();
    assertThat(holder.told).containsExactly("granted", "FORCED");
    assertThat(cluster.forced).containsExactly("m1 false", "m1 true");
    assertThat(cluster.acquire(3, "x").told).containsExactly("granted");
  }

  @Test
  void locksThatAreLongIdleAreForgottenTogetherAndBeginAboveTheirFences() {
    Settings settings = DEFAULTS.retiring(10 * Cluster.SECOND, 50);
    Cluster cluster = new Cluster(3, settings, Rules.NAIMI_TREHEL, Shape.STAR);
    Told held = cluster.acquire(2, "held");
    long highest = 0;
    for (int k = 0; k < 100; k++) {
      Told told = cluster.acquire(2, "order-" + k);
      highest = Math.max(highest, told.fence);
      cluster.release(2, "order-" + k, told);
    }
    assertThat(cluster.member(2).lockCount()).isEqualTo(101);
    cluster.pass(15 * Cluster.SECOND);
    assertThat(cluster.member(2).lockCount()).isEqualTo(1);
    assertThat(held.told).containsExactly("granted");
    assertThat(cluster.acquire(3, "order-7").fence).isGreaterThan(highest);
  }

  @Test
  void whereTheEpochsEndNothingIsGrantedAndNoFenceComesTwice() {
    int bits = 61; // four epochs, from 0
    Settings d = DEFAULTS;
    Settings few =
        new Settings(
            d.lease(),
            d.drift(),
            d.renewal(),
            d.resend(),
            d.ackDelay(),
            d.backlog(),
            d.passes(),
            d.loansStay(),
            d.retireAfter(),
            d.retireBatch(),
            bits,
            d.reportSize());
    Cluster cluster = new Cluster(3, few, Rules.NAIMI_TREHEL, Shape.STAR);
    long last = 0;
    while (cluster.member(1).view().epoch() <= Fence.lastEpoch(bits)) {
      Told told = cluster.acquire(2, "x");
      assertThat(told.told).containsExactly("granted");
      assertThat(told.fence).isGreaterThan(last);
      last = told.fence;
      cluster.release(2, "x", told);
      cluster.change(state -> state.changed(List.of(), List.of(), true, 0));
      cluster.pass(Cluster.SECOND);
    }
    assertThat(last >>> bits).isEqualTo(3);
    assertThat(cluster.acquire(2, "x").told).isEmpty();
    assertThat(cluster.acquire(1, "y").told).isEmpty();
  }

  @Test
  void locksInUseElsewhereAreNoReasonForANewEpoch() {
    Settings few = DEFAULTS.retiring(2 * Cluster.SECOND, 5);
    Cluster cluster = new Cluster(3, few, Rules.CENTRALIZED, Shape.STAR);
    List<Told> holders = new ArrayList<>();
    for (int k = 0; k < 60; k++) {
      holders.add(cluster.acquire(2, "order-" + k));
    }
    long epoch = cluster.member(1).view().epoch();
    cluster.pass(20 * Cluster.SECOND);
    assertThat(cluster.member(1).view().epoch()).isLessThanOrEqualTo(epoch + 1);
    assertThat(holders).allMatch(holder -> holder.told.equals(List.of("granted")));
  }

  @Test
  void aTokenThatIsHereIsGrantedHoweverManyLettersWaitForOthers() {
    Settings narrow = DEFAULTS.withBacklog(1);
    Cluster cluster = new Cluster(3, narrow, Rules.NAIMI_TREHEL, Shape.STAR);
    String mine = cluster.lockAt(1);
    cluster.release(1, mine, cluster.acquire(1, mine));
    cluster.members.remove("m3");
    Told far = cluster.acquire(1, cluster.lockAt(3));
    Told near = cluster.acquire(1, mine);
    assertThat(far.told).isEmpty();
    assertThat(near.told).containsExactly("granted");
  }

  @Test
  void whoJoinsWhileAForcedReleaseIsOpenIsAskedToo() {
    List<String> asked = new ArrayList<>();
    List<String> answers = new ArrayList<>();
    Cluster cluster = Cluster.of(2);
    Locks.Host host =
        new Locks.Host() {
          @Override
          public long now() {
            return 0;
          }

          @Override
          public boolean hasLease() {
            return true;
          }

          @Override
          public boolean hasRoom() {
            return true;
          }

          @Override
          public void send(int position, Letter.Body body) {
            asked.add(position + " " + body);
          }

          @Override
          public void sendToAll(Letter.Body body) {
            asked.add("all " + body);
          }

          @Override
          public void handedOver(String lock) {}

          @Override
          public void wantNewEpoch() {
            answers.add("new epoch");
          }
        };
    Forces forces =
        new Forces(
            new Locks(DEFAULTS, Rules.NAIMI_TREHEL, host), host, cluster.outside("m1", answers));
    View two = cluster.member(1).view();
    List<View.Place> places = new ArrayList<>(two.places());
    places.add(new View.Place(new Peer("m3", 99), "a", 1));
    View three = new View(99, two.epoch(), 2, two.shape(), places);
    forces.begin(two, 0);
    forces.force(new Letter.Force("x", 7), two, 0);
    forces.extend(three, 0);
    assertThat(asked).containsExactly("1 Force[lock=x, fence=7]", "2 Force[lock=x, fence=7]");
    forces.onForced(1, new Letter.Forced("x", 7, false));
    assertThat(answers).isEmpty();
    forces.onForced(2, new Letter.Forced("x", 7, true));
    assertThat(answers).containsExactly("true");
  }

  @Test
  void aChangeOfEpochCostsTwoLettersForEachOtherMember() {
    for (int size : new int[] {3, 8, 16}) {
      List<Letter.Body> sent = new ArrayList<>();
      View view = new View(9, 2, size, Shape.STAR, List.of());
      List<Settling> all = new ArrayList<>();
      for (int k = 0; k < size; k++) {
        all.add(new Settling(view, k, 48 << 10, (to, body) -> sent.add(body)));
      }
      for (int k = 1; k < size; k++) {
        all.get(k).report(List.of(new Letter.Survivor("lock" + k, k, 7)));
      }
      all.get(0).report(List.of());
      for (int k = 1; k < size; k++) {
        Letter.Body report = sent.get(k - 1);
        all.get(0).reported(k, (Letter.Report) report);
      }
      assertThat(sent).hasSize(2 * (size - 1));
    }
  }
}
