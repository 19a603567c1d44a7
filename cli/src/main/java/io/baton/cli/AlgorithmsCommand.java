package io.baton.cli;

import io.baton.simulator.system.Catalogue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code baton algorithms}: what there is. */
@Command(name = "algorithms", description = "List the algorithms, one line each.")
final class AlgorithmsCommand extends Reporting {
  @Override
  public Integer call() {
    if (json) {
      List<Map<String, Object>> list = new ArrayList<>();
      for (Catalogue.Entry entry : Catalogue.entries()) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", entry.name());
        object.put("summary", entry.summary());
        object.put("messagesPerCs", entry.cost());
        if (entry.tree()) {
          object.put("defaultTree", entry.defaultTree());
        }
        list.add(object);
      }
      out().println(Json.text(Map.of("algorithms", list)));
      return Main.HELD;
    }
    for (Catalogue.Entry entry : Catalogue.entries()) {
      out()
          .printf(
              "%-20s %s; %s messages%s%n",
              entry.name(),
              entry.summary(),
              entry.cost(),
              entry.tree() ? "; tree: " + entry.defaultTree() : "");
    }
    out().flush();
    return Main.HELD;
  }
}
