package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every invariant can fail, and holds of a healthy system. */
class SchemeInvariantsTest {
  private static final SchemeState ROOT = state(true, false, NIL, 0, NIL);
  private static final SchemeState SON = state(false, false, 0, NIL, NIL);

  private final Instant instant = new Instant();

  private static SchemeState state(
      boolean tokenHere, boolean asked, int father, int lender, int mandator, int... waiting) {
    List<Request> requests = new ArrayList<>();
    for (int j : waiting) {
      requests.add(new Request(j, j));
    }
    return new SchemeState(tokenHere, asked, father, lender, mandator, List.copyOf(requests), 0);
  }

  /** A hand-made instant. */
  private static final class Instant implements Snapshot {
    final List<SchemeState> states = new ArrayList<>();
    final List<Integer> inside = new ArrayList<>();
    final List<int[]> ends = new ArrayList<>();
    final List<Message> messages = new ArrayList<>();

    Instant of(SchemeState... all) {
      states.addAll(List.of(all));
      return this;
    }

    Instant enters(int node) {
      inside.add(node);
      return this;
    }

    Instant transit(int from, int to, Message message) {
      ends.add(new int[] {from, to});
      messages.add(message);
      return this;
    }

    @Override
    public int nodes() {
      return states.size();
    }

    @Override
    public boolean isUp(int node) {
      return true;
    }

    @Override
    public State state(int node) {
      return states.get(node);
    }

    @Override
    public int resources() {
      return 1;
    }

    @Override
    public boolean inside(int node, int resource) {
      return inside.contains(node);
    }

    @Override
    public void messages(Visitor visitor) {
      for (int k = 0; k < messages.size(); k++) {
        visitor.message(ends.get(k)[0], ends.get(k)[1], messages.get(k));
      }
    }
  }

  @Test
  void allHoldOfASystemAtRest() {
    instant.of(ROOT, SON, SON);
    for (Invariant invariant : SchemeInvariants.ALL) {
      assertThat(invariant.violation(instant)).as(invariant.name()).isNull();
    }
  }

  @Test
  void twoInsideBreakMutualExclusion() {
    instant.of(ROOT, SON, SON).enters(1).enters(2);
    assertThat(SchemeInvariants.MUTUAL_EXCLUSION.violation(instant))
        .isEqualTo("2 and 3 are both inside");
  }

  @Test
  void nobodyIsInsideWithoutTheToken() {
    instant.of(ROOT, SON).enters(1);
    assertThat(SchemeInvariants.INSIDE_WITH_TOKEN.violation(instant))
        .isEqualTo("2 is inside without the token");
  }

  @Test
  void tokensOnNodesAndInTransitAreCounted() {
    instant.of(ROOT, SON).transit(0, 1, new Token(NIL, 1, 0));
    assertThat(SchemeInvariants.AT_MOST_ONE_TOKEN.violation(instant)).isEqualTo("2 tokens");
    Instant none = new Instant().of(SON);
    assertThat(SchemeInvariants.AT_MOST_ONE_TOKEN.violation(none)).isNull();
    assertThat(SchemeInvariants.EXACTLY_ONE_TOKEN.violation(none)).isEqualTo("0 tokens");
  }

  @Test
  void aTokenOnItsWayToANodeThatIsNotAskedBreaksProperty1() {
    instant.of(ROOT, SON).transit(0, 1, new Token(0, 1, 0));
    assertThat(SchemeInvariants.PROPERTY_1.violation(instant))
        .isEqualTo("token(1) is on its way to 2, which is not asked");
  }

  @Test
  void twoLendersOrALenderWithAFatherBreakProperty2() {
    instant.of(ROOT, state(true, true, NIL, 1, NIL));
    assertThat(SchemeInvariants.PROPERTY_2.violation(instant))
        .isEqualTo("1 and 2 are both their own lender");
    Instant withFather = new Instant().of(SON, state(true, true, 0, 1, NIL));
    assertThat(SchemeInvariants.PROPERTY_2.violation(withFather))
        .isEqualTo("lender 2 has a father or a mandator");
  }

  @Test
  void anIdleNodeWithTokenAndFatherOrWithNeitherBreaksProperty3() {
    assertThat(
            SchemeInvariants.PROPERTY_3.violation(
                new Instant().of(state(true, false, 1, NIL, NIL))))
        .isEqualTo("1 has the token and a father");
    assertThat(
            SchemeInvariants.PROPERTY_3.violation(
                new Instant().of(state(false, false, NIL, NIL, NIL))))
        .isEqualTo("1 has neither token nor father");
  }

  @Test
  void theAbstractTreeSeesRequestsInTransitAndWaiting() {
    instant
        .of(
            state(false, true, NIL, 0, NIL, 2), // lent the token, request(3) waits here
            state(false, true, 0, NIL, 1), // asks for itself, request(2) in transit
            state(false, true, 1, NIL, 2)) // asks for itself, its request waits on 1
        .transit(1, 0, new Request(1, 1));
    assertThat(SchemeInvariants.A_TREE.violation(instant)).isNull();
  }

  @Test
  void twoRootsACycleOrTwoFathersBreakTheAbstractTree() {
    assertThat(
            SchemeInvariants.A_TREE.violation(
                new Instant().of(ROOT, state(false, true, 0, NIL, 1))))
        .isEqualTo("two roots, 1 and 2");
    SchemeState towards2 = state(false, false, 1, NIL, NIL);
    SchemeState towards3 = state(false, false, 2, NIL, NIL);
    assertThat(SchemeInvariants.A_TREE.violation(new Instant().of(ROOT, towards3, towards2)))
        .isEqualTo("2 is its own ancestor");
    assertThat(SchemeInvariants.A_TREE.violation(new Instant().of(towards2, SON)))
        .isEqualTo("no root");
    instant
        .of(ROOT, SON, state(false, true, 0, NIL, 2))
        .transit(2, 0, new Request(2, 2))
        .transit(2, 1, new Request(2, 2));
    assertThat(SchemeInvariants.A_TREE.violation(instant)).isEqualTo("3 has two fathers, 1 and 2");
  }

  @Test
  void aRequestThatWaitsOnAFreeNodeIsNoticed() {
    instant.of(state(true, false, NIL, 0, NIL, 1), SON);
    assertThat(SchemeInvariants.NOBODY_WAITS_IN_VAIN.violation(instant))
        .isEqualTo("[request(2)] wait on 1, which is not asked");
  }

  @Test
  void twoRequestsOfOneNodeAreNoticed() {
    instant.of(state(false, true, NIL, 0, NIL, 1), SON).transit(1, 0, new Request(1, 1));
    assertThat(SchemeInvariants.ONE_REQUEST_EACH.violation(instant)).isEqualTo("two requests of 2");
  }

  @Test
  void aLoanIsNoticedWhereThereShouldBeNone() {
    instant.of(ROOT, state(true, true, 0, 0, NIL));
    assertThat(SchemeInvariants.NO_LOANS.violation(instant)).isEqualTo("2 owes the token to 1");
  }

  @Test
  void aChangedTreeIsNoticedWhereItShouldStay() {
    Invariant same = SchemeInvariants.sameTree(new int[] {NIL, 0, 0});
    Invariant edges = SchemeInvariants.sameEdges(new int[] {NIL, 0, 0});
    Instant turned = new Instant().of(state(false, false, 1, NIL, NIL), ROOT, SON);
    assertThat(same.violation(turned)).isEqualTo("father1 became 2");
    assertThat(edges.violation(turned)).isNull();
    Instant other = new Instant().of(ROOT, SON, state(false, false, 1, NIL, NIL));
    assertThat(edges.violation(other)).isEqualTo("3 and 2 were no neighbours");
  }

  @Test
  void aQuiescentTreeThatIsNoOpenCubeIsNoticedAndABusyOneIsNot() {
    SchemeState sonOf3 = state(false, false, 2, NIL, NIL);
    instant.of(ROOT, SON, SON, SON);
    assertThat(SchemeInvariants.QUIESCENT_OPEN_CUBE.violation(instant))
        .isEqualTo("two sons of 1 have power 1");
    assertThat(
            SchemeInvariants.QUIESCENT_OPEN_CUBE.violation(
                new Instant().of(ROOT, SON, SON, sonOf3)))
        .isNull();
    assertThat(
            SchemeInvariants.QUIESCENT_OPEN_CUBE.violation(
                new Instant().of(ROOT, SON, SON, state(false, true, 0, NIL, 3))))
        .isNull();
  }

  @Test
  void aFatherWithoutALinkIsNoticed() {
    Invariant linked = SchemeInvariants.fathersAreLinked((a, b) -> a + b != 2);
    instant.of(ROOT, SON, SON);
    assertThat(linked.violation(instant)).isEqualTo("no link between 3 and 1");
  }

  @Test
  void aStrangerKnownAcrossTheBorderIsNoticed() {
    Invariant border =
        SchemeInvariants.onlyGatewaysKnown(new boolean[] {true, true, false, false}, 1, 2);
    SchemeState throughGateways = state(false, false, 1, NIL, NIL);
    assertThat(
            border.violation(
                new Instant().of(ROOT, SON, throughGateways, state(false, false, 2, NIL, NIL))))
        .isNull();
    assertThat(
            border.violation(
                new Instant().of(ROOT, SON, throughGateways, state(false, false, 0, NIL, NIL))))
        .isEqualTo("4 knows 1");
  }
}
