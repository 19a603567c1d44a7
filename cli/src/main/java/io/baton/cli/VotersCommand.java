package io.baton.cli;

import io.baton.cluster.DataFolder;
import io.baton.simulator.BadInputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
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
      name = "show",
      description = {"Print who votes, as a voter on this machine knows.", ""})
  int show(@Mixin Port http) throws InterruptedException {
    Map<String, Object> status = StatusCommand.ask(http.port, "GET", "/status");
    PrintWriter out = spec.commandLine().getOut();
    List<?> voters = status.get("voters") instanceof List<?> list ? list : List.of();
    if (voters.isEmpty()) {
      out.println(status.get("member") + " does not vote: ask another member.");
    }
    for (Object voter : voters) {
      out.println(voter.equals(status.get("leader")) ? voter + "  leads" : voter);
    }
    if (Boolean.TRUE.equals(status.get("votersFrozen"))) {
      out.println("They are frozen: nobody is exchanged until baton voters thaw.");
    }
    return Main.HELD;
  }

  @Command(
      name = "exchange",
      description = {
        "Have a member vote in the place of a voter, at once.",
        "",
        "To be asked of the member that leads the voters (baton voters show).",
        ""
      })
  int exchange(
      @Mixin Port http,
      @Parameters(index = "0", paramLabel = "VOTER", description = "Who votes no more.")
          String voter,
      @Parameters(index = "1", paramLabel = "MEMBER", description = "Who votes in its place.")
          String newcomer)
      throws InterruptedException {
    order(http, "/voters/exchange?from=" + encoded(voter) + "&to=" + encoded(newcomer));
    return done(newcomer + " votes in the place of " + voter + " as soon as it has said so.");
  }

  private static String encoded(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8);
  }

  @Command(
      name = "freeze",
      description = {
        "Have nobody become a voter, or cease to be one, by itself.",
        "",
        "As before work on the machines: voters that are away or leave keep their votes. To be asked of",
        "the member that leads the voters.",
        ""
      })
  int freeze(@Mixin Port http) throws InterruptedException {
    order(http, "/voters/freeze");
    return done("The voters are frozen.");
  }

  @Command(
      name = "thaw",
      description = {
        "Have voters be exchanged by themselves again, where they are away or leave.",
        ""
      })
  int thaw(@Mixin Port http) throws InterruptedException {
    order(http, "/voters/thaw");
    return done("The voters are no longer frozen.");
  }

  private static void order(Port http, String path) throws InterruptedException {
    Map<String, Object> answer = StatusCommand.ask(http.port, "POST", path);
    Object refused = answer.get("refused");
    if (refused != null) {
      throw new BadInputException(refused.toString());
    }
  }

  private int done(String text) {
    spec.commandLine().getOut().println(text);
    return Main.HELD;
  }

  /** Where a member is asked. */
  static final class Port {
    @Option(
        names = "--http",
        paramLabel = "PORT",
        defaultValue = "8420",
        description = "The port of a member's status. Default: ${DEFAULT-VALUE}.")
    private int port;
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
    return done(folder + " may be used where it is now.");
  }
}
