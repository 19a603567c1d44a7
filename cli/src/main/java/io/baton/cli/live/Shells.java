package io.baton.cli.live;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Commands of the system. */
final class Shells {
  private Shells() {}

  /** Runs a command, its words parted by blanks; what it printed, where it failed, in the error. */
  static void run(String command) throws IOException, InterruptedException {
    run(List.of(command.split(" ", -1)));
  }

  static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(
          "%s ended with %d: %s".formatted(String.join(" ", command), code, said.strip()));
    }
  }
}
