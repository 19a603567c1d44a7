package io.baton.cli.run;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The process that the parent has started for one life of a node. */
final class Child {
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx64m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xshare:auto",
          "-XX:-UsePerfData",
          "-XX:+DisplayVMOutputToStderr"); // standard output is for reports

  /**
   * What the parent hears of a process.
   *
   * @param report null where the process has ended
   */
  record Event(Child child, @Nullable Report report) {}

  private final Setup setup;
  private final Process process;
  private final DataOutputStream commands;
  private int port;
  private boolean up; // it has begun
  private boolean killed;
  private long killedAt;

  /** Starts the process; what it reports goes into the queue, its end after all else. */
  Child(Setup setup, Queue<Event> events) throws IOException {
    this.setup = setup;
    ProcessBuilder builder = new ProcessBuilder();
    builder.command().add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    builder.command().addAll(OPTIONS);
    builder.command().add("-cp");
    builder.command().add(System.getProperty("java.class.path"));
    builder.command().add(NodeProcess.class.getName());
    this.process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    this.commands = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    Thread reader = new Thread(() -> listen(events), "node " + (setup.node() + 1));
    reader.setDaemon(true);
    reader.start();
    setup.write(commands);
  }

  private void listen(Queue<Event> events) {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
      while (true) {
        events.add(new Event(this, Report.read(in)));
      }
    } catch (IOException e) {
      process.onExit().join();
      events.add(new Event(this, null));
    }
  }

  int node() {
    return setup.node();
  }

  int life() {
    return setup.life();
  }

  int port() {
    return port;
  }

  void listensAt(int number) {
    port = number;
  }

  boolean isUp() {
    return up;
  }

  void begin() {
    up = true;
    tell(new Command.Begin());
  }

  void tell(Command command) {
    try {
      Command.write(command, commands);
    } catch (IOException e) {
      // the process is gone, which its end will tell
    }
  }

  /** Sends SIGKILL. What the process has reported before is still heard. */
  void kill() {
    killed = true;
    up = false;
    killedAt = System.nanoTime();
    process.toHandle().destroyForcibly(); // that of the process closes the pipe of the reports
  }

  boolean isKilled() {
    return killed;
  }

  long killedAt() {
    return killedAt;
  }

  int exitCode() {
    return process.exitValue();
  }

  /** Ends the process, which needs nothing more than that its input ends. */
  void end() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // it is gone already
    }
  }

  Process process() {
    return process;
  }
}
