package io.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Request;
import io.baton.algorithms.Token;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.SystemSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerTest {
  private static final Report.Grant FIRST_GRANT = new Report.Grant(0, 0);
  private static final Report.Grant SECOND_GRANT = new Report.Grant(0, 1);

  private final long start = System.nanoTime();
  private final Ledger ledger =
      new Ledger(
          Catalogue.build(SystemSpec.of(SystemSpec.Wish.of("naimi-trehel", 2), 1), Chooser.FIRST),
          null);

  private Report step(Report.Kind kind, long time, List<Report.Grant> grants, Report.Sent... sent) {
    return new Report(kind, start + time, 0, 0, null, List.of(sent), grants, "");
  }

  @Test
  void stepsCountInTheOrderInWhichTheyHappenedNotInThatOfTheirReports() {
    Report asks = step(Report.Kind.ENTER, 10, List.of(), new Report.Sent(0, 0, new Request(1, 1)));
    Report token =
        new Report(
            Report.Kind.RECEIVE,
            start + 70,
            0,
            0,
            new Token(-1, 1, 1),
            List.of(),
            List.of(SECOND_GRANT),
            "");
    ledger.add(1, asks);
    ledger.add(1, token);
    ledger.add(1, step(Report.Kind.EXIT, 90, List.of()));
    ledger.add(0, step(Report.Kind.ENTER, 0, List.of(FIRST_GRANT)));
    ledger.add(
        0, step(Report.Kind.EXIT, 50, List.of(), new Report.Sent(1, 0, new Token(-1, 1, 1))));
    RunResult result = ledger.result(start);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().criticalSections()).isEqualTo(2);
    assertThat(result.measures().messagesPerCs().max()).isEqualTo(2);
    assertThat(result.measures().waiting().max()).isEqualTo(60);
    assertThat(result.measures().synchronisation().max()).isEqualTo(20);
    assertThat(result.duration()).isEqualTo(90);
  }

  @Test
  void twoInsideAtOnceBreakMutualExclusion() {
    ledger.add(0, step(Report.Kind.ENTER, 0, List.of(FIRST_GRANT)));
    ledger.add(0, step(Report.Kind.EXIT, 50, List.of()));
    ledger.add(1, step(Report.Kind.ENTER, 40, List.of(FIRST_GRANT)));
    assertThat(String.valueOf(ledger.result(start).violation()))
        .isEqualTo("mutual exclusion: 2 enters while 1 is inside");
  }

  @Test
  void aGrantMustCarryWhatTheLastHolderLeft() {
    ledger.add(0, step(Report.Kind.ENTER, 0, List.of(SECOND_GRANT)));
    assertThat(String.valueOf(ledger.result(start).violation())).contains("carries 1, not 0");
  }

  @Test
  void whoIsKilledInsideIsNoLongerInsideAndWhoWaitedThereIsOwedNothing() {
    ledger.add(0, step(Report.Kind.ENTER, 0, List.of(FIRST_GRANT)));
    ledger.add(0, step(Report.Kind.QUEUE, 10, List.of()));
    ledger.killed(0, start + 20);
    ledger.add(1, step(Report.Kind.ENTER, 30, List.of(FIRST_GRANT)));
    RunResult result = ledger.result(start);
    assertThat(result.violation()).isNull();
    assertThat(result.stuck()).isZero();
  }
}
