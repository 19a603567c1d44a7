package io.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunCommandTest {
  private static Run call(String line) {
    return Run.of(line.strip().split(" +", -1));
  }

  @AfterEach
  void noProcessOutlivesItsRun() {
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--algorithm naimi-trehel --nodes 5 --tree line",
        "--algorithm raymond --nodes 5",
        "--algorithm open-cube-ft --nodes 4",
        "--algorithm ring --nodes 4 --acks",
        "--algorithm network --nodes 5 --graph tree", // where paths are many, time decides
        "--algorithm network --nodes 4 --graph complete"
      })
  void aRequestCostsWhatItCostsInTheSimulator(String system) {
    Run run = call("run --workload fresh-each --json " + system);
    Run sim = call("sim --workload fresh-each --json " + system);
    assertThat(run.exitCode()).isZero();
    assertThat(run.json().get("perNode")).isEqualTo(sim.json().get("perNode"));
    assertThat(run.json().keySet()).isEqualTo(sim.json().keySet());
  }

  @Test
  void severalResourcesAndAScriptAreServedAndMeasuredAsInTheSimulator(@TempDir Path folder)
      throws IOException {
    Path script = folder.resolve("script");
    Files.writeString(script, "enter 1\nenter 2\nenter 2\n@5 enter 3\n");
    String options = "--algorithm ring --nodes 3 --resources 2 --json --workload " + script;
    Run run = call("run " + options);
    assertThat(run.exitCode()).isZero();
    assertThat(run.json())
        .containsEntry("criticalSections", 4)
        .containsEntry("messages", 12)
        .containsEntry("stuck", 0)
        .containsEntry("unit", "ms")
        .containsKeys("realTime", "delta")
        .containsKeys(
            call("sim " + options).json().keySet().stream()
                .filter(key -> !key.equals("virtualTime"))
                .toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--algorithm open-cube-ft --nodes 4 --delta 200 --kill 1@100 --restart 1@400",
        "--algorithm network --nodes 5 --graph complete --kill 1@100 --restart 1@200 --kill 2@300",
        "--algorithm ring --nodes 4 --kill 2@100"
      })
  void theOthersGoOnAfterSigkillWhereTheAlgorithmSaysSo(String system) {
    Run run = call("run --think exp:10 --critical-sections 200 --json " + system);
    assertThat(run.json()).containsEntry("violations", 0).containsEntry("stuck", 0);
    assertThat(run.number("criticalSections")).isBetween(198, 200);
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void whereAnAlgorithmPromisesNothingAfterSigkillTheRunEndsAndSaysSo() {
    Run run = call("run --algorithm centralized --nodes 3 --think exp:5 --kill 1@50");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .containsPattern("killed +1@50")
        .contains("centralized promises nothing once the process of a node is killed")
        .contains("violations             0");
  }

  @Test
  void helpSaysWhichWorldThisIs() {
    assertThat(call("run --help").out()).contains("papers' world", "no leases, views or fences");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run | Missing required option: '--algorithm=NAME'",
        "run --algorithm all | There is no algorithm \"all\"",
        "run --algorithm raymond --nodes 1 | --nodes 1 cannot be: take 2 to 64",
        "run --algorithm raymond --nodes 65 | --nodes 65 cannot be: take 2 to 64",
        "run --algorithm raymond --delta 0 | --delta 0 cannot be: take 1 to 60000",
        "run --algorithm raymond --limit 0 | --limit 0 cannot be: take 1 to",
        "run --algorithm raymond --delay const:1 | Unknown options: '--delay', 'const:1'",
        "run --algorithm raymond --critical-sections -1 | -1 critical sections cannot be",
        "run --algorithm raymond --kill 9@5 | --kill 9@5 cannot be: write a node from 1 to 8",
        "run --algorithm raymond --kill 1 | --kill 1 cannot be: write a node",
        "run --algorithm raymond --kill 1@-5 | --kill 1@-5 cannot be: write a node",
        "run --algorithm raymond --kill 1@5 --kill 1@6 | killed at 6 ms, but its process is gone",
        "run --algorithm ring --restart 1@5 | restarted at 5 ms, but its process is still there",
        "run --algorithm raymond --kill 1@5 --restart 1@6 | raymond cannot bring a node back",
        "run --algorithm ring --kill 1@5 --workload fresh-each | goes with neither --kill nor",
        "run --algorithm raymond --workload nowhere | is neither a workload nor a file",
      })
  void badInputGetsOneLineAndExitCode2(String line, String message) {
    Run run = call(line);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).startsWith("baton: ").contains(message);
  }
}
