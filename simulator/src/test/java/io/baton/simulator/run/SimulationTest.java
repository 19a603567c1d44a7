package io.baton.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Generator;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.RunConfig.Checking;
import io.baton.simulator.run.Workload.Script;
import io.baton.simulator.run.Workload.Script.Arrival;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.TraceLine;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulationTest {
  private static RunConfig config(Workload workload, long count, String delay, boolean fifo) {
    return new RunConfig(
        1,
        workload,
        count,
        Distribution.parse("const:10"),
        Delay.parse(delay),
        fifo,
        Faults.NONE,
        Checking.EVERY_EVENT);
  }

  private static SystemSpec system(String algorithm, int nodes, String tree) {
    return SystemSpec.of(new SystemSpec.Wish(algorithm, nodes, tree, null, null, null), 1);
  }

  private static Workload closed(String think) {
    return new Workload.Closed(Distribution.parse(think));
  }

  @Test
  void everyFigureOfASmallRunIsWhatOneCountsByHand() {
    // 2 asks at 0 and enters at 2; 3 asks at 0.5, waits in the queue of 1, enters at 14.
    Script script = new Script(List.of(new Arrival(0, 1), new Arrival(Ticks.PER_UNIT / 2, 2)));
    RunResult result =
        new Experiment(system("centralized", 3, "star"), config(script, 9, "const:1", false))
            .run(Catalogue::build);
    Measures m = result.measures();
    assertThat(result.violation()).isNull();
    assertThat(m.criticalSections()).isEqualTo(2);
    assertThat(m.messages()).isEqualTo(6);
    assertThat(m.messagesByKind()).hasToString("{request=2, token=4}");
    assertThat(m.messagesPerCs().mean()).isEqualTo(3);
    assertThat(m.waiting().percentile(50)).isEqualTo(Ticks.ofUnits(2));
    assertThat(m.waiting().max()).isEqualTo(Ticks.ofUnits(13.5));
    assertThat(m.synchronisation().size()).isEqualTo(1);
    assertThat(m.synchronisation().max()).isEqualTo(Ticks.ofUnits(2)); // from 12 to 14
    assertThat(m.maxLoad()).isEqualTo(6);
    assertThat(m.meanLoad()).isEqualTo(4);
    assertThat(m.fairness()).isCloseTo(2.0 / 3, within(1e-9)); // one of three nodes got nothing
    assertThat(m.longestBypass()).isZero();
    assertThat(result.stuck()).isZero();
    assertThat(result.duration()).isEqualTo(Ticks.ofUnits(25));
  }

  @Test
  void aUserAtABusyNodeWaitsThereForItsTurn() {
    Script script = new Script(List.of(new Arrival(0, 0), new Arrival(Ticks.PER_UNIT, 0)));
    RunResult result =
        new Experiment(system("naimi-trehel", 2, "star"), config(script, 9, "const:1", false))
            .run(Catalogue::build);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().criticalSections()).isEqualTo(2);
    assertThat(result.measures().messages()).isZero();
    assertThat(result.measures().waiting().max()).isEqualTo(Ticks.ofUnits(9));
  }

  @Test
  void usersWhoWaitAtABusyNodeCountAsWaiting() {
    // Node 1 has users at 0, 1 and 2, node 2 one at 3; each holds for 10, a message takes 1.
    List<Arrival> users =
        List.of(
            new Arrival(0, 0),
            new Arrival(Ticks.PER_UNIT, 0),
            new Arrival(2 * Ticks.PER_UNIT, 0),
            new Arrival(3 * Ticks.PER_UNIT, 1));
    Measures m =
        new Experiment(
                system("naimi-trehel", 2, "star"), config(new Script(users), 9, "const:1", false))
            .run(Catalogue::build)
            .measures();
    assertThat(m.synchronisation().size()).isEqualTo(3);
    assertThat(m.synchronisation().sum()).isEqualTo(Ticks.ofUnits(2)); // to 2, to 1, on 1
    assertThat(m.longestBypass()).isEqualTo(1); // who came third is served fourth
  }

  @Test
  void virtualTimeThatRunsOutIsBadInputNotABug() {
    assertThatThrownBy(
            () ->
                new Experiment(
                        system("raymond", 3, "star"),
                        new RunConfig(
                            1,
                            closed("const:1"),
                            100_000,
                            Distribution.parse("const:1000000000"),
                            Delay.parse("lognormal:1000000000,10"),
                            false,
                            Faults.NONE,
                            Checking.OFF))
                    .run(Catalogue::build))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("time has run out");
  }

  @Test
  void overtakenRequestsAreCounted() {
    Bypasses bypasses = new Bypasses(4);
    assertThat(bypasses.granted(1)).isZero();
    assertThat(bypasses.granted(3)).isZero();
    assertThat(bypasses.granted(0)).isEqualTo(2);
    assertThat(bypasses.granted(2)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "centralized, star, 3", // request, token, return; nothing for the centre itself
    "naimi-trehel, star, 16",
    "raymond, line, 30",
    "general, random, 31"
  })
  void everyRequestIsGrantedAndCountedWithinItsBound(String algorithm, String tree, int bound) {
    RunResult result =
        new Experiment(system(algorithm, 16, tree), config(closed("exp:30"), 500, "exp:1", false))
            .run(Catalogue::build);
    Measures m = result.measures();
    assertThat(result.violation()).isNull();
    assertThat(m.criticalSections()).isEqualTo(500);
    assertThat(m.requests()).isEqualTo(500);
    assertThat(result.stuck()).isZero();
    assertThat(m.messagesPerCs().sum()).isEqualTo(m.messages()); // each charged to one request
    assertThat(m.messagesPerCs().max()).isLessThanOrEqualTo(bound);
  }

  @Test
  void messagesOfAFifoChannelKeepTheirOrder() {
    assertThat(overtakings(true)).isZero();
    assertThat(overtakings(false)).isPositive();
  }

  private static int overtakings(boolean fifo) {
    Overtakings count = new Overtakings();
    new Experiment(system("general", 6, "random"), config(closed("exp:1"), 400, "exp:5", fifo))
        .run(Catalogue::build, count);
    return count.found;
  }

  /** Counts deliveries before which an older message of the same channel is still in transit. */
  private static final class Overtakings implements Listener {
    private final List<Step.Delivery> transit = new ArrayList<>();
    private int found;

    @Override
    public void sent(Step.Delivery delivery) {
      transit.add(delivery);
    }

    @Override
    public void before(long time, Step step, Stage stage) {
      if (step instanceof Step.Delivery delivery) {
        for (Step.Delivery older : transit.subList(0, transit.indexOf(delivery))) {
          found += older.from() == delivery.from() && older.to() == delivery.to() ? 1 : 0;
        }
        transit.remove(delivery);
      }
    }
  }

  @Test
  void aLinkKeepsTheDelayItDrew() {
    Delay delay = Delay.parse("per-link:uniform:1..100");
    Generator generator = new Generator(1);
    long first = delay.sample(1, 2, 9, generator);
    assertThat(delay.sample(2, 1, 9, generator)).isEqualTo(first);
    assertThat(delay.sample(1, 3, 9, generator)).isNotEqualTo(first);
    assertThat(delay.sample(1, 2, 10, generator)).isNotEqualTo(first);
  }

  @Test
  void mostUsersComeToTheHotNodes() {
    int[] arrivals = new int[20];
    Listener count =
        new Listener() {
          @Override
          public void before(long time, Step step, Stage stage) {
            if (step instanceof Step.Enter enter) {
              arrivals[enter.node()]++;
            }
          }
        };
    new Experiment(
            system("naimi-trehel", 20, "star"),
            config(new Workload.Open(0.01, 2, 0.9), 1000, "const:1", false))
        .run(Catalogue::build, count);
    assertThat(arrivals[18] + arrivals[19]).isBetween(850, 950);
  }

  @Test
  void aSeedGivesTheSameBytesOnEveryRunAndEveryJvm() throws NoSuchAlgorithmException {
    String first = trace(1);
    assertThat(trace(1)).isEqualTo(first);
    assertThat(trace(2)).isNotEqualTo(first);
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(first.getBytes(StandardCharsets.UTF_8));
    assertThat(HexFormat.of().formatHex(digest))
        .isEqualTo("a80c39cb7e55916ba53629696f2cc1726f16c3a4dda81b836df8e31b92e9eff7");
  }

  private static String trace(long seed) {
    RunConfig config =
        new RunConfig(
            seed,
            closed("lognormal:5,1"),
            300,
            Distribution.parse("uniform:0..2"),
            Delay.parse("exp:1"),
            false,
            Faults.NONE,
            Checking.EVERY_EVENT);
    return new Experiment(SystemSpec.of(SystemSpec.Wish.of("general", 9), seed), config)
        .record(Catalogue::build).recorder().lines().stream()
            .map(TraceLine::toString)
            .collect(Collectors.joining("\n"));
  }

  @Test
  void invariantsAreSampledInALargeSystemAndTheReportSaysSo() {
    assertThat(Checking.AUTO.describe(64)).isEqualTo("after every event");
    assertThat(Checking.AUTO.describe(65)).isEqualTo("after every 65 events");
    assertThat(Checking.OFF.describe(65)).isEqualTo("not checked");
  }

  @Test
  void aThousandNodesRunAsSmallOnesDo() {
    RunConfig config =
        new RunConfig(
            1,
            closed("exp:100"),
            3000,
            Distribution.parse("const:0.1"),
            Delay.parse("uniform:0.5..1.5"),
            false,
            Faults.NONE,
            Checking.AUTO);
    RunResult result =
        new Experiment(system("naimi-trehel", 1024, "star"), config).run(Catalogue::build);
    assertThat(result.violation()).isNull();
    assertThat(result.measures().criticalSections()).isEqualTo(3000);
  }

  @Test
  void confidenceNarrowsWithMoreSeeds() {
    Confidence two = Confidence.of(new double[] {1, 3});
    assertThat(two.mean()).isEqualTo(2);
    assertThat(two.halfWidth()).isCloseTo(12.706, within(1e-6));
    Confidence many = Confidence.of(new double[] {1, 3, 1, 3, 1, 3, 1, 3, 1, 3});
    assertThat(many.halfWidth()).isLessThan(1);
  }

  @Test
  void percentilesAreExact() {
    Samples samples = new Samples();
    for (int k = 100; k >= 1; k--) {
      samples.add(k);
    }
    assertThat(samples.percentile(50)).isEqualTo(50);
    assertThat(samples.percentile(99)).isEqualTo(99);
    assertThat(samples.max()).isEqualTo(100);
    assertThat(samples.mean()).isEqualTo(50.5);
    assertThat(new Samples().max()).isZero();
  }
}
