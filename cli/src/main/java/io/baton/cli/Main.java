package io.baton.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.baton.BatonException;
import io.baton.simulator.BadInputException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The program {@code baton}. */
@Command(
    name = "baton",
    version = "baton 0.1.0",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    description = {
      "Distributed locks without a lock server, and the laboratory that proves them.",
      ""
    },
    commandListHeading = "%nCommands:%n",
    footer = {
      "",
      "Start with:  baton demo",
      "Exit codes:  0 all checks held, 1 a promise was broken, 2 bad input, or a member that cannot",
      "             join, 3 gave up early, or out of memory, 70 a defect of Baton itself.",
      "BATON_JAVA_OPTS=-Xmx8g gives the program's Java such options."
    },
    subcommands = {
      DemoCommand.class,
      NodeCommand.class,
      StatusCommand.class,
      VotersCommand.class,
      ChaosCommand.class,
      CompareCommand.class,
      SimCommand.class,
      RunCommand.class,
      CheckCommand.class,
      FuzzCommand.class,
      RulesCommand.class,
      ReplayCommand.class,
      AlgorithmsCommand.class,
      GrowthCommand.class,
      FailuresCommand.class,
      LateCommand.class,
      BenchCommand.class,
      WorkerCommand.class,
      GenerateCompletion.class,
      HelpCommand.class
    })
public final class Main implements Runnable {
  static final int HELD = 0;
  static final int BROKEN = 1;
  static final int BAD_INPUT = 2;
  static final int INCOMPLETE = 3;
  static final int DEFECT = 70;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(
        run(
            new PrintWriter(System.out, true, UTF_8),
            new PrintWriter(System.err, true, UTF_8),
            args));
  }

  /** How the program was called, for the commands it prints. */
  static String command() {
    return System.getProperty("baton.command", "baton");
  }

  /** Runs one command. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    Locale.setDefault(Locale.ROOT); // the same digits everywhere
    CommandLine line = new CommandLine(new Main());
    line.setUsageHelpWidth(100).setOut(out).setErr(err).setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler((e, ignored) -> refuse(err, e));
    line.setExecutionExceptionHandler(
        (e, command, ignored) -> {
          if (e instanceof BadInputException || e instanceof BatonException) {
            err.println("baton: " + e.getMessage());
            return BAD_INPUT;
          }
          err.println("baton: a defect of Baton itself, please report it:");
          e.printStackTrace(err);
          return DEFECT;
        });
    try {
      return line.execute(args);
    } catch (OutOfMemoryError e) {
      err.println(
          "baton: out of memory: give it more, as in BATON_JAVA_OPTS=-Xmx8g, or ask for less");
      return INCOMPLETE;
    } finally {
      out.flush(); // by itself a writer does so at the end of a println
      err.flush();
    }
  }

  /** Whether this can be a port. */
  static int port(int number) {
    if (number < 0 || number > 65_535) {
      throw new BadInputException("--http " + number + " is no port: 0 to 65535");
    }
    return number;
  }

  private static int refuse(PrintWriter err, ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    err.println(
        "baton: "
            + String.valueOf(e.getMessage()).lines().findFirst().orElse("")
            + "; see "
            + command
            + " --help");
    return BAD_INPUT;
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
