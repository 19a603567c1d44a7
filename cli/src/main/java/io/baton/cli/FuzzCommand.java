package io.baton.cli;

import io.baton.simulator.BadInputException;
import io.baton.simulator.TextFiles;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Tree;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton fuzz}: many seeds. */
@Command(
    name = "fuzz",
    sortOptions = false,
    description = {
      "Run many seeds on all cores, each a random system under a random load, and check every event."
          + " What is not given (tree, rule, policy) is drawn from the seed. The first failure is"
          + " made short, shown, and written to a file.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  baton fuzz --algorithm general --seeds 1..10000",
      "  baton fuzz --algorithm naimi-trehel --seeds 1..100 --faults loss",
      "  baton fuzz --algorithm open-cube-ft --nodes 2..64 --faults crash,recover",
      "  baton fuzz --algorithm ring --faults loss,duplicate,crash,recover",
      "  baton fuzz --algorithm network --faults absent,leave,cut,crash,recover",
      "  baton fuzz --members 3..9 --seeds 1..5000"
    })
final class FuzzCommand extends Reporting {
  @Mixin private final SystemOptions system = new SystemOptions();

  @Option(
      names = "--seeds",
      paramLabel = "FROM..TO",
      defaultValue = "1..1000",
      description = "Which seeds, both ends included. Default: ${DEFAULT-VALUE}.")
  private String seeds = "1..1000";

  @Option(
      names = "--members",
      paramLabel = "N or FROM..TO",
      description =
          "In place of an algorithm: whole members with links, lease, epochs and fences, so many,"
              + " while processes crash, stop and restart, connections break, clocks drift and"
              + " leaders change.")
  private @Nullable String members;

  @Option(
      names = "--nodes",
      paramLabel = "N or FROM..TO",
      defaultValue = "2..16",
      description = "How many nodes; drawn from the range. Default: ${DEFAULT-VALUE}.")
  private String nodes = "2..16";

  @Option(
      names = "--faults",
      paramLabel = "FAULTS",
      defaultValue = "none",
      description =
          "What goes wrong: none, all, or a list of loss=P, duplicate=P, crash=P, burst=S, every=T,"
              + " recover=T, cut=P, mend=T, leave=P, absent=S and suspect=P, as in sim. Where time"
              + " is counted in δ, each seed varies crashes by a factor of 0.1 to 10, times down by 0.1 to 100, and lets one node, a quarter or all"
              + " but one crash together; when the crashes are over, every node that is up asks"
              + " again, and the tree is looked at. Default: none.")
  private String faults = "none";

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Where the trace of the first failure goes. Default: fuzz-NAME-SEED.trace.")
  private @Nullable Path traceFile;

  private record Range(long from, long to) {
    private static final long MAX = 1L << 62;

    static Range parse(String name, String text) {
      String[] ends = text.split("\\.\\.", -1);
      try {
        long from = Long.parseLong(ends[0]);
        long to = Long.parseLong(ends[ends.length - 1]);
        if (ends.length <= 2 && from <= to && from > -MAX && to < MAX) {
          return new Range(from, to);
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw new BadInputException(
          name + " " + text + " is no range: write 7 or 1..1000, the smaller number first");
    }
  }

  @Override
  public Integer call() {
    Range seedRange = Range.parse("--seeds", seeds);
    if (members != null) {
      if (system.algorithm != null || !faults.equals("none")) {
        throw new BadInputException(
            "--members takes the place of --algorithm, and has mishaps of its own: leave --algorithm"
                + " and --faults out");
      }
      Range range = Range.parse("--members", members);
      return new MembersFuzz(out(), err(), json, traceFile)
          .run(range.from(), range.to(), seedRange.from(), seedRange.to());
    }
    Range nodeRange = Range.parse("--nodes", nodes);
    Tree.requireNodes(nodeRange.from());
    Tree.requireNodes(nodeRange.to());
    FuzzCases.Frame frame =
        new FuzzCases.Frame(
            system.wish((int) nodeRange.to(), Faults.NONE),
            (int) nodeRange.from(),
            (int) nodeRange.to(),
            Faults.parse(faults));
    if (traceFile != null) {
      TextFiles.requireWritable(traceFile);
    }
    FuzzCases.of(frame, seedRange.from()); // bad input is said here, not by a worker
    long total = seedRange.to() - seedRange.from() + 1;
    Fuzzer fuzzer = new Fuzzer(frame, Catalogue::build);
    Thread onInterrupt = new Thread(() -> err().println("\nbaton: stopped, " + fuzzer.soFar()));
    Fuzzer.Outcome outcome;
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    try (Progress progress = new Progress(err(), "seeds", total)) {
      outcome = fuzzer.run(seedRange.from(), seedRange.to(), progress::update);
    } finally {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    }
    report(outcome);
    return outcome.failures() == 0 ? Main.HELD : Main.BROKEN;
  }

  private void report(Fuzzer.Outcome outcome) {
    Fuzzer.Failure first = outcome.first();
    String replay = first == null ? "" : save(first);
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("algorithm", system.name());
      object.put("seeds", outcome.seeds());
      object.put("failures", outcome.failures());
      object.put("failuresByPromise", outcome.byPromise());
      object.put("inShapeByRound", outcome.aftermath().runs());
      object.put("worstOutOfShape", outcome.aftermath().worstCost());
      if (first != null) {
        Map<String, Object> failure = new LinkedHashMap<>();
        failure.put("seed", first.seed());
        failure.put("violation", first.violation().toString());
        failure.put("replay", replay);
        failure.put("rerun", rerun(first.seed()));
        failure.put("trace", first.trace().toString().lines().toList());
        object.put("firstFailure", failure);
      }
      out().println(Json.text(object));
      return;
    }
    out()
        .printf(
            "%s: %s, %s%n",
            system.name(),
            Numbers.count(outcome.seeds(), "seed"),
            Numbers.count(outcome.failures(), "failure"));
    outcome.byPromise().forEach((promise, seeds) -> out().printf("  %7d  %s%n", seeds, promise));
    printAftermath(outcome.aftermath());
    if (first != null) {
      out().printf("%nFailed on seed %d; made short:%n%n", first.seed());
      out().print(first.trace());
      out().printf("%nReplay this: %s%n", replay);
      out().printf("Run it again: %s%n", rerun(first.seed()));
    }
    out().flush();
  }

  private void printAftermath(Fuzzer.Aftermath aftermath) {
    long runs = aftermath.runs().values().stream().mapToLong(Long::longValue).sum();
    if (runs == 0) {
      return;
    }
    out()
        .printf(
            "%nNodes crashed in %s. After that every node that was up asked, round after round."
                + "%nThe tree was an open cube again%n",
            Numbers.count(runs, "run"));
    long sum = 0;
    for (Map.Entry<Integer, Long> entry : aftermath.runs().entrySet()) {
      sum += entry.getValue();
      if (entry.getKey() != RunResult.NEVER) {
        out().printf("  by round %d  in %d, %.1f %%%n", entry.getKey(), sum, 100.0 * sum / runs);
      }
    }
    if (aftermath.worstCost() > 0) {
      out().printf("Before that a request cost up to %d messages.%n", aftermath.worstCost());
    }
  }

  /** Writes the trace of a failure; what was found is shown even where it cannot be written. */
  private String save(Fuzzer.Failure failure) {
    Path file =
        traceFile != null
            ? traceFile
            : Path.of("fuzz-" + system.name() + "-" + failure.seed() + ".trace");
    String comment = "Found with seed " + failure.seed() + ", then made short.";
    try {
      TextFiles.write(file, failure.trace().saying(comment).toString());
      return Main.command() + " replay " + file;
    } catch (BadInputException e) {
      err().println("baton: " + e.getMessage());
      return Main.command() + " replay FILE, with the trace above in FILE";
    }
  }

  private String rerun(long seed) {
    StringBuilder command =
        new StringBuilder(Main.command() + " fuzz --algorithm " + system.name());
    command.append(" --seeds ").append(seed).append(" --nodes ").append(nodes);
    flag(command, "--tree", system.tree);
    flag(command, "--rule", system.rule);
    flag(command, "--policy", system.policy);
    flag(command, "--graph", system.graph);
    flag(command, "--resources", system.resources == null ? null : "" + system.resources);
    flag(command, "--direction", system.direction);
    flag(command, "--timeout", system.timeout);
    flag(command, "--faults", faults.equals("none") ? null : faults);
    return command.toString();
  }

  private static void flag(StringBuilder command, String name, @Nullable String value) {
    if (value != null) {
      command.append(' ').append(name).append(' ').append(value);
    }
  }
}
