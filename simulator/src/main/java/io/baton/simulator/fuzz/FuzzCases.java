package io.baton.simulator.fuzz;

import io.baton.simulator.Experiment;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Generator;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Delay;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Faults.Kind;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.Workload;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.math.BigDecimal;
import java.util.List;

/** The experiments of a fuzz run: what is not kept fixed is drawn from the seed. */
public final class FuzzCases {
  private static final List<String> TREES =
      List.of("star", "line", "binary", "balanced:3", "cube", "random", "random");
  private static final List<String> POLICIES = List.of("fifo", "lift", "any");
  private static final List<String> RULES =
      List.of("any", "any", "proxy", "transit", "raymond", "last-son", "gateways", "short-cut");
  private static final List<Double> BURSTS = List.of(0.0, 0.0, 0.25, 1.0);
  private static final List<String> GRAPHS =
      List.of("ring", "complete", "tree", "random", "small-world", "scale-free");

  /**
   * What a fuzz run keeps fixed; null in the wish leaves it to the seed.
   *
   * @param minNodes the number of nodes is drawn from here…
   * @param maxNodes …to here, both included; the one in the wish does not count
   */
  public record Frame(SystemSpec.Wish wish, int minNodes, int maxNodes, Faults faults) {}

  private FuzzCases() {}

  /** The experiment of a seed. */
  public static Experiment of(Frame frame, long seed) {
    Generator draw = Generator.of(seed, "case");
    int nodes = frame.minNodes() + draw.nextInt(frame.maxNodes() - frame.minNodes() + 1);
    SystemSpec.Wish wish = frame.wish();
    boolean takesRule = Catalogue.find(wish.algorithm()).takesRule();
    String rule = wish.rule() != null || !takesRule ? wish.rule() : pick(RULES, draw);
    if (wish.rule() == null && nodes < 2 && takesRule) {
      rule = "any";
    }
    boolean shortCut = "short-cut".equals(rule) || Catalogue.find(wish.algorithm()).network();
    String graph = wish.graph() != null || !shortCut ? wish.graph() : pick(GRAPHS, draw);
    boolean cube =
        Catalogue.find(wish.algorithm()).defaultTree().equals("cube") || "last-son".equals(rule);
    String tree =
        wish.tree() != null || graph != null
            ? wish.tree()
            : cube ? "cube:" + (1 + draw.nextInt(nodes)) : pick(TREES, draw);
    Catalogue.Entry entry = Catalogue.find(wish.algorithm());
    String policy = wish.policy() != null || !entry.tree() ? wish.policy() : pick(POLICIES, draw);
    SystemSpec spec =
        SystemSpec.of(
            new SystemSpec.Wish(
                wish.algorithm(),
                nodes,
                entry.tree() ? tree : wish.tree(),
                rule,
                policy,
                graph,
                entry.ring() ? ring(wish.ring(), nodes, frame.faults(), draw) : wish.ring()),
            seed);
    boolean timed = Catalogue.find(wish.algorithm()).timed();
    Faults faults = timed || !entry.tree() ? varied(frame.faults(), draw) : frame.faults();
    RunConfig config = config(seed, nodes, faults, draw);
    return new Experiment(spec, timed ? withinDelta(config, draw) : config);
  }

  /** One to three resources, either direction; time-outs from far too short to long. */
  private static SystemSpec.RingWish ring(
      SystemSpec.RingWish wish, int nodes, Faults faults, Generator draw) {
    double patience = StrictMath.pow(10, 3 * draw.nextDouble() - 1.5) * nodes;
    boolean resends =
        faults.has(Kind.LOSS)
            || faults.has(Kind.SUSPECT)
            || (faults.has(Kind.CRASH) && draw.nextBoolean(0.5));
    String timeout = resends ? Ticks.text(Ticks.ofUnits(Math.max(0.1, patience))) : null;
    return new SystemSpec.RingWish(
        wish.resources() != null ? wish.resources() : (Integer) (1 + draw.nextInt(3)),
        wish.direction() != null || draw.nextBoolean(0.5) ? wish.direction() : "anticlockwise",
        wish.timeout() != null ? wish.timeout() : timeout,
        wish.acks() != null
            ? wish.acks()
            : (Boolean) (faults.crashes() || faults.has(Kind.SUSPECT)));
  }

  /** Crashes rare to frequent, alone, of a quarter or of all but one; quick and late recovery. */
  private static Faults varied(Faults faults, Generator draw) {
    return variedCuts(variedCrashes(faults, draw), draw);
  }

  /** The same for channels. */
  private static Faults variedCuts(Faults faults, Generator draw) {
    if (!faults.has(Kind.CUT)) {
      return faults;
    }
    double cut = faults.of(Kind.CUT) * StrictMath.pow(10, 2 * draw.nextDouble() - 1);
    double down = faults.of(Kind.MEND) * StrictMath.pow(10, 3 * draw.nextDouble() - 1);
    return faults.with(Kind.CUT, Math.min(1, cut)).with(Kind.MEND, Math.min(Ticks.PER_UNIT, down));
  }

  private static Faults variedCrashes(Faults faults, Generator draw) {
    if (!faults.has(Kind.CRASH)) {
      return faults;
    }
    double crash = faults.of(Kind.CRASH) * StrictMath.pow(10, 2 * draw.nextDouble() - 1);
    double burst = BURSTS.get(draw.nextInt(BURSTS.size()));
    double down = faults.of(Kind.RECOVER) * StrictMath.pow(10, 3 * draw.nextDouble() - 1);
    return faults
        .with(Kind.CRASH, Math.min(1, crash))
        .with(Kind.BURST, faults.has(Kind.BURST) ? faults.of(Kind.BURST) : burst)
        .with(Kind.RECOVER, Math.min(Ticks.PER_UNIT, down));
  }

  private static RunConfig config(long seed, int nodes, Faults faults, Generator draw) {
    double load = StrictMath.pow(10, 3 * draw.nextDouble() - 1); // from idle to overrun
    Workload workload =
        draw.nextBoolean(0.7)
            ? new Workload.Closed(new Distribution.Exponential(Ticks.ofUnits(10 / load)))
            : new Workload.Open(load, draw.nextInt(1 + nodes / 2), 0.9);
    Distribution delay =
        switch (draw.nextInt(4)) {
          case 0 -> new Distribution.Constant(Ticks.PER_UNIT);
          case 1 -> new Distribution.Uniform(0, 2 * Ticks.PER_UNIT);
          case 2 -> new Distribution.Exponential(Ticks.PER_UNIT);
          default -> new Distribution.LogNormal(Ticks.PER_UNIT / 2, new BigDecimal("1.5"));
        };
    return new RunConfig(
        seed,
        workload,
        1 + draw.nextInt(6 * nodes),
        new Distribution.Exponential(draw.nextInt(2) * Ticks.PER_UNIT),
        new Delay(delay, draw.nextBoolean(0.2)),
        draw.nextBoolean(0.25),
        faults,
        RunConfig.Checking.EVERY_EVENT);
  }

  /**
   * The same run with delays within the bound of one unit, over channels that may overtake;
   * critical sections may last much longer than anyone estimates.
   */
  private static RunConfig withinDelta(RunConfig config, Generator draw) {
    return new RunConfig(
        config.seed(),
        config.workload(),
        config.criticalSections(),
        new Distribution.Uniform(0, (draw.nextBoolean(0.7) ? 2 : 12) * Ticks.PER_UNIT),
        new Delay(
            draw.nextBoolean(0.8)
                ? new Distribution.Uniform(0, Ticks.PER_UNIT)
                : new Distribution.Constant(Ticks.PER_UNIT),
            false),
        false,
        config.faults(),
        config.checking());
  }

  private static String pick(List<String> options, Generator draw) {
    return options.get(draw.nextInt(options.size()));
  }
}
