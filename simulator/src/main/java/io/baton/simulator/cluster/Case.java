package io.baton.simulator.cluster;

import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import io.baton.simulator.random.Generator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One run to be made: everything that the seed decides, before anything happens.
 *
 * @param sites machines; the first are the voters to begin with
 * @param founders who are members from the start; others join later
 * @param users who take locks, at each member
 * @param clockError how far clocks run wrong, in parts per million
 * @param faultsEnd when the faults stop, in microseconds
 * @param severed whether the last two, which never vote, never have a connection
 */
record Case(
    long seed,
    int sites,
    int voters,
    int founders,
    int locks,
    int users,
    Load load,
    Shape shape,
    RuleName rule,
    Settings settings,
    int clockError,
    Weather weather,
    long faultsEnd,
    boolean severed,
    List<Mishap> mishaps) {
  static final long SECOND = 1_000_000;

  /** The rules that members run. */
  enum RuleName {
    NAIMI_TREHEL(Shape.STAR),
    RAYMOND(Shape.BINARY),
    CENTRALIZED(Shape.STAR),
    OPEN_CUBE(Shape.CUBE);

    final Shape shape;

    RuleName(Shape shape) {
      this.shape = shape;
    }

    Rules rules() {
      return switch (this) {
        case NAIMI_TREHEL -> Rules.NAIMI_TREHEL;
        case RAYMOND -> Rules.RAYMOND;
        case CENTRALIZED -> Rules.CENTRALIZED;
        case OPEN_CUBE -> Rules.OPEN_CUBE;
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * What users do.
   *
   * @param think the longest pause before a call
   * @param hold the longest ordinary hold
   * @param wild whether they also hold for longer than a lease, and give up waiting
   */
  record Load(long think, long hold, boolean wild) {
    static final Load WILD = new Load(SECOND / 4, SECOND / 5, true);
    static final Load BRISK = new Load(SECOND / 50, SECOND / 100, true); // who uses up numbers
    static final Load TAME = new Load(SECOND / 4, SECOND / 5, false);
  }

  /**
   * The network.
   *
   * @param delay the longest ordinary delay
   * @param lateShare the share of packets that take up to {@code late} longer
   * @param doubled the share of packets that arrive twice
   * @param diskDelay the longest ordinary write
   */
  record Weather(long delay, double lateShare, long late, double doubled, long diskDelay) {
    /** With disks that are fast. */
    Weather(long delay, double lateShare, long late, double doubled) {
      this(delay, lateShare, late, doubled, 100);
    }
  }

  /** Something that goes wrong, or is done to the cluster. */
  enum Kind {
    CRASH,
    CRASH_HOLDER,
    CRASH_LEADER,
    CRASH_ALL,
    CRASH_VOTERS,
    CRASH_IN_CHANGE,
    STOP_IN_CHANGE,
    STOP,
    STOP_HOLDER,
    STOP_LEADER,
    STOP_AT_GRANT,
    BLOCK,
    BLOCK_ONE_WAY,
    SPLIT,
    BRIDGE,
    ISOLATE_LEADER,
    FLAP,
    CUT,
    LEAVE,
    LEAVE_MANY,
    DEPOSE,
    FORCE,
    MAJORITY,
    LOSE_DISK,
    SLOW_DISK;

    /** Those by which nobody else becomes a voter. */
    static final List<Kind> SAME_VOTERS =
        Stream.of(values())
            .filter(kind -> kind != LEAVE && kind != LEAVE_MANY && kind != LOSE_DISK)
            .toList();
  }

  /**
   * One mishap.
   *
   * @param a whom it strikes, and b with whom; any numbers, taken modulo what there is
   * @param length for how long
   */
  record Mishap(long at, Kind kind, int a, int b, long length) {}

  /** The same with other mishaps. */
  Case with(List<Mishap> newMishaps) {
    return new Case(
        seed,
        sites,
        voters,
        founders,
        locks,
        users,
        load,
        shape,
        rule,
        settings,
        clockError,
        weather,
        faultsEnd,
        severed,
        newMishaps);
  }

  /** What frames the cases of many seeds. */
  record Frame(int least, int most) {}

  /** The case of a seed. */
  static Case of(Frame frame, long seed) {
    Generator chance = Generator.of(seed, "cluster");
    int sites = frame.least() + chance.nextInt(frame.most() - frame.least() + 1);
    int voters = sites < 3 ? 1 : chance.nextInt(4) == 0 && sites >= 5 ? 5 : 3;
    int founders = Math.max(voters, sites - chance.nextInt(Math.max(1, sites / 2)));
    RuleName rule = any(List.of(RuleName.values()), chance);
    Shape shape = chance.nextInt(4) == 0 ? any(List.of(Shape.values()), chance) : rule.shape;
    long faultsEnd = SECOND * (2 + chance.nextInt(9));
    boolean beyond = chance.nextInt(8) == 0;
    Settings settings = settings(chance);
    List<Mishap> mishaps = new ArrayList<>();
    boolean severed = sites >= voters + 2 && chance.nextInt(4) == 0;
    int count = chance.nextInt(4) == 0 ? 0 : 1 + chance.nextInt(10);
    for (int k = 0; k < count; k++) {
      Kind kind = any(severed ? Kind.SAME_VOTERS : List.of(Kind.values()), chance);
      mishaps.add(
          new Mishap(
              SECOND / 2 + chance.nextLong(faultsEnd),
              kind,
              chance.nextInt(1 << 20),
              chance.nextInt(1 << 20),
              1 + chance.nextLong(chance.nextInt(3) == 0 ? SECOND / 10 : 4 * SECOND)));
    }
    Weather weather =
        new Weather(
            50 + chance.nextInt(3) * chance.nextLong(5_000),
            chance.nextInt(3) == 0 ? 0.02 : 0,
            1 + chance.nextLong(600_000),
            chance.nextInt(3) == 0 ? 0.03 : 0,
            50 + chance.nextInt(3) * chance.nextLong(20_000));
    return new Case(
        seed,
        sites,
        voters,
        founders,
        1 + chance.nextInt(4),
        1 + chance.nextInt(3),
        settings.counterBits() < 8 ? Load.BRISK : Load.WILD,
        shape,
        rule,
        settings,
        beyond ? 400_000 : settings.drift(),
        weather,
        faultsEnd,
        severed,
        mishaps);
  }

  private static <T> T any(List<T> all, Generator chance) {
    return all.get(chance.nextInt(all.size()));
  }

  private static Settings settings(Generator chance) {
    int drift = new int[] {0, 10_000, 10_000, 50_000}[chance.nextInt(4)];
    boolean fewNumbers = chance.nextInt(5) == 0;
    boolean retires = chance.nextInt(4) == 0;
    return new Settings(
        SECOND,
        drift,
        SECOND / 5,
        SECOND / 10,
        SECOND / 50,
        chance.nextInt(4) == 0 ? 1 + chance.nextInt(3) : 1_000,
        1 + chance.nextInt(3),
        chance.nextInt(5) != 0,
        retires ? SECOND / 4 : 60 * SECOND,
        retires ? 1 : 1_000,
        fewNumbers ? 4 : 36,
        chance.nextInt(2) == 0 ? 1 : 48 << 10);
  }

  /** For how long a voter is away before another votes in its place. */
  long replaceAfter() {
    return severed ? Long.MAX_VALUE / 4 : 2 * settings.lease();
  }

  /**
   * What the wall clock of a site shows, in minutes: in some cases nothing; in some they go their
   * own ways and are set back and forth, even far into the future.
   */
  long minutes(long now, int site) {
    if (seed % 3 != 0 || isCalm()) {
      return 0;
    }
    Generator wall = Generator.of(seed + now / (2 * SECOND), "wall clock " + site);
    return wall.nextInt(20) == 0 ? wall.nextLong(1L << 40) : 1 + wall.nextLong(5_000);
  }

  /** Whether clocks keep what the settings promise: else fences alone are promised. */
  boolean isWithinDrift() {
    return clockError <= settings.drift();
  }

  /** A case in which nothing goes wrong and members do what the plain algorithm does. */
  static Case plain(Frame frame, long seed) {
    Case any = of(frame, seed);
    Settings settings = Settings.ofSecond(SECOND / 5).withoutLoansThatStay();
    return new Case(
        seed,
        any.sites,
        any.voters,
        any.sites,
        any.locks,
        1,
        Load.TAME,
        any.shape,
        any.rule,
        settings,
        settings.drift(),
        new Weather(any.weather.delay(), 0, 1, 0),
        10 * SECOND,
        false,
        List.of());
  }

  /** Whether nothing goes wrong. */
  boolean isCalm() {
    return mishaps.isEmpty() && weather.lateShare() == 0 && isWithinDrift();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d members, %d voting, %d from the start; %d locks, %d users each; %s on a %s; clocks"
            + " within %.1f %% of %.1f %%; fences of %d bits; %d mishaps",
        sites,
        voters,
        founders,
        locks,
        users,
        rule,
        shape.name().toLowerCase(Locale.ROOT),
        clockError / 10_000.0,
        settings.drift() / 10_000.0,
        settings.counterBits(),
        mishaps.size());
  }
}
