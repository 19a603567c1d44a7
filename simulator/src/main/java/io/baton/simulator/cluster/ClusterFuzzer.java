package io.baton.simulator.cluster;

import io.baton.simulator.run.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Runs many seeds of whole members; the first failure with as few mishaps as show it. */
public final class ClusterFuzzer {
  private final Case.Frame frame;

  /** With so many members, drawn from the range. */
  public ClusterFuzzer(int least, int most) {
    this.frame = new Case.Frame(least, most);
  }

  /**
   * The outcome of many seeds.
   *
   * @param byPromise how many seeds broke which promise
   * @param longestWait for a grant once the faults had stopped, in microseconds
   */
  public record Outcome(
      long seeds,
      long failures,
      @Nullable Failure first,
      Map<String, Long> byPromise,
      long grants,
      long losses,
      long events,
      long longestWait) {
    private Outcome with(Failure failure) {
      return new Outcome(seeds, failures, failure, byPromise, grants, losses, events, longestWait);
    }
  }

  /**
   * A failure.
   *
   * @param journal what happened, with as few mishaps as show it
   */
  public record Failure(long seed, String promise, String how, List<String> journal) {}

  /** Runs the seeds from one to another, both included; the first failure is made short. */
  public Outcome run(long from, long to, LongConsumer progress) {
    Outcome sum = survey(from, to, progress);
    Failure first = sum.first();
    return first == null ? sum : sum.with(shorten(first.seed()));
  }

  /** Runs the seeds; the first failure is only named. */
  public Outcome survey(long from, long to, LongConsumer progress) {
    AtomicLong done = new AtomicLong();
    return LongStream.rangeClosed(from, to)
        .parallel()
        .mapToObj(
            seed -> {
              ClusterResult result = new World(Case.of(frame, seed), Journal.NONE).run();
              progress.accept(done.incrementAndGet());
              return outcome(seed, result);
            })
        .reduce(new Outcome(0, 0, null, Map.of(), 0, 0, 0, 0), ClusterFuzzer::sum);
  }

  private static Outcome outcome(long seed, ClusterResult result) {
    Violation violation = result.violation();
    Failure failure =
        violation == null
            ? null
            : new Failure(seed, violation.invariant(), violation.toString(), List.of());
    return new Outcome(
        1,
        violation == null ? 0 : 1,
        failure,
        violation == null ? Map.of() : Map.of(violation.invariant(), 1L),
        result.grants(),
        result.losses(),
        result.events(),
        result.longestWait());
  }

  private static Outcome sum(Outcome a, Outcome b) {
    Failure first =
        a.first() == null || (b.first() != null && b.first().seed() < a.first().seed())
            ? b.first()
            : a.first();
    Map<String, Long> byPromise = new TreeMap<>(a.byPromise());
    b.byPromise().forEach((promise, count) -> byPromise.merge(promise, count, Long::sum));
    return new Outcome(
        a.seeds() + b.seeds(),
        a.failures() + b.failures(),
        first,
        byPromise,
        a.grants() + b.grants(),
        a.losses() + b.losses(),
        a.events() + b.events(),
        Math.max(a.longestWait(), b.longestWait()));
  }

  /** Takes away mishaps as long as the same promise is broken. */
  private Failure shorten(long seed) {
    Case shortest = Case.of(frame, seed);
    Violation violation = violationOf(shortest);
    if (violation == null) {
      throw new IllegalStateException("Seed " + seed + " does not give the same run twice");
    }
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      for (int k = 0; k < shortest.mishaps().size() && !shorter; k++) {
        List<Case.Mishap> fewer = new ArrayList<>(shortest.mishaps());
        fewer.remove(k);
        Case candidate = shortest.with(fewer);
        Violation seen = violationOf(candidate);
        if (seen != null && seen.invariant().equals(violation.invariant())) {
          shortest = candidate;
          violation = seen;
          shorter = true;
        }
      }
    }
    List<String> journal = new ArrayList<>();
    journal.add("# seed " + seed + ": " + shortest);
    new World(shortest, new Journal(journal::add)).run();
    journal.add("violation " + violation);
    return new Failure(seed, violation.invariant(), violation.toString(), journal);
  }

  private static @Nullable Violation violationOf(Case plan) {
    return new World(plan, Journal.NONE).run().violation();
  }
}
