package io.baton.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Member processes that do as they are told ({@link Child}). */
final class Children implements AutoCloseable {
  private record Running(Process process, PrintWriter orders, BufferedReader answers) {}

  private final Path folder = Files.createTempDirectory("baton-bench");
  private final List<String> addresses;
  private final List<Running> running = new ArrayList<>();
  private final List<Integer> echoes = new ArrayList<>();
  private final List<String> ids = new ArrayList<>();

  Children(int count) throws IOException {
    addresses = freeAddresses(count);
    for (int k = 0; k < count; k++) {
      running.add(run(k));
    }
    for (int k = 0; k < count; k++) {
      echoes.add(Integer.parseInt(answer(k).substring("echo ".length())));
    }
    for (int k = 0; k < count; k++) {
      ids.add(answer(k).substring("joined ".length()));
    }
  }

  private Running run(int member) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add(folder.resolve("member" + member).toString());
    arguments.add(addresses.get(member));
    arguments.addAll(addresses);
    return run(arguments);
  }

  private static Running run(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx768m", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new Running(
        process,
        new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8),
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
  }

  /** Ends a member, with a word to it or without; when. */
  long end(int member, boolean kindly) {
    Process process = running.get(member).process();
    long now = System.nanoTime();
    if (kindly) {
      process.destroy();
    } else {
      process.destroyForcibly();
    }
    return now;
  }

  /** Starts a member again, and waits until it has joined. */
  void startAgain(int member) throws IOException, InterruptedException {
    running.get(member).process().waitFor();
    running.set(member, run(member));
    echoes.set(member, Integer.parseInt(answer(member).substring("echo ".length())));
    ids.set(member, answer(member).substring("joined ".length()));
  }

  /** Which member leads the voters. */
  int leader() throws IOException {
    int leader = ids.indexOf(ask(0, "leader"));
    if (leader < 0) {
      throw new IOException("Nobody leads");
    }
    return leader;
  }

  /** Below the ports that the system gives to whoever dials: a member comes back to its own. */
  private static List<String> freeAddresses(int count) {
    List<String> addresses = new ArrayList<>();
    for (int port = 10_000 + new Random().nextInt(10_000); addresses.size() < count; port++) {
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        addresses.add("127.0.0.1:" + socket.getLocalPort());
      } catch (IOException e) {
        // Somebody is there: the next one.
      }
    }
    return addresses;
  }

  /** The port where a member sends back what comes. */
  int echo(int member) {
    return echoes.get(member);
  }

  void order(int member, String line) {
    running.get(member).orders().println(line);
  }

  String answer(int member) throws IOException {
    String line = running.get(member).answers().readLine();
    if (line == null) {
      throw new IOException("Member " + member + " has ended");
    }
    return line;
  }

  String ask(int member, String line) throws IOException {
    order(member, line);
    return answer(member);
  }

  /** Has all do the same at the same time; their answers. */
  List<String> askAll(String line) throws IOException {
    List<String> answers = new ArrayList<>();
    for (int k = 0; k < running.size(); k++) {
      order(k, line);
    }
    for (int k = 0; k < running.size(); k++) {
      answers.add(answer(k));
    }
    return answers;
  }

  /** What the kernel says of a member: its memory in kilobytes, or its threads. */
  long status(int member, String key) throws IOException {
    return status(running.get(member), key);
  }

  /** The same of a process that does nothing. */
  static long bareStatus(String key) throws IOException {
    Running bare = run(List.of());
    try {
      String said = bare.answers().readLine();
      if (said == null) {
        throw new IOException("A process that does nothing has ended");
      }
      return status(bare, key);
    } finally {
      bare.orders().close();
    }
  }

  private static long status(Running process, String key) throws IOException {
    Path status = Path.of("/proc", "" + process.process().pid(), "status");
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith(key + ":")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("There is no " + key + " in " + status);
  }

  /** The time that a member has spent on a core so far. */
  Duration cpu(int member) {
    return running.get(member).process().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() throws IOException {
    running.forEach(each -> each.orders().close());
    for (Running each : running) {
      try {
        each.process().waitFor();
      } catch (InterruptedException e) {
        each.process().destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
