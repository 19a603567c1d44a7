package io.baton.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Nodes that agree, in a world where messages and writes take no time. */
class AgreementTest {
  private static final Pace PACE = new Pace(100, 250, 500, 2_000);
  private static final Configuration ABC = Configuration.of("a", "b", "c");

  private record Named(String name, long epoch) implements Value {}

  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Set<String> cut = new LinkedHashSet<>(); // who hears nobody
  private Predicate<Message> lost = message -> false; // on their way to others
  private final ArrayDeque<Runnable> todo = new ArrayDeque<>();
  private long now;

  private final class Node implements Agreement.Effects {
    private final String id;
    private final Agreement agreement;
    private final List<String> agreed = new ArrayList<>();
    private boolean released;
    private boolean hangs; // its disk
    private Durable disk;

    Node(String id, Durable found) {
      this.id = id;
      this.disk = found;
      this.agreement = new Agreement(id, found, PACE, 3, id.hashCode(), this, now);
    }

    @Override
    public void store(Durable state, long ticket) {
      if (!hangs) {
        disk = state;
        todo.add(() -> agreement.stored(ticket, now));
      }
    }

    @Override
    public void send(String to, Message message) {
      todo.add(
          () -> {
            Node other = nodes.get(to);
            boolean through = !cut.contains(id) && !cut.contains(to) && !lost.test(message);
            if (other != null && through) {
              other.agreement.receive(id, message, now);
            }
          });
    }

    @Override
    public void elected(long term, long until) {
      assertThat(agreement.isLeader()).isTrue();
    }

    @Override
    public void deposed() {
      assertThat(agreement.isLeader()).isFalse();
    }

    @Override
    public void committed(long term, Value value) {
      agreed.add(((Named) value).name());
    }

    @Override
    public void confirmed(long term, long batch) {
      throw new IllegalStateException("nobody asks");
    }

    @Override
    public void contradicted(String from, Publication publication) {
      throw new IllegalStateException("nobody forgets: " + publication);
    }

    @Override
    public void released() {
      released = true;
    }

    @Override
    public long minutes() {
      return 0;
    }
  }

  private Node node(String id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  private Node start(String id) {
    return start(id, Durable.NONE);
  }

  private Node start(String id, Durable found) {
    Node node = new Node(id, found);
    nodes.put(id, node);
    return node;
  }

  private void found(String id, String cluster, Configuration voters) {
    node(id).agreement.found(cluster, new Named(cluster, 1), voters, now);
  }

  /** Time passes; everybody who is there is a member, and heard of. */
  private void pass(long time) {
    for (long end = now + time; now < end; now += 10) {
      for (Node each : List.copyOf(nodes.values())) {
        each.agreement.members(nodes.keySet());
        for (String other : nodes.keySet()) {
          if (!cut.contains(other) && !cut.contains(each.id)) {
            each.agreement.heard(other, now);
          }
        }
        each.agreement.tick(now);
      }
      while (!todo.isEmpty()) {
        todo.remove().run();
      }
    }
  }

  private List<String> leaders() {
    return nodes.values().stream()
        .filter(each -> each.agreement.isLeader())
        .map(each -> each.id)
        .toList();
  }

  private Node leader() {
    assertThat(leaders()).hasSize(1);
    return node(leaders().get(0));
  }

  private void foundThree() {
    start("a");
    start("b");
    start("c");
    found("a", "one", ABC);
    pass(2_000);
  }

  @Test
  void aClusterBeginsOnceAllItsVotersHaveWrittenThat() {
    start("a");
    start("b");
    found("a", "one", ABC);
    pass(5_000);
    assertThat(leaders()).as("c has not").isEmpty();
    Durable written = node("a").disk;
    start("a", written); // restarted in the middle
    start("c");
    pass(2_000);
    assertThat(leader().agreed).containsExactly("one");
    assertThat(nodes.values()).allMatch(each -> each.agreement.cluster().equals("one"));
  }

  @Test
  void whoFoundsAClusterNeedNotVoteInIt() {
    List.of("a", "b", "c", "d").forEach(this::start);
    found("d", "one", ABC);
    pass(100);
    nodes.remove("d");
    pass(2_000);
    assertThat(leader().agreed).containsExactly("one");
  }

  @Test
  void twoFoundingsWithVotersInCommonDoNotMakeTwoClusters() {
    for (String id : List.of("a", "b", "c", "d")) {
      start(id);
    }
    cut.addAll(List.of("c", "d"));
    found("a", "one", ABC);
    pass(1_000);
    cut.removeAll(List.of("c", "d"));
    cut.addAll(List.of("a", "b"));
    found("d", "two", Configuration.of("b", "c", "d"));
    pass(1_000);
    cut.clear();
    pass(5_000);
    assertThat(node("b").agreement.cluster()).isEqualTo("one");
    assertThat(node("c").agreement.cluster()).isEqualTo("two");
    assertThat(leaders()).isEmpty();
  }

  @Test
  void aLeaderThatHearsNobodyLeadsNoMoreAndAnotherDoes() {
    foundThree();
    Node former = leader();
    cut.add(former.id);
    pass(3_000);
    assertThat(leader()).isNotSameAs(former);
    String second = leader().id;
    cut.clear();
    pass(3_000);
    assertThat(leader().id).as("who comes back deposes nobody").isEqualTo(second);
  }

  @Test
  void whoIsAwayForLongIsExchangedForOneWhoIsThere() {
    foundThree();
    String gone = leader().id.equals("c") ? "b" : "c";
    nodes.remove(gone);
    start("d");
    pass(1_000);
    assertThat(leader().agreement.voters()).isEqualTo(ABC);
    pass(4_000);
    assertThat(leader().agreement.voters().voters()).contains("d").doesNotContain(gone).hasSize(3);
  }

  @Test
  void anOperatorExchangesAVoterAtOnce() {
    foundThree();
    start("d");
    pass(300);
    Node leader = leader();
    String gone = leader.id.equals("c") ? "b" : "c";
    assertThat(leader.agreement.exchange(gone, "d", now)).isNull();
    pass(300);
    assertThat(leader.agreement.voters()).isEqualTo(ABC.exchanged(gone, "d"));
  }

  @Test
  void anExchangeThatMakesNoSenseIsRefusedInWords() {
    foundThree();
    start("d");
    pass(300);
    Node leader = leader();
    String follower = leader.id.equals("c") ? "b" : "c";
    assertThat(node(follower).agreement.exchange("a", "d", now)).contains("does not lead");
    assertThat(leader.agreement.exchange("x", "d", now)).contains("x does not vote: a, b, c do");
    assertThat(leader.agreement.exchange("a", "b", now)).contains("b votes already");
    assertThat(leader.agreement.exchange("a", "y", now)).contains("y is not a member");
    cut.add("d");
    pass(1_000);
    assertThat(leader.agreement.exchange("a", "d", now)).contains("d does not answer");
    assertThat(leader.agreement.voters()).isEqualTo(ABC);
  }

  @Test
  void votersThatAreFrozenAreExchangedByAnOperatorAlone() {
    foundThree();
    start("d");
    pass(300);
    Node leader = leader();
    assertThat(leader.agreement.freeze(true, now)).isNull();
    pass(300);
    String gone = leader.id.equals("c") ? "b" : "c";
    nodes.remove(gone);
    pass(5_000);
    assertThat(leader().agreement.voters()).isEqualTo(ABC.freeze(true));
    assertThat(leader().agreement.exchange(gone, "d", now)).isNull();
    pass(300);
    assertThat(leader().agreement.voters()).isEqualTo(ABC.exchanged(gone, "d").freeze(true));
    assertThat(leader().agreement.freeze(false, now)).isNull();
    pass(300);
    assertThat(leader().agreement.voters().frozen()).isFalse();
  }

  @Test
  void aLeaderThatLeavesHasAnotherVoteAndLeadInItsPlace() {
    foundThree();
    start("d");
    pass(1_000);
    Node leaving = leader();
    leaving.agreement.leave(now, 60_000);
    pass(2_000);
    assertThat(leaving.released).isTrue();
    assertThat(leader()).isNotSameAs(leaving);
    assertThat(leader().agreement.voters().voters()).contains("d").doesNotContain(leaving.id);
  }

  @Test
  void theOnlyVotersOfATrioAreLetGoThoughNobodyCanVoteInTheirPlace() {
    foundThree();
    Node leaving = leader();
    leaving.agreement.leave(now, 60_000);
    pass(2_000);
    assertThat(leaving.released).isTrue();
    assertThat(leader()).isNotSameAs(leaving);
    assertThat(leader().agreement.voters()).as("it may come back").isEqualTo(ABC);
  }

  @Test
  void threeVotersAreReplacedByThreeOthersOneByOneWithoutAGhostAmongThem() {
    foundThree();
    for (int k = 0; k < 3; k++) {
      start(List.of("d", "e", "f").get(k));
      pass(1_000);
      Node old = node(List.of("a", "b", "c").get(k));
      old.agreement.leave(now, 60_000);
      pass(2_000);
      assertThat(old.released).isTrue();
      nodes.remove(old.id);
    }
    pass(2_000);
    assertThat(leader().agreement.voters()).isEqualTo(Configuration.of("d", "e", "f"));
    nodes.remove(leader().id.equals("d") ? "e" : "d");
    pass(2_000);
    assertThat(leader().agreement.isLeader()).as("one more may fail").isTrue();
  }

  @Test
  void votersThatAllLeaveAtOnceHaveOthersVoteInTheirPlaceBefore() {
    foundThree();
    List.of("d", "e", "f").forEach(this::start);
    pass(1_000);
    for (String id : List.of("a", "b", "c")) {
      node(id).agreement.leave(now, 2_000);
    }
    while (!nodes.isEmpty() && nodes.size() > 3) {
      pass(10);
      nodes.values().removeIf(each -> each.released);
    }
    pass(2_000);
    assertThat(leader().agreement.voters()).isEqualTo(Configuration.of("d", "e", "f"));
  }

  @Test
  void twoThatLeaveAtOnceDoNotHandOverToEachOther() {
    foundThree();
    nodes.remove(leader().id.equals("c") ? "b" : "c");
    long before = leader().agreement.term();
    List<Node> both = List.copyOf(nodes.values());
    both.forEach(each -> each.agreement.leave(now, 2_000));
    for (int k = 0; k < 300; k++) {
      pass(10);
      nodes.values().removeIf(each -> each.released);
    }
    assertThat(both).allMatch(each -> each.released);
    assertThat(both).allMatch(each -> each.agreement.term() <= before + 2);
  }

  @Test
  void whoVotesAloneLeadsAtOnceAfterARestart() {
    start("a");
    found("a", "one", Configuration.of("a"));
    pass(1_000);
    start("a", node("a").disk);
    pass(20);
    assertThat(leaders()).containsExactly("a");
  }

  @Test
  void aStateThatWasPublishedIsAgreedOnEvenIfItsLeaderDies() {
    foundThree();
    Node first = leader();
    first.agreement.publish(new Named("next", 2), now);
    nodes.remove(first.id); // what it said is under way
    while (nodes.values().stream().allMatch(each -> each.disk.accepted().version() < 2)) {
      todo.remove().run();
    }
    pass(5_000);
    assertThat(leader().agreed).endsWith("next");
  }

  @Test
  void aLeaderWhoseDiskHangsLetsAnotherLead() {
    foundThree();
    Node first = leader();
    first.hangs = true;
    first.agreement.publish(new Named("next", 2), now);
    pass(2_000);
    assertThat(leader()).isNotSameAs(first);
    assertThat(leader().agreed).endsWith("next");
    leader().agreement.publish(new Named("after", 3), now);
    pass(100);
    assertThat(leader().agreed).endsWith("after");
  }

  @Test
  void aVoterWhoseDiskHangsDoesNotStandForElection() {
    foundThree();
    Node leader = leader();
    leader.agreement.publish(new Named("next", 2), now);
    nodes.values().stream().filter(each -> each != leader).forEach(each -> each.hangs = true);
    pass(200);
    nodes.remove(leader.id);
    pass(5_000);
    assertThat(leaders()).isEmpty();
  }

  @Test
  void aVoterWhoseDiskHangsIsExchangedThoughItIsHeardOf() {
    foundThree();
    start("d");
    pass(100);
    Node leader = leader();
    Node unable = node(leader.id.equals("c") ? "b" : "c");
    unable.hangs = true;
    leader.agreement.publish(new Named("next", 2), now);
    pass(4_000);
    assertThat(leader().agreement.voters().voters()).contains("d").doesNotContain(unable.id);
  }

  @Test
  void whoCannotWriteItsVoteHoldsUpNobodyElse() {
    start("a");
    found("a", "one", Configuration.of("a"));
    pass(1_000);
    start("b").hangs = true;
    start("c");
    start("d");
    pass(2_000);
    assertThat(leader().agreement.voters()).isEqualTo(Configuration.of("a", "c", "d"));
  }

  @Test
  void whoBelongsToAClusterIsFoundedIntoNoOther() {
    foundThree();
    Node other = start("d");
    other.agreement.adopt("one", now);
    pass(100);
    assertThat(other.disk.cluster()).isEqualTo("one");
    other.agreement.found("two", new Named("two", 1), Configuration.of("d"), now);
    other.agreement.adopt("two", now);
    pass(1_000);
    assertThat(other.agreement.cluster()).isEqualTo("one");
    assertThat(other.agreement.isLeader()).isFalse();
    nodes.remove(leader().id.equals("b") ? "c" : "b");
    pass(5_000);
    assertThat(leader().agreement.voters().voters()).as("it can vote in its own").contains("d");
  }

  @Test
  void aNewcomerWhoseVoteGotLostIsAskedAgainAndVotes() {
    start("a");
    found("a", "one", Configuration.of("a"));
    pass(1_000);
    start("b");
    start("c");
    lost = message -> message instanceof Message.Vote;
    pass(1_000);
    assertThat(leader().agreement.voters()).isEqualTo(Configuration.of("a"));
    lost = message -> false;
    pass(1_000);
    assertThat(leader().agreement.voters()).isEqualTo(ABC);
  }

  @Test
  void aNewcomerThatIsInALaterTermVotesInTheEnd() {
    foundThree();
    String gone = leader().id.equals("c") ? "b" : "c";
    nodes.remove(gone);
    Publication known = new Publication(0, 1, new Named("one", 1), ABC);
    start("d", new Durable("one", 40, known, ABC, 1, 1)); // it voted once
    pass(8_000);
    assertThat(leader().agreement.voters().voters()).contains("d").doesNotContain(gone);
  }

  @Test
  void aClusterThatIsFoundedIsNotDisturbedByWordsOfAnotherFounding() {
    Node stranger = start("s");
    stranger.agreement.receive("x", new Message.Founded(""), now);
    stranger.agreement.receive("x", new Message.Founded("one"), now);
    pass(1_000);
    assertThat(leaders()).isEmpty();
  }
}
