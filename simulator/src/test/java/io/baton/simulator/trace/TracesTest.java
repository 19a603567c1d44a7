package io.baton.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.simulator.BadInputException;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TracesTest {
  private static final Path GOLDEN = Path.of("../traces");
  private static final String FIGURES = "general-scheme-figures-2-3.trace";

  static List<Path> golden() throws IOException {
    try (Stream<Path> files = Files.list(GOLDEN)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("golden")
  void aGoldenTraceIsPlayedToTheLetter(Path file) throws IOException {
    Trace trace = Trace.read(file);
    Replay replay = Replay.of(trace, Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.lines()).isNotEmpty();
    assertThat(trace).hasToString(Files.readString(file));
    assertThat(replay.late()).isZero();
    if (trace.script().users().isEmpty()) {
      return;
    }
    // The run that the script alone makes up is the golden one.
    Trace scriptOnly = new Trace(trace.comments(), trace.system(), trace.script(), List.of(), null);
    assertThat(Replay.of(scriptOnly, Catalogue::build).lines()).isEqualTo(trace.lines());
  }

  @Test
  void theWorkedExampleTakesTwelveMessagesAndEndsWithNode3AsRoot() {
    List<TraceLine> lines = Trace.read(GOLDEN.resolve(FIGURES)).lines();
    assertThat(lines).filteredOn(line -> line.step().contains(" -> ")).hasSize(12);
    assertThat(lines.get(lines.size() - 1).changes()).isEqualTo("tokenHere3 !asked3");
  }

  @Test
  void theExampleOfTheOpenCubeEndsInTheTreeOfFigure8() {
    Trace trace = Trace.read(GOLDEN.resolve("open-cube-3-2.trace"));
    assertThat(Replay.of(trace, Catalogue::build).fathers())
        .containsExactly(
            "8", "1", "1", "3", "8", "5", "8", "nil", "8", "9", "9", "11", "9", "13", "13", "15");
  }

  @Test
  void theExampleOfFailuresEndsInTheTreeOfFigure17WithThirteenServed() {
    Trace trace = Trace.read(GOLDEN.resolve("open-cube-section-5.trace"));
    assertThat(trace.lines())
        .extracting(TraceLine::step)
        .contains("10 -> 12 test(2)", "1 -> 10 answer(ok)", "9 -> 13 anomaly", "10 -> 13 token(10)")
        .filteredOn(step -> step.contains("test(4)"))
        .hasSize(8);
    assertThat(Replay.of(trace, Catalogue::build).fathers())
        .containsExactly(
            "10", "1", "1", "3", "1", "5", "5", "7", "10", "nil", "12", "10", "10", "13", "13",
            "15");
  }

  @ParameterizedTest
  @CsvSource({
    "1, every request is granted in the end",
    "2, at most one token",
    "3, mutual exclusion",
    "4, at most one token",
    "5, every request is granted in the end",
    "6, at most one token",
    "7, the token carries what the last holder left",
    "8, every message goes to another node"
  })
  void eachHoleOfTheLiteralTextHasItsTrace(int hole, String broken) {
    Trace trace = Trace.read(GOLDEN.resolve("open-cube-literal-f" + hole + ".trace"));
    Replay replay = Replay.of(trace, Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.violation()).isNotNull();
    assertThat(replay.violation().invariant()).isEqualTo(broken);
    assertThat(trace.comments().get(0)).contains("F" + hole);
  }

  @Test
  void whereTimeCountsAnAlarmRingsNeitherEarlyNorLate() {
    String text = Trace.read(GOLDEN.resolve("open-cube-literal-f6.trace")).toString();
    String early = text.replace("@2         alarm 2 SUSPICION", "@1         alarm 2 SUSPICION");
    assertThat(Replay.of(Trace.parse(early, "x"), Catalogue::build).mismatch())
        .contains("it rings at @2");
    String late = text.replaceFirst("@2         alarm 2 SUSPICION.*\n", "");
    assertThat(Replay.of(Trace.parse(late, "x"), Catalogue::build).mismatch()).isNotNull();
    String back = text.replace("@4         exit 2", "@3         exit 2");
    assertThat(Replay.of(Trace.parse(back, "x"), Catalogue::build).mismatch())
        .contains("time goes back");
  }

  @Test
  void aMessageThatTookLongerThanDeltaIsCounted() {
    String text =
        """
        algorithm open-cube-literal
        tree 2>1
        ----
        @0         enter 2                 asked2 mandator2=2 source2=2
        @1.5       2 -> 1  request(2)      !tokenHere1 father1=2 lender1=nil
        @2         1 -> 2  token(nil)      2 enters tokenHere2 father2=nil lender2=2 mandator2=nil
        @2         alarm 2 SUSPICION
        @3         exit 2                  !asked2
        end
        """;
    Replay replay = Replay.of(Trace.parse(text, "x"), Catalogue::build);
    assertThat(replay.mismatch()).isNull();
    assertThat(replay.late()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "8 -> 7  request(8)      father7=8, 8 -> 7  request(8)      father7=6, Step 2 differs",
    "8 -> 7  request(8), 8 -> 6  request(8), Step 2",
    "tree 8>7>6>5>4>3>2>1, tree 8>7>5>6>4>3>2>1, Step 3",
    "8 -> 3  token(nil)      tokenHere3 !asked3, '', ends too early: in transit [8 -> 3 token(nil)]",
  })
  void anyChangeOfATraceIsNoticed(String from, String to, String mismatch) throws IOException {
    String text = Files.readString(GOLDEN.resolve(FIGURES));
    assertThat(text).contains(from);
    Trace changed = Trace.parse(text.replace(from, to), "changed");
    assertThat(Replay.of(changed, Catalogue::build).mismatch()).contains(mismatch);
  }

  @ParameterizedTest
  @CsvSource({
    "algorithm raymond, 'must name an algorithm and a tree'",
    "tree 2>1, 'must name an algorithm and a tree'",
    "'algorithm chaos\ntree 2>1', 'There is no algorithm \"chaos\"'",
    "'algorithm raymond\ntree 2>1\nfather 3', 'line 3 begins with \"father\"'",
    "'algorithm raymond\ntree 2>1\n@-5 enter 2', 'is no time'",
    "'algorithm raymond\ntree 2>1\nrule proxy', 'has its own rule'",
    "'algorithm raymond\ntree 2>1\ntree 2>1', 'say it once'",
    "'algorithm raymond\ntree 2>1\nenter x', 'is no request'",
    "'algorithm raymond\ntree 2>1\n@x enter 2', 'is no time'",
    "'algorithm raymond\ntree 2>1\nenter 0', 'is no request'",
    "'algorithm raymond\ntree 2>1\n----\nviolation x\nenter 2', 'comes after the end'",
  })
  void aTornTraceIsRefusedWithTheReason(String text, String reason) {
    assertThatThrownBy(() -> Trace.parse(text + "\n", "torn.trace"))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void aTraceCutAnywhereIsRefused() throws IOException {
    String text = Files.readString(GOLDEN.resolve(FIGURES));
    int dashes = text.indexOf("----");
    for (int end = 0; end < text.length(); end++) {
      String cut = text.substring(0, end);
      boolean wholeScript = cut.endsWith("\n") && end <= dashes && cut.contains("tree ");
      if (!wholeScript) { // without its steps a trace is a script, and whole
        assertThatThrownBy(() -> Trace.parse(cut, "cut.trace"))
            .as(cut)
            .isInstanceOf(BadInputException.class);
      }
    }
  }

  @Test
  void strangeStepsAreRefusedNotStumbledOver() {
    for (String step :
        List.of("drop", "duplicate x", "exit", "enter 99", "1 -> 2 token(nil) #99999999999")) {
      String text = "algorithm raymond\ntree 2>1\n----\n" + step + "\nend\n";
      assertThat(Replay.of(Trace.parse(text, "x"), Catalogue::build).mismatch())
          .contains("cannot happen here");
    }
    String head = "algorithm raymond\ntree 2>1\n----\n";
    assertThat(Trace.parse(head + "enter " + "x ".repeat(50_000) + "\nend\n", "x").lines())
        .hasSize(1);
    assertThatThrownBy(() -> Trace.parse(head + "jump 2\nend\n", "x"))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("line 4 is no step");
  }

  @Test
  void renewingAnOutdatedTraceKeepsAllItsSteps() throws IOException {
    String text = Files.readString(GOLDEN.resolve(FIGURES));
    Trace outdated = Trace.parse(text.replace("father7=8", "father7=6"), "x");
    assertThat(Replay.renew(outdated, Catalogue::build)).hasToString(text);
    Trace impossible = Trace.parse(text.replace("8 -> 7  request(8)", "8 -> 6  request(8)"), "x");
    assertThatThrownBy(() -> Replay.renew(impossible, Catalogue::build))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("cannot be renewed");
  }

  @Test
  void aScriptThatContradictsTheStepsIsNoticed() throws IOException {
    String text = Files.readString(GOLDEN.resolve(FIGURES)).replaceFirst("enter 8", "enter 7");
    assertThat(Replay.of(Trace.parse(text, "x"), Catalogue::build).mismatch())
        .contains("let different nodes enter");
  }

  @Test
  void aTraceThatLeavesSomebodyWaitingBreaksLiveness() {
    String text =
        """
        algorithm raymond
        tree 2>1
        ----
        enter 2  asked2 mandator2=2
        drop 2 -> 1  request(2)
        end
        """;
    Replay replay = Replay.of(Trace.parse(text, "x"), Catalogue::build);
    assertThat(replay.violation()).hasToString(Violation.LIVENESS + ": never granted: 2");
    assertThat(replay.mismatch()).contains("should break nothing");
  }

  @Test
  void aMissingFileIsRefused() {
    assertThatThrownBy(() -> Trace.read(Path.of("nowhere.trace")))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("no such file");
  }

  @Test
  void aTraceThatClaimsAViolationWhichIsNoneIsRefused() throws IOException {
    String text =
        Files.readString(GOLDEN.resolve(FIGURES))
            .replace("\nend\n", "\nviolation mutual exclusion: x\n");
    assertThat(Replay.of(Trace.parse(text, "x"), Catalogue::build).mismatch())
        .contains("it breaks nothing");
  }

  @Test
  void aLineIsReadAsItIsWritten() {
    TraceLine line =
        new TraceLine(1_500_000L, "7 -> 6 token(nil) #2", List.of("proxy", "serve3"), "asked6");
    assertThat(line).hasToString("@1.5       7 -> 6  token(nil) #2   [proxy serve3]  asked6");
    assertThat(TraceLine.parse(line.toString(), "here")).isEqualTo(line);
  }
}
