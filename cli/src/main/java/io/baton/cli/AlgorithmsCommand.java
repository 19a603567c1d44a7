package io.baton.cli;

import io.baton.simulator.system.Catalogue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code baton algorithms}: what there is. */
@Command(
    name = "algorithms",
    mixinStandardHelpOptions = true,
    description = "List the algorithms, one line each.")
final class AlgorithmsCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(names = "--json", description = "One JSON object on standard output.")
  private boolean json;

  @Override
  public void run() {
    if (json) {
      List<Map<String, Object>> list = new ArrayList<>();
      for (Catalogue.Entry entry : Catalogue.entries()) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", entry.name());
        object.put("summary", entry.summary());
        object.put("messagesPerCs", entry.cost());
        object.put("defaultTree", entry.defaultTree());
        list.add(object);
      }
      spec.commandLine().getOut().println(Json.text(Map.of("algorithms", list)));
      return;
    }
    for (Catalogue.Entry entry : Catalogue.entries()) {
      spec.commandLine().getOut().printf("%-20s %s%n", entry.name(), entry.summary());
    }
    spec.commandLine().getOut().flush();
  }
}
