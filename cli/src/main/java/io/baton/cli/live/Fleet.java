package io.baton.cli.live;

import static java.util.stream.Collectors.joining;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Member processes on this machine, which can be killed, stopped, continued and started again. */
public final class Fleet implements AutoCloseable {
  /**
   * How processes are started.
   *
   * @param places where, one for each member
   * @param keys of the configuration of every member
   */
  public record Setup(
      Path folder,
      List<Place> places,
      int locks,
      int clients,
      long thinkMicros,
      boolean elections,
      Map<String, String> keys) {}

  /** One process, in one life. */
  private static final class Running {
    private final Process process;
    private final PrintWriter orders;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    Running(Process process) {
      this.process = process;
      this.orders =
          new PrintWriter(
              new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8), true);
      Thread ear =
          new Thread(
              () -> {
                try (BufferedReader in =
                    new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                  in.lines().forEach(said::add);
                } catch (IOException | RuntimeException e) {
                  said.add("gone");
                }
              },
              "ear");
      ear.setDaemon(true);
      ear.start();
    }
  }

  private final Setup setup;
  private final List<@Nullable Running> running = new ArrayList<>();
  private final Map<Integer, Integer> starts = new LinkedHashMap<>();
  private final Map<Integer, String> ids = new LinkedHashMap<>(); // by member, as it joined last
  private boolean closed; // guarded by this

  /** No process is started yet. */
  public Fleet(Setup setup) {
    this.setup = setup;
    for (int k = 0; k < setup.places().size(); k++) {
      running.add(null);
    }
  }

  /** How many members it has. */
  public int size() {
    return running.size();
  }

  /** The name of a member, from 0. */
  public static String name(int member) {
    return "member" + (member + 1);
  }

  /** Starts all. */
  public void startAll() throws IOException {
    for (int k = 0; k < size(); k++) {
      start(k);
    }
  }

  /** Starts a process; it does not wait until it has joined. */
  public synchronized void start(int member) throws IOException {
    if (closed) {
      throw new IOException("Nothing is started any more");
    }
    starts.merge(member, 1, Integer::sum);
    Map<String, String> keys = new LinkedHashMap<>(setup.keys());
    keys.put("name", name(member));
    keys.put("data", dataOf(member).toString());
    Place place = setup.places().get(member);
    keys.put("bind", place.bind());
    keys.put("advertise", place.address());
    keys.put("peers", setup.places().stream().map(Place::address).collect(joining(",")));
    List<String> command = new ArrayList<>(place.launcher());
    command.addAll(
        java(
            "-Xmx96m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.logFile=" + logOf(member)));
    command.addAll(List.of("worker", "--name", name(member)));
    command.addAll(List.of("--folder", setup.folder().toString(), "--locks", "" + setup.locks()));
    command.addAll(List.of("--clients", "" + setup.clients()));
    command.addAll(List.of("--think", "" + setup.thinkMicros()));
    if (setup.elections()) {
      command.add("--elections");
    }
    keys.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(errorsOf(member)));
    builder.environment().putAll(place.environment());
    running.set(member, new Running(builder.start()));
  }

  /** How this program is started once more. */
  public static List<String> java(String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.baton.cli.Main"));
    return command;
  }

  private Path logOf(int member) {
    return setup.folder().resolve(name(member) + "." + starts.getOrDefault(member, 0) + ".log");
  }

  private File errorsOf(int member) {
    return setup.folder().resolve(name(member) + ".err").toFile();
  }

  /** Waits until a process says a line that begins so; what came after. */
  public String await(int member, String beginning, long seconds)
      throws IOException, InterruptedException {
    Running process = process(member);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end) {
      String line = process.said.poll(100, TimeUnit.MILLISECONDS);
      if (line != null && line.startsWith("joined ")) {
        ids.put(member, line.substring("joined ".length()));
      }
      if (line != null && line.startsWith(beginning)) {
        return line.substring(beginning.length()).trim();
      }
      if (line == null && !process.process.isAlive()) {
        throw new IOException(
            name(member) + " ended with " + process.process.exitValue() + ", see " + logOf(member));
      }
    }
    throw new IOException(
        name(member)
            + " did not say \""
            + beginning
            + "\" in "
            + seconds
            + " s, see "
            + logOf(member));
  }

  /** Gives an order to a process. */
  public void order(int member, String line) {
    process(member).orders.println(line);
  }

  private Running process(int member) {
    Running process = running.get(member);
    if (process == null) {
      throw new IllegalStateException(name(member) + " is not running");
    }
    return process;
  }

  /** The id with which a member joined last. */
  public String idOf(int member) {
    return ids.getOrDefault(member, "");
  }

  /** The ids of all. */
  public Collection<String> ids() {
    return ids.values();
  }

  /** Whether a process runs. */
  public boolean isRunning(int member) {
    Running process = running.get(member);
    return process != null && process.process.isAlive();
  }

  /** Where a member keeps its identity and its log. */
  public Path dataOf(int member) {
    return homeOf(member).resolve("data");
  }

  /** The folder of a member, with nothing in it but its data. */
  Path homeOf(int member) {
    return setup.folder().resolve(name(member));
  }

  /** Waits until a process has ended by itself; its exit code. */
  public int awaitEnd(int member, long seconds) throws IOException, InterruptedException {
    Process process = process(member).process;
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      throw new IOException(name(member) + " did not end in " + seconds + " s");
    }
    running.set(member, null);
    return process.exitValue();
  }

  /** Ends a process without a word to it. */
  public void kill(int member) throws InterruptedException {
    Process process = process(member).process;
    process.destroyForcibly();
    process.waitFor();
    running.set(member, null);
  }

  /** Asks a process to end, by SIGTERM alone, and waits until it has. */
  public void terminate(int member, long seconds) throws IOException, InterruptedException {
    Process process = process(member).process;
    process.toHandle().destroy(); // that of the process ends its standard input as well
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      throw new IOException(name(member) + " did not end in " + seconds + " s");
    }
    running.set(member, null);
  }

  /** Stops a process in the middle of whatever it does. */
  public void stop(int member) throws IOException, InterruptedException {
    signal(member, "STOP");
  }

  /** Lets it go on. */
  public void go(int member) throws IOException, InterruptedException {
    signal(member, "CONT");
  }

  private void signal(int member, String signal) throws IOException, InterruptedException {
    long pid = process(member).process.pid();
    int code = new ProcessBuilder("kill", "-" + signal, "" + pid).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("Could not send " + signal + " to " + name(member));
    }
  }

  /** All leave, as far as they run, and none is started any more. */
  @Override
  public synchronized void close() {
    closed = true;
    for (Running process : running) {
      if (process != null) {
        process.orders.println("quit");
        process.orders.close();
      }
    }
    for (Running process : running) {
      if (process != null) {
        try {
          if (!process.process.waitFor(10, TimeUnit.SECONDS)) {
            process.process.destroyForcibly().waitFor();
          }
        } catch (InterruptedException e) {
          process.process.destroyForcibly();
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
