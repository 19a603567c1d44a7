package io.baton.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures, each beside what the machine itself can do in the same run: {@code java -jar
 * bench/target/bench.jar [retake] [cycle] [alternate] [contend] [memory] [idle] [recover]}; all of
 * them without arguments.
 */
public final class Main {
  private static final List<String> ALL =
      List.of("retake", "cycle", "alternate", "contend", "memory", "idle", "recover");
  private static final int ROUNDS = 5_000;
  private static final int CONTEND_MILLIS = 10_000;
  private static final int CYCLE_MILLIS = 3_000;
  private static final int LOCKS = 1_000_000;
  private static final int IDLE_SECONDS = 30;

  private Main() {}

  /** Runs what is named, or all. */
  public static void main(String[] args) throws IOException, InterruptedException, RunnerException {
    List<String> wanted = args.length == 0 ? ALL : List.of(args);
    for (String each : wanted) {
      switch (each) {
        case "retake" -> retake();
        case "cycle" -> cycle();
        case "alternate" -> alternate();
        case "contend" -> contend();
        case "memory" -> memory();
        case "idle" -> idle();
        case "recover" -> recover();
        default -> {
          System.err.println("bench: there is no " + each + "; there are " + ALL);
          System.exit(2);
        }
      }
    }
  }

  private static void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static void retake() throws RunnerException {
    for (int threads = 1; threads <= 2; threads++) {
      Collection<RunResult> results =
          new Runner(
                  new OptionsBuilder()
                      .include(RetakeBenchmark.class.getName())
                      .threads(threads)
                      .verbosity(VerboseMode.SILENT)
                      .build())
              .run();
      Map<String, Double> nanos = new TreeMap<>();
      for (RunResult result : results) {
        String name = result.getParams().getBenchmark();
        nanos.put(name.substring(name.lastIndexOf('.') + 1), result.getPrimaryResult().getScore());
      }
      say("take and release again, nobody else asking, %d thread(s), ns:", threads);
      ratio("  one lock, as a hold", nanos, "hold", "reentrantLock");
      ratio("  one lock, as a Lock", nanos, "lock", "reentrantLock");
      ratio("  a thousand locks in turn", nanos, "thousandHolds", "thousandReentrantLocks");
    }
  }

  private static void ratio(String what, Map<String, Double> nanos, String baton, String floor) {
    double ours = nanos.getOrDefault(baton, Double.NaN);
    double plain = nanos.getOrDefault(floor, Double.NaN);
    say("%-40s %8.0f  ReentrantLock %6.0f  ratio %5.1f", what, ours, plain, ours / plain);
  }

  /** Three members, each with a thousand locks of its own, which it takes in turn, at once. */
  private static void cycle() throws IOException {
    try (Children three = new Children(3)) {
      say("three members, each cycling through a thousand locks of its own, all at once, ns:");
      List<String> plain = List.of();
      List<String> ours = List.of();
      for (int round = 0; round < 2; round++) { // the first to warm up
        plain = three.askAll("plain " + CYCLE_MILLIS);
        ours = three.askAll("cycle " + CYCLE_MILLIS);
      }
      for (int k = 0; k < 3; k++) {
        double floor = Double.parseDouble(plain.get(k));
        double took = Double.parseDouble(ours.get(k));
        say("  member %d %39.0f  ReentrantLock %6.0f  ratio %5.1f", k, took, floor, took / floor);
      }
    }
  }

  /** A member of a cluster of three, with all that is around it, that used many locks once. */
  private static void memory() throws IOException {
    try (Children three = new Children(3)) {
      say("%,d locks once used by one of three members, its whole heap, bytes each:", LOCKS);
      say("  %49s", three.ask(1, "use " + LOCKS));
    }
  }

  /** Two members take the lock in turn, and ping each other in turn. */
  private static void alternate() throws IOException {
    try (Children two = new Children(2)) {
      two.ask(0, "connect " + two.echo(1));
      two.ask(1, "connect " + two.echo(0));
      long[] pings = new long[ROUNDS];
      long[] takes = new long[ROUNDS];
      for (int k = -2 * ROUNDS; k < ROUNDS; k++) { // the first to warm up
        long ping = Long.parseLong(two.ask(k & 1, "ping"));
        long take = Long.parseLong(two.ask(k & 1, "take"));
        if (k >= 0) {
          pings[k] = ping;
          takes[k] = take;
        }
      }
      Arrays.sort(pings);
      Arrays.sort(takes);
      say("strict alternation between two members, µs (p50 / p99):");
      say("  one Netty round trip of 32 bytes         %6.1f / %6.1f", at(pings, 50), at(pings, 99));
      say("  acquire                                  %6.1f / %6.1f", at(takes, 50), at(takes, 99));
      say("  ratio of the medians                     %6.2f", at(takes, 50) / at(pings, 50));
    }
  }

  private static double at(long[] sorted, int percent) {
    return sorted[sorted.length * percent / 100] / 1e3;
  }

  private static void contend() throws IOException {
    try (Children three = new Children(3)) {
      three.ask(0, "connect " + three.echo(1));
      three.ask(0, "pings 1000");
      double floor =
          Long.parseLong(three.ask(0, "pings " + CONTEND_MILLIS)) / (CONTEND_MILLIS / 1e3);
      for (int round = 0; round < 2; round++) { // the first to warm up
        List<String> told = three.askAll("contend " + CONTEND_MILLIS);
        long grants = 0;
        long handOvers = 0;
        long least = Long.MAX_VALUE;
        long most = 0;
        long fewest = Long.MAX_VALUE;
        long greatest = 0;
        for (int k = 0; k < 3; k++) {
          List<String> words = List.of(told.get(k).split(" ", 2));
          long mine = Long.parseLong(words.get(0));
          grants += mine;
          long visits = Long.parseLong(words.get(1));
          handOvers += visits;
          least = Math.min(least, visits);
          most = Math.max(most, visits);
          fewest = Math.min(fewest, mine);
          greatest = Math.max(greatest, mine);
        }
        if (round > 0) {
          double perSecond = handOvers / (CONTEND_MILLIS / 1e3);
          say("three members contend for one lock, empty critical section, per second:");
          say("  round trips, one after the other         %,8.0f", floor);
          say(
              "  hand-overs                               %,8.0f  ratio %.2f",
              perSecond, perSecond / floor);
          say("  grants                                   %,8.0f", grants / (CONTEND_MILLIS / 1e3));
          say("  least share of hand-overs by largest     %8.2f", least / (double) most);
          say("  least share of grants by largest         %8.2f", fewest / (double) greatest);
        }
      }
    }
  }

  /** How long the lock of a member that ends is waited for, by another. */
  private static void recover() throws IOException, InterruptedException {
    try (Children five = new Children(5)) {
      say("from the end of a holder to the next grant, default lease of 5 s, in s:");
      for (int k = 0; k < 3; k++) {
        say("  SIGKILL                                  %6.3f", endHolder(five, false, false));
      }
      for (int k = 0; k < 2; k++) {
        say("  SIGKILL, it led the voters               %6.3f", endHolder(five, false, true));
      }
      for (int k = 0; k < 3; k++) {
        say("  SIGTERM                                  %6.3f", endHolder(five, true, false));
      }
      for (int k = 0; k < 2; k++) {
        say("  SIGTERM, it led the voters               %6.3f", endHolder(five, true, true));
      }
      for (int k = 0; k < 3; k++) {
        restartHolder(five);
      }
    }
    long start = System.nanoTime();
    try (Children three = new Children(3)) {
      three.ask(0, "hold");
      say(
          "  three processes started, to the first    %6.3f  one lease of it",
          (System.nanoTime() - start) / 1e9);
    }
  }

  /** As a supervisor does: the process is started again at once. */
  private static void restartHolder(Children five) throws IOException, InterruptedException {
    int holder = (five.leader() + 1) % 5;
    int next = (holder + 1) % 5;
    five.ask(holder, "hold");
    five.order(next, "wait");
    TimeUnit.MILLISECONDS.sleep(500); // until its request is there
    long ended = five.end(holder, false);
    five.startAgain(holder);
    double joined = (System.nanoTime() - ended) / 1e9;
    double granted = (Long.parseLong(five.answer(next)) - ended) / 1e9;
    say(
        "  SIGKILL, and started again at once       %6.3f  it has joined after %.3f",
        granted, joined);
    TimeUnit.SECONDS.sleep(3);
  }

  private static double endHolder(Children five, boolean kindly, boolean leads)
      throws IOException, InterruptedException {
    int leader = five.leader();
    int holder = leads ? leader : (leader + 1) % 5;
    int next = (leader + 2) % 5;
    five.ask(holder, "hold");
    five.order(next, "wait");
    TimeUnit.MILLISECONDS.sleep(500); // until its request is there
    long ended = five.end(holder, kindly);
    long granted = Long.parseLong(five.answer(next));
    five.startAgain(holder);
    TimeUnit.SECONDS.sleep(3); // until there is a leader again
    return (granted - ended) / 1e9;
  }

  private static void idle() throws IOException, InterruptedException {
    try (Children five = new Children(5)) {
      TimeUnit.SECONDS.sleep(60); // until all has been compiled that will be
      long[] before = new long[5];
      for (int k = 0; k < 5; k++) {
        before[k] = five.cpu(k).toNanos();
      }
      TimeUnit.SECONDS.sleep(IDLE_SECONDS);
      say("an idle cluster of five, share of a core each:");
      for (int k = 0; k < 5; k++) {
        say(
            "  member %d                                 %5.2f %%",
            k, (five.cpu(k).toNanos() - before[k]) / 1e7 / IDLE_SECONDS);
      }
      for (String key : List.of("VmRSS", "Threads")) {
        long bare = Children.bareStatus(key);
        say("  %-8s of member 0, and of a bare process  %,d  %,d", key, five.status(0, key), bare);
      }
    }
  }
}
