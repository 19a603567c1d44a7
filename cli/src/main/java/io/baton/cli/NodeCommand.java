package io.baton.cli;

import io.baton.Baton;
import io.baton.BatonConfig;
import io.baton.BatonStatus;
import io.baton.cli.live.StatusServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code baton node}: a member as a process of its own. */
@Command(
    name = "node",
    description = {
      "Run a member as a process, until it is asked to end (SIGTERM, Ctrl-C).",
      "",
      "It takes its configuration from baton.properties, the environment (BATON_PEERS=…) and --set,",
      "in this order; docs/CONFIGURATION.md has all keys. Three members on one machine, each in a",
      "shell of its own:",
      "",
      "  ${sys:baton.command:-baton} node --set bind=:7421 --set peers=:7421,:7422,:7423 --set data=/tmp/b1 --http 8421",
      "  ${sys:baton.command:-baton} node --set bind=:7422 --set peers=:7421,:7422,:7423 --set data=/tmp/b2 --http 8422",
      "  ${sys:baton.command:-baton} node --set bind=:7423 --set peers=:7421,:7422,:7423 --set data=/tmp/b3 --http 8423",
      "",
      "A cluster of one that others may join: --set found=true.",
      ""
    })
final class NodeCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "Instead of baton.properties.")
  private @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A key of the configuration; may be repeated.")
  private Map<String, String> keys = new LinkedHashMap<>();

  @Option(
      names = "--http",
      paramLabel = "PORT",
      defaultValue = "8420",
      description =
          "Where health and status are told as JSON, on this machine only: /health, /status;"
              + " 0: a free port. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Main.port(port);
    BatonConfig config = config();
    PrintWriter out = spec.commandLine().getOut();
    spec.commandLine().getErr().println("Joining cluster \"" + config.cluster() + "\" …");
    try (StatusServer server = new StatusServer(port);
        Baton baton = Baton.join(config)) {
      server.start(baton);
      BatonStatus status = baton.status();
      out.printf(
          "%s is a member of cluster \"%s\" (of %d), status at http://127.0.0.1:%d/status%n",
          baton.id(), status.cluster(), status.members().size(), server.port());
      out.flush();
      new CountDownLatch(1).await(); // until the process is asked to end
    }
    return Main.HELD;
  }

  private BatonConfig config() {
    BatonConfig.Builder config = BatonConfig.builder();
    if (file == null) {
      config.load();
    } else {
      config.load(file).loadEnvironment();
    }
    keys.forEach(config::set);
    return config.build();
  }
}
