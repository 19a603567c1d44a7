package io.baton;

import static io.baton.Members.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members with real connections and a real log, in one process. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class BatonJoinTest {
  private final Path folder;
  private final List<Baton> members = new ArrayList<>();

  BatonJoinTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() {
    members.forEach(Baton::close);
  }

  private BatonConfig.Builder config(String name) {
    return Members.config(folder, name);
  }

  private Baton join(BatonConfig config) {
    Baton baton = Baton.join(config);
    members.add(baton);
    return baton;
  }

  private List<Baton> joinAll(List<String> addresses, int voters) throws Exception {
    return joinAll(
        addresses, config -> config.voters(voters).replaceVoterAfter(Duration.ofSeconds(1)));
  }

  private List<Baton> joinAll(List<String> addresses, UnaryOperator<BatonConfig.Builder> settings)
      throws Exception {
    List<Baton> joined = Members.join(folder, addresses, settings);
    members.addAll(joined);
    return joined;
  }

  @Test
  void aClusterOfOneGrantsAndItsFencesRiseOverRestarts() throws InterruptedException {
    BatonConfig config = config("one").build();
    long first;
    try (Baton baton = Baton.join(config);
        Hold hold = baton.lock("x").acquire()) {
      first = hold.fence();
      assertThat(baton.status().members().get(0).address())
          .as("nobody can join")
          .isEqualTo("nowhere");
    }
    try (Baton baton = Baton.join(config);
        Hold hold = baton.lock("x").acquire()) {
      assertThat(hold.fence()).isGreaterThan(first);
    }
  }

  private static int votersSeenBy(Baton baton) {
    return baton.status().voters().size();
  }

  @Test
  void aClusterGrowsFromOneToThreeVotersReplacesOneThatIsGoneAndTakesBackOneWithoutAFolder()
      throws Exception {
    List<String> at = Members.freeAddresses(4);
    Duration soon = Duration.ofSeconds(1);
    Baton first = join(config("m0").bind(at.get(0)).found(true).replaceVoterAfter(soon).build());
    List<String> peers = at.subList(0, 2);
    Baton second = join(config("m1").bind(at.get(1)).peers(peers).replaceVoterAfter(soon).build());
    assertThat(votersSeenBy(first)).isOne(); // two would be no better than one
    Baton third = join(config("m2").bind(at.get(2)).peers(peers).replaceVoterAfter(soon).build());
    await("three voters", () -> votersSeenBy(first) == 3 && votersSeenBy(third) == 3);
    Baton fourth = join(config("m3").bind(at.get(3)).peers(peers).replaceVoterAfter(soon).build());
    long fence;
    try (Hold hold = fourth.lock("x").acquire()) {
      fence = hold.fence();
    }
    second.close();
    Set<String> wanted = Set.of(first.id(), third.id(), fourth.id());
    await("the fourth votes", () -> Set.copyOf(first.status().voters()).equals(wanted));
    first.close(); // the others elect another leader
    BatonConfig moved = config("m0").data(folder.resolve("anew")).bind(at.get(1)).peers(at).build();
    Baton back = join(moved);
    assertThat(back.id()).isNotEqualTo(first.id());
    try (Hold hold = back.lock("x").acquire()) {
      assertThat(hold.fence()).isGreaterThan(fence);
    }
    await(
        "the new one votes in place of the one that is gone",
        () -> third.status().voters().contains(back.id()) && votersSeenBy(third) == 3);
  }

  @Test
  void fiveVotersBearTheLossOfTwo() throws Exception {
    List<Baton> five = joinAll(Members.freeAddresses(5), 5);
    await("five voters", () -> five.stream().allMatch(baton -> votersSeenBy(baton) == 5));
    long fence;
    try (Hold hold = five.get(0).lock("x").acquire()) {
      fence = hold.fence();
    }
    five.get(0).close();
    five.get(1).close();
    for (Baton baton : five.subList(2, 5)) {
      try (Hold hold = baton.lock("x").acquire()) {
        assertThat(hold.fence()).isGreaterThan(fence);
        fence = hold.fence();
      }
    }
  }

  @Test
  void aVoterThatIsGoneIsReplacedBeforeThereAreMore() throws Exception {
    List<Baton> four = joinAll(Members.freeAddresses(4), 5); // an odd number of them votes
    await(
        "three voters", () -> four.stream().filter(baton -> votersSeenBy(baton) == 3).count() == 3);
    Baton gone =
        four.stream()
            .filter(baton -> votersSeenBy(baton) == 3 && !leads(baton))
            .findFirst()
            .orElseThrow();
    Baton other = four.stream().filter(baton -> votersSeenBy(baton) == 0).findFirst().orElseThrow();
    Baton leader = four.stream().filter(BatonJoinTest::leads).findFirst().orElseThrow();
    gone.close();
    await(
        "the fourth votes in its place",
        () -> {
          List<String> voters = leader.status().voters();
          return voters.size() == 3 && voters.contains(other.id()) && !voters.contains(gone.id());
        });
  }

  @Test
  void aVoterThatWasExchangedVotesAgainOnceItIsNeeded() throws Exception {
    List<String> at = Members.freeAddresses(4);
    List<Baton> four = joinAll(at, 3);
    await("three voters", () -> four.stream().filter(b -> votersSeenBy(b) == 3).count() == 3);
    await("a leader", () -> four.stream().anyMatch(BatonJoinTest::leads));
    Baton leader = four.stream().filter(BatonJoinTest::leads).findFirst().orElseThrow();
    Baton away =
        four.stream().filter(b -> votersSeenBy(b) == 3 && b != leader).findFirst().orElseThrow();
    Baton fourth = four.stream().filter(b -> votersSeenBy(b) == 0).findFirst().orElseThrow();
    away.close();
    await("another votes", () -> votersOf(leader).equals(idsWithout(four, away)));
    int number = four.indexOf(away);
    Baton back = join(config("m" + number).bind(at.get(number)).peers(at).build());
    assertThat(back.id()).isEqualTo(away.id());
    fourth.close();
    await("it votes again", () -> votersOf(leader).equals(idsWithout(four, fourth)));
    leader.close(); // its vote is needed
    try (Hold hold = back.lock("x").acquire()) {
      assertThat(hold.isValid()).isTrue();
    }
  }

  /** Once what was ordered before has been agreed on by all. */
  private static void order(Runnable order) {
    await(
        "the voters agree on nothing else",
        () -> {
          try {
            order.run();
            return true;
          } catch (BatonException e) {
            assertThat(e).hasMessageContaining("on something else just now: try again");
            return false;
          }
        });
  }

  @Test
  void anOperatorExchangesAVoterAndFreezesThem() throws Exception {
    List<Baton> four = joinAll(Members.freeAddresses(4), usual -> usual);
    await("three voters", () -> four.stream().filter(b -> votersSeenBy(b) == 3).count() == 3);
    await("a leader", () -> four.stream().anyMatch(BatonJoinTest::leads));
    Baton leader = four.stream().filter(BatonJoinTest::leads).findFirst().orElseThrow();
    Baton voter =
        four.stream().filter(b -> votersSeenBy(b) == 3 && b != leader).findFirst().orElseThrow();
    Baton fourth = four.stream().filter(b -> votersSeenBy(b) == 0).findFirst().orElseThrow();
    assertThatThrownBy(() -> voter.exchangeVoter(voter.id(), fourth.id()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining(voter.id() + " does not lead the voters; " + leader.id() + " leads");
    assertThatThrownBy(() -> leader.exchangeVoter(voter.id(), "nobody"))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("nobody is not a member");
    leader.exchangeVoter(voter.id(), fourth.id());
    await("the fourth votes", () -> votersOf(leader).equals(idsWithout(four, voter)));
    assertThat(leader.status().votersFrozen()).isFalse();
    order(() -> leader.freezeVoters(true));
    await("all of them know", () -> fourth.status().votersFrozen());
    fourth.close();
    assertThat(votersOf(leader)).as("it keeps its vote").contains(fourth.id());
    order(() -> leader.freezeVoters(false));
    await("it is exchanged", () -> !leader.status().votersFrozen());
  }

  private static Set<String> votersOf(Baton baton) {
    return Set.copyOf(baton.status().voters());
  }

  private static Set<String> idsWithout(List<Baton> all, Baton one) {
    return all.stream().filter(b -> b != one).map(Baton::id).collect(Collectors.toSet());
  }

  @Test
  void votersThatCouldNotWriteTheirVoteForAWhileElectALeaderAfterwards() throws Exception {
    List<Baton> three = joinAll(Members.freeAddresses(3), 3);
    await("three voters", () -> three.stream().allMatch(b -> votersSeenBy(b) == 3));
    await("a leader", () -> three.stream().anyMatch(BatonJoinTest::leads));
    Baton leader = three.stream().filter(BatonJoinTest::leads).findFirst().orElseThrow();
    List<Path> inTheWay = new ArrayList<>();
    for (Baton each : three) {
      inTheWay.add(blockWrites(folder.resolve("m" + three.indexOf(each))));
    }
    leader.close();
    Baton other = three.get(three.get(0) == leader ? 1 : 0);
    await("nobody renews its lease", () -> other.status().lease().isZero());
    assertThat(other.lock("x").tryAcquire(Duration.ofSeconds(4))).as("no leader").isEmpty();
    for (Path path : inTheWay) {
      Files.delete(path);
    }
    try (Hold hold = other.lock("x").acquire()) {
      assertThat(hold.isValid()).isTrue();
    }
  }

  private enum Order {
    LEADER_FIRST,
    VOTER_FIRST,
    BOTH_AT_ONCE,
    ALL_VOTERS_AT_ONCE
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void votersThatLeaveHaveOthersVoteInTheirPlaceBefore(Order order) throws Exception {
    joinAll(Members.freeAddresses(6), usual -> usual); // patience with voters that are away
    await(
        "three voters",
        () -> members.stream().filter(baton -> votersSeenBy(baton) == 3).count() == 3);
    List<Baton> leaving =
        new ArrayList<>(members.stream().filter(baton -> votersSeenBy(baton) == 3).toList());
    leaving.sort(Comparator.comparing(BatonJoinTest::leads).reversed());
    if (order != Order.ALL_VOTERS_AT_ONCE) {
      leaving.remove(2);
    }
    if (order == Order.VOTER_FIRST) {
      Collections.reverse(leaving);
    }
    List<CompletableFuture<Void>> left = new ArrayList<>();
    for (Baton baton : leaving) {
      left.add(CompletableFuture.runAsync(baton::close, task -> new Thread(task).start()));
      if (order == Order.LEADER_FIRST || order == Order.VOTER_FIRST) {
        left.get(0).get(60, TimeUnit.SECONDS);
      }
    }
    for (CompletableFuture<Void> each : left) {
      each.get(60, TimeUnit.SECONDS);
    }
    for (Baton baton : members) {
      if (!leaving.contains(baton)) {
        try (Hold hold = baton.lock("x").acquire()) {
          assertThat(hold.isValid()).isTrue();
        }
      }
    }
  }

  @Test
  void theOnlyVoterLeavesOnceOthersVote() throws Exception {
    List<String> at = Members.freeAddresses(4);
    Baton founder = join(config("m0").bind(at.get(0)).found(true).build());
    List<CompletableFuture<Baton>> joining = new ArrayList<>();
    for (int k = 1; k < 4; k++) {
      BatonConfig config = config("m" + k).bind(at.get(k)).peers(at).build();
      joining.add(Members.joinLater(config));
    }
    for (CompletableFuture<Baton> each : joining) {
      members.add(each.get(60, TimeUnit.SECONDS));
    }
    founder.close();
    for (CompletableFuture<Baton> each : joining) {
      try (Hold hold = each.get().lock("x").acquire()) {
        assertThat(hold.isValid()).isTrue();
      }
    }
  }

  private static boolean leads(Baton baton) {
    return baton.status().leader().equals(Optional.of(baton.id()));
  }

  @Test
  void whoHasClosedLeavesNothingRunning() throws Exception {
    BatonConfig config = config("m0").bind(Members.freeAddresses(1).get(0)).found(true).build();
    Baton baton = join(config);
    String id = baton.id();
    assertThat(threadsOf(id)).isNotEmpty();
    Thread.currentThread().interrupt(); // as a pool does that is shut down
    baton.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(baton.locksEverywhere().get(30, TimeUnit.SECONDS)).as("and still answers").isEmpty();
    await("its threads end", 20, () -> threadsOf(id).isEmpty());
    Baton again = join(config);
    assertThat(again.id()).isEqualTo(id);
  }

  private static List<String> threadsOf(String id) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(id))
        .toList();
  }

  /** From now on the file of a member cannot be written, until what this gives is deleted. */
  private static Path blockWrites(Path data) {
    Path fresh = data.resolve("member.properties.new");
    await(
        "it is not being written",
        () -> {
          try {
            Files.createDirectory(fresh);
            return true;
          } catch (IOException e) {
            return false;
          }
        });
    return fresh;
  }

  @Test
  void aMemberThatCannotWriteItsVoteHoldsUpNobody() throws Exception {
    List<String> at = Members.freeAddresses(4);
    Baton first = join(config("m0").bind(at.get(0)).found(true).build());
    Baton unable = join(config("m1").bind(at.get(1)).peers(at).build());
    blockWrites(folder.resolve("m1"));
    join(config("m2").bind(at.get(2)).peers(at).build());
    join(config("m3").bind(at.get(3)).peers(at).build());
    await("three voters", () -> votersSeenBy(first) == 3);
    assertThat(first.status().voters()).doesNotContain(unable.id());
    unable.lock("x").acquire().close();
  }

  @Test
  void aNameLeadsToAClusterAndFoundsNone() throws Exception {
    String port = Members.freeAddresses(1).get(0).replaceAll(".*:", "");
    String name = "localhost:" + port;
    BatonConfig founding =
        config("m0").bind("127.0.0.1:" + port).dns(name).joinTimeout(Duration.ofSeconds(2)).build();
    assertThatThrownBy(() -> Baton.join(founding))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("found = true at one member founds it");
    Baton founder = join(config("m0").bind("127.0.0.1:" + port).dns(name).found(true).build());
    String elsewhere = Members.freeAddresses(1).get(0);
    Baton second = join(config("m1").bind(elsewhere).dns(name).build());
    assertThat(second.status().clusterId()).isEqualTo(founder.status().clusterId());
    assertThatThrownBy(
            () ->
                Baton.join(
                    config("m2")
                        .bind(Members.freeAddresses(1).get(0))
                        .dns("no-such-name.invalid:" + port)
                        .joinTimeout(Duration.ofSeconds(2))
                        .build()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("no such name: no-such-name.invalid");
  }

  @Test
  void aNewcomerNeedsToKnowNoMoreThanOneMemberWhoeverLeads() throws Exception {
    List<Baton> three = joinAll(Members.freeAddresses(3), 3);
    for (Baton known : three) {
      String address = addressOf(known);
      Baton newcomer =
          join(
              config("by-" + known.id())
                  .bind(Members.freeAddresses(1).get(0))
                  .peers(List.of(address))
                  .build());
      assertThat(newcomer.status().clusterId()).isEqualTo(known.status().clusterId());
      newcomer.lock("x").acquire().close();
    }
  }

  private static String addressOf(Baton baton) {
    return baton.status().members().stream()
        .filter(member -> member.id().equals(baton.id()))
        .findFirst()
        .orElseThrow()
        .address();
  }

  @Test
  void ofTwoThatAreToldToFoundOneDoesAndTheOtherJoins() throws Exception {
    List<String> at = Members.freeAddresses(2);
    List<CompletableFuture<Baton>> joining = new ArrayList<>();
    for (int k = 0; k < 2; k++) {
      BatonConfig config = config("m" + k).bind(at.get(k)).dns(at.get(1 - k)).found(true).build();
      joining.add(Members.joinLater(config));
    }
    for (CompletableFuture<Baton> each : joining) {
      members.add(each.get(60, TimeUnit.SECONDS));
    }
    assertThat(members.get(0).status().clusterId()).isEqualTo(members.get(1).status().clusterId());
    Hold held = members.get(0).lock("x").acquire();
    assertThat(members.get(1).lock("x").tryAcquire(Duration.ofMillis(200))).isEmpty();
    held.close();
  }

  @Test
  void whoHasPeersNeverFoundsAClusterAloneAndSaysWhomItMisses() throws IOException {
    List<String> at = Members.freeAddresses(2);
    assertThatThrownBy(
            () ->
                Baton.join(
                    config("m0")
                        .bind(at.get(0))
                        .peers(at)
                        .joinTimeout(Duration.ofSeconds(2))
                        .build()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("could not join cluster \"baton\" within 2 s")
        .hasMessageContaining("1 of 2 expected members are ready; not " + at.get(1));
  }

  @Test
  void whoIsRefusedIsToldWhy() throws Exception {
    List<String> at = Members.freeAddresses(3);
    List<String> known = at.subList(0, 1);
    join(config("m0").bind(at.get(0)).found(true).voters(1).build());
    join(config("m1").bind(at.get(1)).peers(known).voters(1).build());
    Path copy = Files.createDirectories(folder.resolve("copy"));
    Files.copy(folder.resolve("m1/member.properties"), copy.resolve("member.properties"));
    Files.createFile(copy.resolve("lock"));
    BatonConfig.Builder guest =
        config("m2").bind(at.get(2)).peers(known).joinTimeout(Duration.ofSeconds(2));
    assertThatThrownBy(() -> Baton.join(guest.cluster("other").build()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("cluster \"baton\", not \"other\"");
    guest.cluster("baton").data(folder.resolve("m3")).lease(Duration.ofSeconds(2));
    assertThatThrownBy(() -> Baton.join(guest.build()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("the lease is 1000 ms here, not 2000 ms");
    guest.lease(Duration.ofSeconds(1)).data(copy);
    assertThatThrownBy(() -> Baton.join(guest.build()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("was copied, or restored from a backup");
  }

  @Test
  void aFounderThatLostItsFolderComesBackToTheClusterThatItFounded() throws Exception {
    List<String> at = Members.freeAddresses(3);
    Baton founder = join(config("m0").bind(at.get(0)).found(true).build());
    Baton second = join(config("m1").bind(at.get(1)).peers(at).build());
    Baton third = join(config("m2").bind(at.get(2)).peers(at).build());
    await("three voters", () -> votersSeenBy(founder) == 3 && votersSeenBy(third) == 3);
    String cluster = founder.status().clusterId();
    founder.close();
    Baton anew =
        join(config("m0").data(folder.resolve("anew")).bind(at.get(0)).found(true).build());
    assertThat(anew.status().clusterId()).isEqualTo(cluster);
    Hold held = second.lock("x").acquire();
    assertThat(anew.lock("x").tryAcquire(Duration.ofMillis(200))).isEmpty();
    held.close();
  }

  @Test
  void aVoterWithADamagedFileDoesNotJoinAndSaysWhy() throws Exception {
    List<String> at = Members.freeAddresses(3);
    List<Baton> three = joinAll(at, 3);
    await("three voters", () -> three.stream().allMatch(baton -> votersSeenBy(baton) == 3));
    three.get(1).close();
    await("it has left", () -> three.get(0).status().members().size() == 2);
    Path file = folder.resolve("m1").resolve("member.properties");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
    BatonConfig config = config("m1").bind(at.get(1)).peers(at).build();
    assertThatThrownBy(() -> Baton.join(config))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("is damaged")
        .hasMessageContaining("Delete the folder, and this member comes back as a new one");
    assertThat(three.get(0).status().members()).hasSize(2);
  }

  @Test
  void aMemberComesBackUnderANewAddressAsItself() throws Exception {
    List<String> at = Members.freeAddresses(4);
    List<Baton> three = joinAll(at.subList(0, 3), 3);
    await("three voters", () -> votersSeenBy(three.get(0)) == 3);
    String id = three.get(2).id();
    long fence;
    try (Hold hold = three.get(2).lock("x").acquire()) {
      fence = hold.fence();
    }
    three.get(2).close();
    Baton moved = join(config("m2").bind(at.get(3)).peers(at.subList(0, 2)).build());
    assertThat(moved.id()).isEqualTo(id);
    try (Hold hold = moved.lock("x").acquire()) {
      assertThat(hold.fence()).isGreaterThan(fence);
    }
    await(
        "the others know",
        () ->
            three.get(0).status().members().stream()
                .anyMatch(member -> member.id().equals(id) && member.address().equals(at.get(3))));
    assertThat(three.get(0).status().voters()).contains(id);
  }

  @Test
  void aPortInUseIsNamed() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      assertThatThrownBy(() -> Baton.join(config("m").bind(address).found(true).build()))
          .isInstanceOf(BatonException.class)
          .hasMessageContaining("Cannot listen at")
          .hasMessageContaining("a port of its own");
    }
  }

  @Test
  void aDataFolderIsInUseOnce() {
    join(config("one").build());
    for (int k = 0; k < 2; k++) { // to fail once must not free it
      assertThatThrownBy(() -> Baton.join(config("one").build()))
          .isInstanceOf(BatonException.class)
          .hasMessageContaining("is in use by another process");
    }
  }

  @Test
  void threeMembersFoundAClusterTogetherAndPassALock() throws Exception {
    List<Baton> three = joinAll(Members.freeAddresses(3), 3);
    long last = 0;
    for (int k = 0; k < 12; k++) {
      try (Hold hold = three.get(k % 3).lock("x").acquire()) {
        assertThat(hold.fence()).isGreaterThan(last);
        last = hold.fence();
      }
    }
    assertThat(three.get(0).status().members()).hasSize(3);
  }
}
