package io.baton.cli;

import io.baton.simulator.TextFiles;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.trace.Playback;
import io.baton.simulator.trace.Replay;
import io.baton.simulator.trace.Trace;
import io.baton.simulator.trace.TraceLine;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton replay}: a trace, step by step. */
@Command(
    name = "replay",
    sortOptions = false,
    description = {
      "Play a trace, recorded or written by hand. Where it says step by step what happened (below a"
          + " line of dashes), every step and every change is compared; where it does not, the"
          + " steps are made up and shown.",
      ""
    },
    footer = {
      "",
      "Exit code 0: all agrees and holds. 1: it differs, or a promise is broken (as it should be,",
      "where the trace ends in a violation; then the text says that both agree).",
      "",
      "Example:  baton replay traces/general-scheme-figures-2-3.trace"
    })
final class ReplayCommand extends Reporting {
  @Parameters(paramLabel = "FILE", description = "The trace file.")
  @SuppressWarnings("NullAway.Init") // set by picocli
  private Path file;

  @Option(
      names = "--write",
      description =
          "First writes what its steps change now into the file, or the steps of its script: makes"
              + " or renews a golden trace.")
  private boolean write;

  @Override
  public Integer call() {
    Trace trace = Trace.read(file);
    if (write) {
      trace = Replay.renew(trace, Catalogue::build);
      TextFiles.write(file, trace.toString());
    }
    Replay replay = Replay.of(trace, Catalogue::build);
    if (json) {
      out().println(Json.text(json(trace, replay)));
    } else {
      print(trace, replay);
    }
    out().flush();
    return replay.mismatch() == null && replay.violation() == null ? Main.HELD : Main.BROKEN;
  }

  private Map<String, Object> json(Trace trace, Replay replay) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("file", file.toString());
    object.put("algorithm", trace.system().algorithm());
    object.put("nodes", trace.system().nodes());
    object.put("steps", replay.lines().stream().map(TraceLine::toString).toList());
    object.put("finalFathers", replay.fathers());
    object.put("golden", !trace.lines().isEmpty());
    object.put("agrees", replay.mismatch() == null);
    object.put("violations", replay.violation() == null ? 0 : 1);
    if (replay.mismatch() != null) {
      object.put("mismatch", replay.mismatch());
    }
    if (replay.violation() != null) {
      object.put("violation", replay.violation().toString());
    }
    return object;
  }

  private void print(Trace trace, Replay replay) {
    trace.comments().forEach(comment -> out().println("# " + comment));
    boolean hasTree = Catalogue.find(trace.system().algorithm()).tree();
    String tree = hasTree ? ", tree " + trace.system().tree() : "";
    out().printf("%s%s%n%n", SimReport.title(trace.system()), tree);
    replay.lines().forEach(out()::println);
    out().println();
    if (!replay.fathers().isEmpty()) {
      StringBuilder end = new StringBuilder("The tree in the end:");
      for (int i = 0; i < replay.fathers().size(); i++) {
        String father = replay.fathers().get(i);
        end.append(' ').append(i + 1);
        end.append(
            switch (father) {
              case "nil" -> " is root";
              case Playback.DOWN -> " is down";
              default -> ">" + father;
            });
      }
      out().println(end.toString().replaceAll("(\\d+ is (root|down))(?=.)", "$1,"));
    }
    if (replay.mismatch() != null) {
      out().println(replay.mismatch());
    } else if (replay.violation() != null) {
      out()
          .printf(
              "Breaks %s%n%s",
              replay.violation(), trace.violation() == null ? "" : "as the trace says it does.\n");
    } else {
      out()
          .printf(
              "%d steps, all invariants hold%s.%n",
              replay.lines().size(), trace.lines().isEmpty() ? "" : ", all as the trace says");
    }
  }
}
