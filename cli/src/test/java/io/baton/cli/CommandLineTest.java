package io.baton.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.baton.simulator.system.Catalogue;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
  private static final String GOLDEN = "../traces/general-scheme-figures-2-3.trace";

  private static Run sim(String... more) {
    return withMore(List.of("sim", "--algorithm", "naimi-trehel", "--nodes", "8"), more);
  }

  private static Run withMore(List<String> first, String... more) {
    List<String> args = new ArrayList<>(first);
    args.addAll(List.of(more));
    return Run.of(args.toArray(new String[0]));
  }

  @Test
  void simDrainsAndCountsEveryRequest() {
    Run run =
        sim(
            "--workload",
            "closed",
            "--think",
            "exp:20",
            "--hold",
            "const:0.5",
            "--delay",
            "uniform:0.5..1.5",
            "--critical-sections",
            "321",
            "--seed",
            "7",
            "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    Map<String, Object> json = run.json();
    assertThat(json)
        .containsEntry("algorithm", "naimi-trehel")
        .containsEntry("nodes", 8)
        .containsEntry("seed", 7)
        .containsEntry("workload", "closed")
        .containsEntry("criticalSections", 321)
        .containsEntry("violations", 0)
        .containsEntry("stuck", 0)
        .containsKeys("messages", "messagesPerCs", "waitingTime", "synchronisationDelay")
        .containsKeys("jainIndex", "longestBypass", "loadPerNode", "messagesByKind", "checked");
    assertThat(run.text("messagesPerCs")).contains("mean", "max", "p50", "p99");
  }

  @Test
  void theSameSeedGivesTheSameBytes() {
    assertThat(sim("--json", "--seed", "5").out()).isEqualTo(sim("--json", "--seed", "5").out());
    assertThat(sim("--json", "--seed", "5").out()).isNotEqualTo(sim("--json", "--seed", "6").out());
  }

  @Test
  void severalSeedsGiveConfidenceIntervals() {
    Run run = sim("--runs", "5", "--critical-sections", "100", "--json");
    assertThat(run.json()).containsEntry("criticalSections", 500).containsEntry("runs", 5);
    assertThat((Map<?, ?>) run.json().get("confidence95")).hasSize(4);
    assertThat(sim("--runs", "5").out()).contains(" ± ");
  }

  @Test
  void freshEachGivesTheCostOfEveryNode() {
    Run run =
        Run.of(
            "sim", "--algorithm", "raymond", "--nodes", "7", "--workload", "fresh-each", "--json");
    assertThat(run.json())
        .containsEntry("perNode", List.of(0, 2, 2, 4, 4, 4, 4))
        .containsEntry("sum", 20)
        .containsEntry("max", 4)
        .containsEntry("criticalSections", 7)
        .containsEntry("messages", 20)
        .containsEntry("violations", 0)
        .containsEntry("stuck", 0);
    assertThat(run.text("mean")).isEqualTo("2.857143");
  }

  @ParameterizedTest
  @ValueSource(strings = {"open", "hotspot"})
  void openWorkloadsRunToo(String workload) {
    Run run = sim("--workload", workload, "--rate", "0.2", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json()).containsEntry("criticalSections", 1000).containsEntry("stuck", 0);
  }

  @Test
  void aScriptIsAWorkload(@TempDir Path folder) throws IOException {
    Path script = folder.resolve("script");
    Files.writeString(script, "# two users\nenter 8\n@2.5 enter 3\n");
    Run run = sim("--workload", script.toString(), "--json");
    assertThat(run.json()).containsEntry("criticalSections", 2).containsEntry("workload", "script");
  }

  @Test
  void theShortCutRuleRunsOverAGraphAndCountsHops() {
    Run run =
        Run.of(
            "sim",
            "--algorithm",
            "general",
            "--rule",
            "short-cut",
            "--graph",
            "grid",
            "--nodes",
            "16",
            "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.number("physicalHops")).isGreaterThanOrEqualTo(run.number("messages"));
  }

  @Test
  void aRecordedRunIsReplayed(@TempDir Path folder) {
    Path trace = folder.resolve("run.trace");
    Run recorded =
        Run.of(
            "sim",
            "--algorithm",
            "general",
            "--nodes",
            "5",
            "--policy",
            "any",
            "--critical-sections",
            "50",
            "--trace",
            trace.toString());
    assertThat(recorded.exitCode()).isZero();
    Run replayed = Run.of("replay", trace.toString());
    assertThat(replayed.exitCode()).isZero();
    assertThat(replayed.out()).contains("all invariants hold, all as the trace says");
  }

  @Test
  void checkExploresEverything() {
    Run run =
        Run.of("check", "--algorithm", "general", "--nodes", "3", "--requests", "2", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .containsEntry("algorithm", "general")
        .containsEntry("nodes", 3)
        .containsEntry("requests", 2)
        .containsEntry("states", 14962)
        .containsEntry("complete", true)
        .containsEntry("violations", 0)
        .doesNotContainKey("trace");
    Run trees =
        Run.of("check", "--algorithm", "raymond", "--nodes", "4", "--tree", "all", "--json");
    assertThat(trees.json()).containsEntry("trees", 16).containsEntry("complete", true);
    Run limited =
        Run.of("check", "--algorithm", "general", "--nodes", "5", "--max-states", "500", "--json");
    assertThat(limited.json()).containsEntry("complete", false).containsEntry("violations", 0);
    assertThat(limited.exitCode()).isEqualTo(3);
  }

  @Test
  void fuzzFindsNothingInAHealthySystem() {
    Run run = Run.of("fuzz", "--algorithm", "general", "--seeds", "1..50", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .containsEntry("algorithm", "general")
        .containsEntry("seeds", 50)
        .containsEntry("failures", 0)
        .doesNotContainKey("firstFailure");
  }

  @Test
  void wholeMembersAreFuzzedInPlaceOfAnAlgorithm() {
    Run run = Run.of("fuzz", "--members", "3..5", "--seeds", "1..40", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .containsEntry("members", "3..5")
        .containsEntry("seeds", 40)
        .containsEntry("failures", 0)
        .containsKeys("grants", "losses", "longestWaitSeconds", "seedsPerSecond");
    assertThat(Run.of("fuzz", "--members", "3", "--seeds", "7").out())
        .contains("3 members: 1 seed, 0 failures", "seeds per second");
  }

  @Test
  void rulesComparesTheRulesOfMembers() {
    Run run = Run.of("rules", "--members", "3,4");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines()).hasSize(2 + 2 * 4);
    assertThat(Run.of("rules", "--members", "3", "--json").json().toString())
        .contains("naimi-trehel", "lettersPerGrantRare", "recoverySeconds");
  }

  @Test
  void benchReportsTheMemoryOfLocks() {
    Run run = Run.of("bench", "--locks", "20000", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json()).containsEntry("locks", 20000).containsKey("bytesPerLock");
  }

  @Test
  void aFailureExitsWith1AndIsReplayedByTheCommandItShows(@TempDir Path folder) {
    Path trace = folder.resolve("failure.trace");
    Run run =
        Run.of(
            "fuzz",
            "--algorithm",
            "raymond",
            "--seeds",
            "1..20",
            "--faults",
            "loss=0.1",
            "--trace",
            trace.toString(),
            "--json");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.text("firstFailure", "replay")).isEqualTo("baton replay " + trace);
    Run replayed = Run.of("replay", trace.toString());
    assertThat(replayed.exitCode()).isEqualTo(1);
    assertThat(replayed.out()).contains("never granted").contains("as the trace says it does");
    String[] rerun = run.text("firstFailure", "rerun").split(" ", -1);
    Run again =
        withMore(List.of(rerun).subList(1, rerun.length), "--trace", trace.toString(), "--json");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.json()).containsEntry("failures", 1);
  }

  @Test
  void aViolationInASimulatedRunExitsWith1() {
    Run run = sim("--faults", "loss=0.2", "--json");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.json()).containsEntry("violations", 1);
    assertThat(run.number("stuck")).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"loss=0.05", "duplicate=0.05"})
  void aRecordedRunThatBreaksAPromiseIsReplayedAsSuch(String faults, @TempDir Path folder) {
    for (int seed = 1; seed <= 6; seed++) {
      Path trace = folder.resolve("broken.trace");
      Run recorded =
          Run.of(
              "sim",
              "--algorithm",
              "general",
              "--nodes",
              "6",
              "--policy",
              "any",
              "--critical-sections",
              "60",
              "--faults",
              faults,
              "--seed",
              String.valueOf(seed),
              "--trace",
              trace.toString());
      Run replayed = Run.of("replay", trace.toString());
      assertThat(replayed.exitCode()).isEqualTo(recorded.exitCode());
      assertThat(replayed.out()).contains(recorded.exitCode() == 1 ? "as the trace says" : "hold");
    }
  }

  @Test
  void aTraceThatCannotBeWrittenIsNoticedBeforeTheWork() {
    Run run =
        Run.of(
            "fuzz",
            "--algorithm",
            "raymond",
            "--seeds",
            "1..20",
            "--faults",
            "loss=0.1",
            "--trace",
            "/nowhere/at/all.trace");
    assertThat(run.exitCode()).isEqualTo(2); // noticed before the work
    assertThat(run.err()).isEqualTo("baton: Cannot write /nowhere/at/all.trace: no such folder\n");
  }

  @Test
  void replayPlaysTheWorkedExample() {
    Run run = Run.of("replay", GOLDEN, "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json()).containsEntry("agrees", true).containsEntry("violations", 0);
    assertThat(Run.of("replay", GOLDEN).out()).contains("6 -> 8  token(3)        8 enters");
  }

  @Test
  void replayWritesTheGoldenPartOfAScript(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("mine.trace");
    Files.writeString(file, "# mine\nalgorithm raymond\ntree 2>1 3>2\nenter 3\n");
    assertThat(Run.of("replay", "--write", file.toString()).exitCode()).isZero();
    assertThat(Files.readString(file)).contains("----\nenter 3");
    assertThat(Run.of("replay", file.toString()).out()).contains("all as the trace says");
  }

  @Test
  void algorithmsAreListedOneLineEach() {
    int count = Catalogue.entries().size();
    assertThat(Run.of("algorithms").out().lines())
        .hasSize(count)
        .anyMatch(line -> line.startsWith("raymond "));
    assertThat((List<?>) Run.of("algorithms", "--json").json().get("algorithms")).hasSize(count);
  }

  @Test
  void compareShowsAllAlgorithmsAndBreaksNothing() {
    Run run = Run.of("compare");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("light load", "heavy load", "naimi-trehel-annex", "messages/CS");
    assertThat(Run.of("compare", "--json").json()).containsEntry("violations", 0);
  }

  @Test
  void everyAlgorithmStandsBesideEveryOther() {
    Run run = Run.of("sim", "--algorithm", "all", "--nodes", "6", "--critical-sections", "60");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("bytes/CS");
    for (Catalogue.Entry entry : Catalogue.entries()) {
      assertThat(run.out().lines().anyMatch(line -> line.startsWith(entry.name() + " ")))
          .isEqualTo(!entry.flawed());
    }
    assertThat(Run.of("sim", "--algorithm", "all", "--nodes", "4", "--json").json())
        .containsEntry("violations", 0);
    assertThat(Run.of("sim", "--algorithm", "all", "--runs", "2").exitCode()).isEqualTo(2);
  }

  @Test
  void whereNodesAreToldOfCrashesTheExplorerHasNone() {
    Run run = Run.of("check", "--algorithm", "network", "--crashes", "1");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("network crashes in sim and fuzz only: leave --crashes out");
  }

  @Test
  void theControlPartOfTheNetworkGrowsWithTheNodes() {
    assertThat(largest(24)).isGreaterThan(2 * largest(6));
  }

  private static int largest(int nodes) {
    Run run = Run.of("sim", "--algorithm", "network", "--nodes", "" + nodes, "--json");
    return Integer.parseInt(String.valueOf(run.json().get("largestMessage")));
  }

  @Test
  void aGraphFromAFileCarriesANetwork(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("square.txt"), "1 2\n2 3\n3 4\n4 1\n");
    Run run = Run.of("sim", "--algorithm", "network", "--nodes", "4", "--graph", file.toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("4 channels", "3 to 5 requests and 1 to 3 hops, or none");
  }

  @Test
  void aFailureCostsSoManyMessages() {
    Run run = Run.of("failures", "--nodes", "16", "--loads", "1,4", "--failures", "40", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("\"algorithm\" : \"open-cube-ft\"", "messagesPerFailure");
    assertThat(Run.of("failures", "--nodes", "8", "--loads", "1", "--failures", "10").out())
        .contains("open-cube-literal, N", "open-cube-ft, N", "load 1");
  }

  @Test
  void messagesThatTakeLongerThanDeltaMakeTwoTokens() {
    Run run = Run.of("late", "--nodes", "8", "--runs", "5", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).containsPattern("\"delay\" : \"1\",\\s+\"runs\" : 5,\\s+\"unsafe\" : 0");
    assertThat(run.out()).containsPattern("\"delay\" : \"5\",\\s+\"runs\" : 5,\\s+\"unsafe\" : 5");
    assertThat(Run.of("late", "--nodes", "4", "--runs", "1").out()).contains("two tokens", "5 δ");
  }

  @Test
  void checkCrashesNodesAndBringsThemBack() {
    Run run =
        Run.of(
            "check --algorithm open-cube-ft --nodes 2 --crashes 1 --recoveries 1".split(" ", -1));
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("1 crash, 1 recovery", "complete               yes");
    Run literal =
        Run.of(
            "check --algorithm open-cube-literal --nodes 2 --crashes 1 --recoveries 1"
                .split(" ", -1));
    assertThat(literal.exitCode()).isEqualTo(1);
    assertThat(literal.out()).contains("at most one token", "recover 1");
  }

  @Test
  void growthStandsBesideTheLogarithm() {
    Run run = Run.of("growth", "--from", "3", "--to", "5", "--json");
    assertThat(run.exitCode()).isZero();
    assertThat((List<?>) run.json().get("rows")).hasSize(2 * 3 * 4);
    assertThat(Run.of("growth", "--to", "3").out()).contains("light load", "saturated", "2^3");
  }

  @Test
  void benchReportsSpeedAndSize() {
    Run run =
        Run.of(
            "bench",
            "--algorithm",
            "naimi-trehel",
            "--nodes",
            "1000",
            "--critical-sections",
            "2000",
            "--json");
    assertThat(run.exitCode()).isZero();
    assertThat(run.json()).containsKeys("messagesPerSecond", "eventsPerSecond", "maxHeapMiB");
  }

  @Test
  void statusShowsMembersVotersAndLocks() throws IOException {
    String status =
        """
        {"cluster": "c", "member": "a", "leader": "a", "leaseMillis": 1, "voters": ["a", "z"],
         "members": [{"id": "a", "address": "127.0.0.1:1", "incarnation": 1}],
         "locks": [{"name": "invoice", "fence": 7, "holder": {"member": "a"}, "waiters": []}]}
        """;
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/status",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream body = exchange.getResponseBody()) {
            body.write(status.getBytes(UTF_8));
          }
        });
    server.start();
    try {
      Run run = Run.of("status", "--http", "" + server.getAddress().getPort());
      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .containsPattern("a +127.0.0.1:1 +1 +leads")
          .containsPattern("z +votes, and is no member now")
          .containsPattern("invoice +a +7 +0");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void helpAndCompletionAreThere() {
    for (String command :
        List.of(
            "demo",
            "node",
            "status",
            "compare",
            "sim",
            "run",
            "check",
            "fuzz",
            "replay",
            "algorithms",
            "growth",
            "failures",
            "late",
            "bench")) {
      Run help = Run.of(command, "--help");
      assertThat(help.exitCode()).isZero();
      assertThat(help.out()).contains("Usage: baton " + command);
      assertThat(Run.of().out()).contains(command);
    }
    assertThat(Run.of("generate-completion").out()).contains("complete").contains("--algorithm");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sim --algorithm chaos | There is no algorithm \"chaos\": take one of general,",
        "sim | Missing required option: '--algorithm=NAME'",
        "fuzz --members 0..3 | --members 0..3 cannot be: take 1 to 64",
        "fuzz --members 3 --algorithm raymond | --members takes the place of --algorithm",
        "fuzz --members 3 --faults loss | --members takes the place of --algorithm",
        "fuzz --members x | --members x is no range",
        "rules --members 1 | --members 1 cannot be: take 2 to 128",
        "fuzz --algorithm raymond --faults cut | raymond knows no channels or nodes that come",
        "sim --algorithm raymond --nodes 0 | A system of 0 nodes cannot be: take 1 to",
        "sim --algorithm raymond --nodes two | Invalid value for option '--nodes'",
        "sim --algorithm raymond --tree elm | \"elm\" is neither a tree nor a file: take star,",
        "sim --algorithm raymond --rule any | raymond has its own rule, raymond",
        "sim --algorithm general --rule x | There is no rule \"x\": take proxy,",
        "sim --algorithm general --policy x | There is no policy \"x\": take fifo,",
        "sim --algorithm general --graph x | \"x\" is neither a graph nor a file: take ring,",
        "sim --algorithm general --delay 5 | \"5\" is no distribution: write const:0.5,",
        "sim --algorithm general --workload x | \"x\" is neither a workload nor a file",
        "sim --algorithm general --channel x | There is no channel \"x\": take overtaking or fifo",
        "sim --algorithm general --faults x | There is no fault \"x\": take none,",
        "sim --algorithm general --faults loss=2 | \"loss=2\" is no fault: take none,",
        "sim --algorithm general --runs 0 | 0 runs cannot be: take 1 or more",
        "sim --algorithm general --rate 0 --workload open | A rate of 0.0 cannot be",
        "sim --algorithm general --critical-sections -1 | -1 critical sections cannot be",
        "sim --algorithm general --check x | There is no --check x: take every, off or auto",
        "sim --algorithm general --workload hotspot --hot-nodes 0 | 0 hot nodes cannot be",
        "sim --algorithm general --delay const:1e90000000 | is no distribution",
        "sim --algorithm general --workload open --think exp:5 | --think goes with closed",
        "sim --algorithm general --rate 5 | --rate goes with open and hotspot",
        "sim --algorithm general --hot-nodes 5 | --hot-nodes goes with hotspot",
        "sim --algorithm general --workload hotspot --hot-nodes 99 | 99 hot nodes cannot be",
        "sim --algorithm raymond --workload fresh-each --critical-sections 3 | goes with the other",
        "sim --algorithm open-cube --tree line | The tree is no open cube",
        "sim --algorithm open-cube --tree cube:99 | write a root from 1 to 16 after the colon",
        "sim --algorithm general --graph complete --nodes 100000 | is too large: take at most",
        "fuzz --algorithm general --rule proxies:9 --nodes 2..9 | \"9\" in the rule is no node",
        "fuzz --algorithm general --seeds 9223372036854775807 | is no range",
        "check --algorithm general --max-states -5 | -5 states cannot be",
        "replay ../traces | it is no file",
        "growth --to 99 | is no range: take powers from 0 to 20",
        "growth --algorithms ring7 | There is no algorithm",
        "failures --nodes 1 | One node alone cannot fail and be missed",
        "failures --loads 0 | are numbers from 1 on",
        "late --runs 0 | 0 runs cannot be",
        "check --algorithm open-cube-ft --crashes -1 | Crashes and recoveries are 0 or more",
        "check --algorithm raymond --recoveries 1 | cannot bring a node back",
        "fuzz --algorithm open-cube-ft --faults crash,every=x | is no fault",
        "check --algorithm general --requests 0 | 0 requests cannot be: take 1 or more",
        "check --algorithm general --tree all --nodes 9 | too many: take at most",
        "fuzz --algorithm general --seeds 9..1 | is no range: write 7 or 1..1000",
        "fuzz --algorithm general --nodes 0..4 | A system of 0 nodes cannot be",
        "replay nowhere.trace | Cannot read the trace nowhere.trace: no such file",
        "juggle | Unmatched argument",
      })
  void badInputGetsOneLineAndExitCode2(String line, String message) {
    Run run = Run.of(line.strip().split(" ", -1));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).startsWith("baton: ").contains(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--tree   | 1>2>1         | sim --algorithm general --nodes 2 | The tree has a cycle",
        "--graph  | 1 2;3 4       | sim --algorithm general --nodes 4 | The graph is not connected",
        "--graph  | 1 2;2 z       | sim --algorithm general --nodes 3 | \"2 z\" is no link",
        "''       | algorithm gen | replay                            | must name an algorithm",
        "--workload | @-5 enter 1 | sim --algorithm general           | is no time",
      })
  void badFilesGetOneLineToo(
      String option, String content, String line, String message, @TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("file");
    Files.writeString(file, content.replace(';', '\n') + "\n");
    List<String> args = new ArrayList<>(List.of(line.split(" ", -1)));
    if (!option.isEmpty()) {
      args.add(option);
    }
    args.add(file.toString());
    Run run = Run.of(args.toArray(new String[0]));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).contains(message);
  }

  @Test
  void ordersAboutVotersNeedAMemberToGiveThemTo() {
    for (String[] order :
        List.of(
            new String[] {"voters", "show", "--http", "1"},
            new String[] {"voters", "exchange", "a", "b", "--http", "1"},
            new String[] {"voters", "freeze", "--http", "1"},
            new String[] {"voters", "thaw", "--http", "1"})) {
      Run run = Run.of(order);
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).contains("no member tells its status at port 1");
    }
    assertThat(Run.of("voters", "exchange", "a").exitCode()).isEqualTo(2);
  }

  @Test
  void aFolderThatIsNoneCannotBeAccepted(@TempDir Path folder) {
    Run refused = Run.of("voters", "accept", "--data", folder.toString());
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("Cannot accept").contains("There is no member.properties");
    assertThat(Run.of("voters", "accept").exitCode()).isEqualTo(2);
    assertThat(Run.of("voters").out()).contains("accept");
  }
}
