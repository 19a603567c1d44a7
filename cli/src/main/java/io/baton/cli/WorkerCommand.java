package io.baton.cli;

import io.baton.BatonConfig;
import io.baton.cli.live.Worker;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton worker}: a member process of a demonstration, started by it. */
@Command(name = "worker", hidden = true, description = "A member process of a demonstration.")
final class WorkerCommand implements Callable<Integer> {
  @Option(names = "--name", required = true)
  private String name = "";

  @Option(names = "--folder", required = true)
  private Path folder = Path.of(".");

  @Option(names = "--locks", required = true)
  private int locks;

  @Option(names = "--clients", required = true)
  private int clients;

  @Option(names = "--think", required = true)
  private long thinkMicros;

  @Option(names = "--elections")
  private boolean elections;

  @Option(names = "--set")
  private Map<String, String> keys = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException {
    BatonConfig.Builder config = BatonConfig.builder();
    keys.forEach(config::set);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Worker.run(
        new Worker.Plan(folder, name, locks, clients, thinkMicros, elections), config.build(), out);
    return Main.HELD;
  }
}
