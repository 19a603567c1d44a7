package io.baton.simulator.fuzz;

import io.baton.simulator.BadInputException;
import io.baton.simulator.Experiment;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.trace.Shrinker;
import io.baton.simulator.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Runs the cases of many seeds on all cores. The outcome does not depend on how many cores. */
public final class Fuzzer {
  private final FuzzCases.Frame frame;
  private final Catalogue.Builder builder;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final SortedMap<Integer, Long> rounds = new ConcurrentSkipListMap<>();
  private final SortedMap<String, Long> byPromise = new ConcurrentSkipListMap<>();
  private final AtomicLong worstCost = new AtomicLong();
  private final AtomicLong firstFailing = new AtomicLong(Long.MAX_VALUE);

  /** A fuzz run about to begin. */
  public Fuzzer(FuzzCases.Frame frame, Catalogue.Builder builder) {
    this.frame = frame;
    this.builder = builder;
  }

  /**
   * What came out.
   *
   * @param failures how many seeds broke a promise
   * @param first the lowest of them, or null
   * @param byPromise how many seeds broke which promise
   */
  public record Outcome(
      long seeds,
      long failures,
      @Nullable Failure first,
      SortedMap<String, Long> byPromise,
      Aftermath aftermath) {}

  /**
   * How the trees were found after crashes.
   *
   * @param runs by how often every node that was up had to ask until the tree had its shape
   * @param worstCost the messages of the costliest request before that, one at a time
   */
  public record Aftermath(SortedMap<Integer, Long> runs, long worstCost) {}

  /**
   * A seed that broke a promise.
   *
   * @param trace a short trace that breaks the same one
   */
  public record Failure(long seed, Violation violation, Trace trace) {}

  /**
   * Runs the seeds from one number to another, both included.
   *
   * @param progress is told the number of seeds done now and then
   */
  public Outcome run(long from, long to, LongConsumer progress) {
    long total = Math.addExact(Math.subtractExact(to, from), 1);
    int cores = Runtime.getRuntime().availableProcessors();
    ExecutorService pool = Executors.newFixedThreadPool(cores);
    try {
      List<CompletableFuture<Void>> workers = new ArrayList<>();
      for (int core = 0; core < cores; core++) {
        workers.add(CompletableFuture.runAsync(() -> work(from, total, progress), pool));
      }
      workers.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      if (e.getCause() instanceof BadInputException badInput) {
        throw badInput;
      }
      throw e;
    } finally {
      pool.shutdownNow();
    }
    Failure first = failures.get() == 0 ? null : explain(from + firstFailing.get());
    return new Outcome(
        done.get(),
        failures.get(),
        first,
        new TreeMap<>(byPromise),
        new Aftermath(new TreeMap<>(rounds), worstCost.get()));
  }

  /** How far it has come, in words. */
  public String soFar() {
    return String.format(
        "%d seeds done, %d failures%s",
        done.get(),
        failures.get(),
        failures.get() == 0 ? "" : ", the first at place " + (firstFailing.get() + 1));
  }

  private void work(long from, long total, LongConsumer progress) {
    for (long k = next.getAndIncrement(); k < total; k = next.getAndIncrement()) {
      RunResult result = FuzzCases.of(frame, from + k).run(builder);
      if (result.violation() != null) {
        failures.incrementAndGet();
        byPromise.merge(result.violation().invariant(), 1L, Long::sum);
        firstFailing.accumulateAndGet(k, Math::min);
      }
      note(result.healed());
      long count = done.incrementAndGet();
      if (count % 64 == 0) {
        progress.accept(count);
      }
    }
  }

  private void note(RunResult.@Nullable Healed found) {
    if (found != null) {
      rounds.merge(found.rounds(), 1L, Long::sum);
      worstCost.accumulateAndGet(found.worstCost(), Math::max);
    }
  }

  private Failure explain(long seed) {
    Experiment failing = FuzzCases.of(frame, seed);
    Experiment.Recorded recorded = failing.record(builder);
    Violation violation = recorded.result().violation();
    if (violation == null) {
      throw new IllegalStateException("Seed " + seed + " failed once and then no more");
    }
    Trace trace =
        Shrinker.shrink(failing.system(), builder, recorded.recorder().lines(), violation);
    if (trace == null) { // broken by what only the run saw
      trace = Trace.of(failing.system(), recorded.recorder().lines(), violation);
    }
    return new Failure(seed, violation, trace);
  }
}
