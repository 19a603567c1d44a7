package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.TextFiles;
import io.baton.simulator.cluster.ClusterFuzzer;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** {@code baton fuzz --members}: many seeds of whole members. */
final class MembersFuzz {
  private static final int MOST_MEMBERS = 64;
  private static final int SHOWN = 60; // lines of a failure

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private final @Nullable Path file;

  MembersFuzz(PrintWriter out, PrintWriter err, boolean json, @Nullable Path file) {
    this.out = out;
    this.err = err;
    this.json = json;
    this.file = file;
  }

  int run(long least, long most, long fromSeed, long toSeed) {
    if (least < 1 || most > MOST_MEMBERS) {
      throw new BadInputException(
          "--members " + least + ".." + most + " cannot be: take 1 to " + MOST_MEMBERS);
    }
    if (file != null) {
      TextFiles.requireWritable(file);
    }
    long start = System.nanoTime();
    ClusterFuzzer fuzzer = new ClusterFuzzer((int) least, (int) most);
    ClusterFuzzer.Outcome outcome;
    AtomicLong done = new AtomicLong();
    Thread onInterrupt =
        new Thread(
            () -> err.println("\nbaton: stopped after " + Numbers.count(done.get(), "seed")));
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    try (Progress progress = new Progress(err, "seeds", toSeed - fromSeed + 1)) {
      outcome =
          fuzzer.run(
              fromSeed,
              toSeed,
              seeds -> {
                done.accumulateAndGet(seeds, Math::max);
                progress.update(seeds);
              });
    } finally {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    String range = least == most ? "" + least : least + ".." + most;
    if (json) {
      out.println(Json.text(asJson(outcome, range, seconds)));
    } else {
      print(outcome, range, seconds);
    }
    out.flush();
    return outcome.failures() == 0 ? Main.HELD : Main.BROKEN;
  }

  private static Map<String, Object> asJson(
      ClusterFuzzer.Outcome outcome, String range, double seconds) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("members", range);
    object.put("seeds", outcome.seeds());
    object.put("failures", outcome.failures());
    object.put("failuresByPromise", outcome.byPromise());
    object.put("grants", outcome.grants());
    object.put("losses", outcome.losses());
    object.put("events", outcome.events());
    object.put("longestWaitSeconds", Numbers.exact(outcome.longestWait() / 1e6));
    object.put("seedsPerSecond", Math.round(outcome.seeds() / seconds));
    ClusterFuzzer.Failure first = outcome.first();
    if (first != null) {
      Map<String, Object> failure = new LinkedHashMap<>();
      failure.put("seed", first.seed());
      failure.put("violation", first.how());
      failure.put("rerun", rerun(range, first.seed()));
      failure.put("journal", first.journal());
      object.put("firstFailure", failure);
    }
    return object;
  }

  private void print(ClusterFuzzer.Outcome outcome, String range, double seconds) {
    out.printf(
        "%s members: %s, %s%n",
        range,
        Numbers.count(outcome.seeds(), "seed"),
        Numbers.count(outcome.failures(), "failure"));
    outcome.byPromise().forEach((promise, seeds) -> out.printf("  %7d  %s%n", seeds, promise));
    out.printf(
        "%,d grants, %,d holds lost, %,d events; once the faults had stopped, the longest wait was"
            + " %.1f s (lease 1 s)%n%.0f seeds per second%n",
        outcome.grants(),
        outcome.losses(),
        outcome.events(),
        outcome.longestWait() / 1e6,
        outcome.seeds() / seconds);
    ClusterFuzzer.Failure first = outcome.first();
    if (first != null) {
      List<String> journal = first.journal();
      int from = Math.max(1, journal.size() - SHOWN);
      out.printf("%nFailed on seed %d; with as few mishaps as show it:%n%n", first.seed());
      out.println(journal.get(0));
      if (from > 1) {
        out.printf("… %,d lines%n", from - 1);
      }
      journal.subList(from, journal.size()).forEach(out::println);
      save(first);
      out.printf("Run it again: %s%n", rerun(range, first.seed()));
    }
  }

  private void save(ClusterFuzzer.Failure failure) {
    Path target = file != null ? file : Path.of("fuzz-members-" + failure.seed() + ".journal");
    try {
      TextFiles.write(target, String.join("\n", failure.journal()) + "\n");
      out.printf("%nAll of it: %s%n", target);
    } catch (BadInputException e) {
      err.println("baton: " + e.getMessage());
    }
  }

  private static String rerun(String range, long seed) {
    return Main.command() + " fuzz --members " + range + " --seeds " + seed;
  }
}
