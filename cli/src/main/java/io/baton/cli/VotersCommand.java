package io.baton.cli;

import io.baton.cluster.DataFolder;
import io.baton.simulator.BadInputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code baton voters}: what an operator decides about those who vote. */
@Command(
    name = "voters",
    description = {"Decide about the voters of a cluster.", ""})
final class VotersCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  @Command(
      name = "accept",
      description = {
        "Agree that a data folder which was copied, or restored from a backup, is used where it is now.",
        "",
        "Only where no member of the cluster has gone on since the copy was made, as when a disk was",
        "replaced while all were stopped: a voter that forgets what it promised could elect two leaders.",
        "In any other case delete the folder, and its member comes back as a new one.",
        ""
      })
  int accept(
      @Option(
              names = "--data",
              required = true,
              paramLabel = "FOLDER",
              description = "The data folder of a member that does not run.")
          Path folder) {
    try {
      DataFolder.accept(folder);
    } catch (IOException e) {
      throw new BadInputException("Cannot accept " + folder + ": " + e.getMessage());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(folder + " may be used where it is now.");
    return Main.HELD;
  }
}
