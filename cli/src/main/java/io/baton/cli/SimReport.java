package io.baton.cli;

import io.baton.algorithms.RingSetup;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Confidence;
import io.baton.simulator.run.Measures;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Samples;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What {@code baton sim} says of one or several runs. Over several, counts are sums, means are
 * means of the runs' means, and percentiles and the like are those of the first run.
 */
record SimReport(SystemSpec spec, RunConfig config, List<RunResult> results) {
  private static final int SHOWN_TREE = 64;

  private SortedMap<String, Long> messagesByKind() {
    SortedMap<String, Long> kinds = new TreeMap<>();
    for (RunResult result : results) {
      result
          .measures()
          .messagesByKind()
          .forEach((kind, count) -> kinds.merge(kind, count, Long::sum));
    }
    return kinds;
  }

  private Samples pooled(Function<Measures, Samples> which) {
    Samples all = new Samples();
    results.forEach(result -> all.addAll(which.apply(result.measures())));
    return all;
  }

  private long sum(ToLongFunction<Measures> figure) {
    return results.stream().mapToLong(result -> figure.applyAsLong(result.measures())).sum();
  }

  private long max(ToLongFunction<Measures> figure) {
    return results.stream()
        .mapToLong(result -> figure.applyAsLong(result.measures()))
        .max()
        .orElse(0);
  }

  private double mean(ToDoubleFunction<Measures> figure) {
    return results.stream()
        .mapToDouble(result -> figure.applyAsDouble(result.measures()))
        .average()
        .orElse(0);
  }

  private Confidence confidence(ToDoubleFunction<Measures> figure) {
    return Confidence.of(
        results.stream().mapToDouble(result -> figure.applyAsDouble(result.measures())).toArray());
  }

  private long stuck() {
    return results.stream().mapToLong(RunResult::stuck).sum();
  }

  private @Nullable Violation violation() {
    return results.get(results.size() - 1).violation();
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("algorithm", spec.algorithm());
    json.put("rule", spec.rule());
    json.put("policy", spec.policy());
    json.put("nodes", spec.nodes());
    if (Catalogue.find(spec.algorithm()).ring()) {
      json.put("resources", spec.ring().resources());
      json.put("direction", spec.ring().anticlockwise() ? "anticlockwise" : "clockwise");
      json.put("timeout", Numbers.exact(Ticks.units((double) spec.ring().timeout())));
      json.put("acks", spec.ring().acks());
    } else if (Catalogue.find(spec.algorithm()).tree() && spec.nodes() <= SHOWN_TREE) {
      json.put("tree", spec.tree().toString());
    }
    if (spec.graph() != null) {
      json.put("graph", spec.graph().toString());
    }
    json.put("seed", config.seed());
    json.put("runs", results.size());
    json.put("workload", config.workload().toString());
    json.put("delay", config.delay().toString());
    json.put("hold", config.hold().toString());
    json.put("channel", config.fifo() ? "fifo" : "overtaking");
    json.put("faults", config.faults().toString());
    json.put("criticalSections", sum(Measures::criticalSections));
    json.put("messages", sum(Measures::messages));
    json.put("messagesByKind", messagesByKind());
    json.put("messagesPerCs", samples(Measures::messagesPerCs, false));
    json.put("theory", theory());
    json.put("bytes", sum(Measures::bytes));
    json.put("largestMessage", max(Measures::largest));
    if (spec.graph() != null) {
      json.put("physicalHops", sum(Measures::hops));
    }
    json.put("waitingTime", samples(Measures::waiting, true));
    json.put("synchronisationDelay", samples(Measures::synchronisation, true));
    json.put("jainIndex", Numbers.exact(mean(Measures::fairness)));
    json.put("longestBypass", max(Measures::longestBypass));
    Map<String, Object> load = new LinkedHashMap<>();
    load.put("mean", Numbers.exact(mean(Measures::meanLoad)));
    load.put("max", max(Measures::maxLoad));
    json.put("loadPerNode", load);
    if (results.size() > 1) {
      Map<String, Object> intervals = new LinkedHashMap<>();
      intervals.put("messagesPerCs", interval(m -> m.messagesPerCs().mean()));
      intervals.put("waitingTime", interval(m -> Ticks.units(m.waiting().mean())));
      intervals.put("synchronisationDelay", interval(m -> Ticks.units(m.synchronisation().mean())));
      intervals.put("jainIndex", interval(Measures::fairness));
      json.put("confidence95", intervals);
    }
    long duration = results.stream().mapToLong(RunResult::duration).sum();
    json.put("virtualTime", Numbers.exact(Ticks.units((double) duration)));
    json.put("checked", config.checking().describe(spec.nodes()));
    json.put("violations", results.stream().mapToInt(RunResult::violations).sum());
    json.put("stuck", stuck());
    Violation violation = violation();
    if (violation != null) {
      json.put("violation", violation.toString());
    }
    return json;
  }

  private Map<String, Object> samples(Function<Measures, Samples> which, boolean ticks) {
    double unit = ticks ? Ticks.PER_UNIT : 1;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("mean", Numbers.exact(mean(m -> which.apply(m).mean()) / unit));
    Samples all = pooled(which);
    for (int percent : new int[] {50, 90, 99}) {
      json.put("p" + percent, Numbers.exact(all.percentile(percent) / unit));
    }
    json.put("max", Numbers.exact(all.max() / unit));
    return json;
  }

  private Map<String, Object> interval(ToDoubleFunction<Measures> figure) {
    Confidence confidence = confidence(figure);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("mean", Numbers.exact(confidence.mean()));
    json.put("plusMinus", Numbers.exact(confidence.halfWidth()));
    return json;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(title(spec)).append(", ").append(config.workload()).append(" workload, ");
    text.append(config.fifo() ? "fifo channels, " : "");
    text.append(config.faults().none() ? "" : "faults " + config.faults() + ", ");
    text.append(results.size() == 1 ? "seed " : "seeds from ").append(config.seed());
    text.append(results.size() == 1 ? "\n" : ", " + results.size() + " runs\n");
    line(text, "critical sections", Long.toString(sum(Measures::criticalSections)));
    String kinds =
        messagesByKind().entrySet().stream()
            .map(kind -> kind.getKey() + " " + kind.getValue())
            .collect(Collectors.joining(", ", " (", ")"));
    line(text, "messages", sum(Measures::messages) + (sum(Measures::messages) == 0 ? "" : kinds));
    line(text, "messages per CS", counts(Measures::messagesPerCs));
    line(text, "in theory", theory());
    double bytes = (double) sum(Measures::bytes) / Math.max(1, sum(Measures::criticalSections));
    line(text, "bytes per CS", Numbers.text(bytes) + ", largest message " + max(Measures::largest));
    if (spec.graph() != null) {
      double hops = (double) sum(Measures::hops) / Math.max(1, sum(Measures::criticalSections));
      line(text, "physical hops per CS", Numbers.text(hops));
    }
    line(text, "waiting time", times(Measures::waiting));
    line(text, "synchronisation delay", times(Measures::synchronisation));
    line(
        text,
        "fairness",
        String.format(
            "Jain's index %s, longest bypass %d",
            Numbers.text(mean(Measures::fairness)), max(Measures::longestBypass)));
    line(
        text,
        "messages per node",
        String.format(
            "mean %s, max %d", Numbers.text(mean(Measures::meanLoad)), max(Measures::maxLoad)));
    line(text, "invariants", checked(config, spec));
    line(text, "never granted", Long.toString(stuck()));
    Violation violation = violation();
    line(text, "violations", violation == null ? "0" : "1: " + violation);
    return text.toString();
  }

  static String checked(RunConfig config, SystemSpec spec) {
    int interval = config.checking().interval(spec.nodes());
    return (interval == 0 ? "" : "checked ") + config.checking().describe(spec.nodes());
  }

  /** What is run, in words. */
  static String title(SystemSpec spec) {
    StringBuilder title = new StringBuilder(spec.algorithm());
    if (spec.algorithm().equals("general")) {
      title.append(" (rule ").append(spec.rule()).append(')');
    }
    title.append(", ").append(Numbers.count(spec.nodes(), "node"));
    if (Catalogue.find(spec.algorithm()).ring()) {
      title.append(ring(spec.ring()));
    } else if (Catalogue.find(spec.algorithm()).tree()) {
      title.append(", tree of height ").append(spec.tree().height());
    }
    if (!spec.policy().equals("fifo")) {
      title.append(", policy ").append(spec.policy());
    }
    if (spec.graph() != null) {
      title.append(", ").append(Numbers.count(spec.graph().links(), "channel"));
    }
    return title.toString();
  }

  /** What a request costs in theory; the measured mean may count what failures cost. */
  private String theory() {
    LockSystem system = Catalogue.build(spec, Chooser.FIRST);
    return system.flood() != null
        ? system.flood() + ", or none"
        : system.cost().isOpen() ? Catalogue.find(spec.algorithm()).cost() : "" + system.cost();
  }

  private static String ring(RingSetup ring) {
    StringBuilder text = new StringBuilder();
    if (ring.resources() > 1) {
      text.append(", ").append(ring.resources()).append(" resources");
    }
    text.append(ring.anticlockwise() ? ", anticlockwise" : "");
    if (ring.timeout() > 0) {
      text.append(", time-out ").append(Ticks.text(ring.timeout()));
    }
    return text.append(ring.acks() ? ", acknowledged" : "").toString();
  }

  static void line(StringBuilder text, String name, String value) {
    text.append(String.format("  %-22s %s%n", name, value));
  }

  private String plusMinus(ToDoubleFunction<Measures> figure) {
    return results.size() == 1 ? "" : " ± " + Numbers.text(confidence(figure).halfWidth());
  }

  private String counts(Function<Measures, Samples> which) {
    Samples all = pooled(which);
    return String.format(
        "mean %s%s, p50 %d, p90 %d, p99 %d, max %d",
        Numbers.text(mean(m -> which.apply(m).mean())),
        plusMinus(m -> which.apply(m).mean()),
        all.percentile(50),
        all.percentile(90),
        all.percentile(99),
        all.max());
  }

  private String times(Function<Measures, Samples> which) {
    Samples all = pooled(which);
    return String.format(
        "mean %s%s, p50 %s, p90 %s, p99 %s, max %s",
        Numbers.time(mean(m -> which.apply(m).mean())),
        plusMinus(m -> Ticks.units(which.apply(m).mean())),
        Numbers.time(all.percentile(50)),
        Numbers.time(all.percentile(90)),
        Numbers.time(all.percentile(99)),
        Numbers.time(all.max()));
  }
}
