package io.baton.simulator.cluster;

import io.baton.member.Settings;
import java.util.List;
import java.util.stream.Stream;

/**
 * Members under each rule, on the tree that suits it, with one lock that all want: what a grant
 * costs where calls are rare and where all want it at once, and how long the next one takes when
 * the holder dies.
 *
 * @param rare letters per grant where calls are rare, and the most for one call
 * @param busy letters per grant where all want the lock all the time
 * @param meanWait then, in message delays
 * @param recovery seconds from the crash of the holder to the next grant, with a lease of 5 s
 * @param slowest of the crashes tried
 * @param again letters of the lock in that time: requests that are issued again
 * @param change letters of the change of epoch itself
 */
public record RuleTrial(
    String rule,
    int members,
    double rare,
    long worst,
    double busy,
    double meanWait,
    double longestWait,
    double recovery,
    double slowest,
    double again,
    double change) {
  private static final int CRASHES = 5;
  private static final long DELAY = 200; // the longest, in microseconds; the mean is half of it

  /** The rules that there are. */
  public static List<String> rules() {
    return Stream.of(Case.RuleName.values()).map(Case.RuleName::toString).toList();
  }

  /** Tries a rule with so many members. */
  public static RuleTrial of(String name, int members, long seed) {
    Case.RuleName rule =
        Stream.of(Case.RuleName.values())
            .filter(each -> each.toString().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("There is no rule " + name));
    long think = 40L * DELAY * members;
    Costs rare = run(plan(rule, members, seed, new Case.Load(think, 1, false), List.of()));
    Case.Load greedy = new Case.Load(DELAY, DELAY, false);
    Costs busy = run(plan(rule, members, seed, greedy, List.of()));
    Case.Load slow = new Case.Load(1, Case.SECOND, false);
    double recovery = 0;
    double slowest = 0;
    long again = 0;
    long change = 0;
    for (int k = 0; k < CRASHES; k++) {
      long when = 17 * Case.SECOND + k * Case.SECOND / CRASHES;
      Case.Mishap crash = new Case.Mishap(when, Case.Kind.CRASH_HOLDER, k, 0, 60 * Case.SECOND);
      Costs crashed = run(plan(rule, members, seed + k, slow, List.of(crash)));
      recovery += crashed.recovery() / 1e6 / CRASHES;
      slowest = Math.max(slowest, crashed.recovery() / 1e6);
      again += crashed.lettersOfRecovery();
      change += crashed.lettersOfChanges();
    }
    return new RuleTrial(
        name,
        members,
        rare.lettersPerGrant(),
        rare.worst(),
        busy.lettersPerGrant(),
        busy.meanWait() / (DELAY / 2.0),
        busy.longestWait() / (DELAY / 2.0),
        recovery,
        slowest,
        (double) again / CRASHES,
        (double) change / CRASHES);
  }

  private static Case plan(
      Case.RuleName rule, int members, long seed, Case.Load load, List<Case.Mishap> mishaps) {
    int voters = members < 3 ? 1 : 3;
    return new Case(
        seed,
        members,
        voters,
        members,
        1,
        1,
        load,
        rule.shape,
        rule,
        Settings.ofSecond(Case.SECOND),
        0,
        new Case.Weather(DELAY, 0, 1, 0),
        (mishaps.isEmpty() ? 17 : 26) * Case.SECOND,
        false,
        mishaps);
  }

  private static Costs run(Case plan) {
    World world = new World(plan, Journal.NONE);
    ClusterResult result = world.run();
    if (result.violation() != null) {
      throw new IllegalStateException(plan + ": " + result.violation());
    }
    return world.costs();
  }
}
