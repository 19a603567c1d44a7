package io.baton.cli;

import io.baton.simulator.run.FreshEach;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.SystemSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code baton sim --workload fresh-each} says. */
record FreshEachReport(SystemSpec spec, RunConfig config, FreshEach result) {
  private static final int SHOWN_NODES = 32;

  Map<String, Object> json() {
    Map<String, Object> perCs = new LinkedHashMap<>();
    perCs.put("mean", Numbers.exact(result.total().mean()));
    perCs.put("max", result.total().max());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("algorithm", spec.algorithm());
    json.put("rule", spec.rule());
    json.put("policy", spec.policy());
    json.put("nodes", spec.nodes());
    json.put("seed", config.seed());
    json.put("workload", WorkloadOptions.FRESH_EACH);
    json.put("criticalSections", result.total().size());
    json.put("messages", result.total().sum());
    json.put("messagesPerCs", perCs);
    json.put("perNode", result.perNode());
    json.put("sum", result.total().sum());
    json.put("mean", Numbers.exact(result.total().mean()));
    json.put("max", result.total().max());
    if (result.theory() != null) {
      json.put("theory", theory());
    }
    json.put("violations", result.violation() == null ? 0 : 1);
    json.put("checked", config.checking().describe(spec.nodes()));
    json.put("stuck", stuck());
    if (result.violation() != null) {
      json.put("violation", result.violation().toString());
    }
    return json;
  }

  private Map<String, Object> theory() {
    Map<String, Object> theory = new LinkedHashMap<>();
    if (result.theory() != null) {
      theory.put("sum", result.theory());
      theory.put("mean", Numbers.exact((double) result.theory() / spec.nodes()));
    }
    return theory;
  }

  private int stuck() {
    Violation violation = result.violation();
    return violation != null && violation.invariant().equals(Violation.LIVENESS) ? 1 : 0;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(SimReport.title(spec)).append(", each in turn alone in a fresh system\n");
    String perNode =
        result.perNode().stream()
            .limit(SHOWN_NODES)
            .map(String::valueOf)
            .collect(Collectors.joining(" "));
    SimReport.line(
        text,
        "messages of node 1, 2, …",
        perNode + (spec.nodes() > SHOWN_NODES ? " … (all with --json)" : ""));
    String sum = Long.toString(result.total().sum());
    String mean = Numbers.text(result.total().mean());
    if (result.theory() != null) {
      sum += ", in theory " + result.theory();
      mean += ", in theory " + Numbers.text((double) result.theory() / spec.nodes());
    }
    SimReport.line(text, "sum", sum);
    SimReport.line(text, "mean", mean);
    SimReport.line(text, "max", Long.toString(result.total().max()));
    SimReport.line(text, "invariants", SimReport.checked(config, spec) + ", and at the end");
    SimReport.line(
        text, "violations", result.violation() == null ? "0" : "1: " + result.violation());
    return text.toString();
  }
}
