package io.baton.cli;

import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Measures;
import io.baton.simulator.run.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code baton sim --algorithm all} says: every algorithm on the same workload. */
final class Comparison {
  private record Row(String algorithm, RunResult result) {
    private double perCs(long total) {
      return (double) total / Math.max(1, measures().criticalSections());
    }

    Measures measures() {
      return result.measures();
    }
  }

  private final List<Row> rows = new ArrayList<>();

  void add(String algorithm, RunResult result) {
    rows.add(new Row(algorithm, result));
  }

  /** Whether no run broke a promise. */
  boolean held() {
    return rows.stream().allMatch(row -> row.result().violation() == null);
  }

  String text() {
    Table table =
        new Table(
            "algorithm",
            "messages/CS",
            "max",
            "waiting",
            "sync delay",
            "Jain",
            "bypass",
            "bytes/CS",
            "largest",
            "violations");
    for (Row row : rows) {
      Measures m = row.measures();
      table.row(
          row.algorithm(),
          Numbers.text(m.messagesPerCs().mean()),
          m.messagesPerCs().max(),
          Numbers.time(m.waiting().mean()),
          Numbers.time(m.synchronisation().mean()),
          Numbers.text(m.fairness()),
          m.longestBypass(),
          Numbers.text(row.perCs(m.bytes())),
          m.largest(),
          row.result().violation() == null ? "0" : "1");
    }
    return table.toString();
  }

  Map<String, Object> json() {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Row row : rows) {
      Measures m = row.measures();
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("algorithm", row.algorithm());
      object.put("criticalSections", m.criticalSections());
      object.put("messages", m.messages());
      object.put("messagesPerCs", Numbers.exact(m.messagesPerCs().mean()));
      object.put("maxMessagesPerCs", m.messagesPerCs().max());
      object.put("waitingTime", Numbers.exact(Ticks.units(m.waiting().mean())));
      object.put("synchronisationDelay", Numbers.exact(Ticks.units(m.synchronisation().mean())));
      object.put("jainIndex", Numbers.exact(m.fairness()));
      object.put("longestBypass", m.longestBypass());
      object.put("bytesPerCs", Numbers.exact(row.perCs(m.bytes())));
      object.put("largestMessage", m.largest());
      object.put("violations", row.result().violation() == null ? 0 : 1);
      list.add(object);
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("algorithms", list);
    json.put("violations", held() ? 0 : 1);
    return json;
  }
}
