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
import java.util.List;

/** Member processes that do as they are told ({@link Child}). */
final class Children implements AutoCloseable {
  private record Running(Process process, PrintWriter orders, BufferedReader answers) {}

  private final List<Running> running = new ArrayList<>();
  private final List<Integer> echoes = new ArrayList<>();

  Children(int count) throws IOException {
    Path folder = Files.createTempDirectory("baton-bench");
    List<String> addresses = freeAddresses(count);
    for (int k = 0; k < count; k++) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(
          List.of(
              "-Xmx128m",
              "-XX:+UseSerialGC",
              "-cp",
              System.getProperty("java.class.path"),
              Child.class.getName(),
              folder.resolve("member" + k).toString(),
              addresses.get(k)));
      command.addAll(addresses);
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      running.add(
          new Running(
              process,
              new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8),
              new BufferedReader(
                  new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))));
    }
    for (int k = 0; k < count; k++) {
      echoes.add(Integer.parseInt(answer(k).substring("echo ".length())));
    }
    for (int k = 0; k < count; k++) {
      String joined = answer(k);
      if (!joined.startsWith("joined ")) {
        throw new IOException("Member " + k + " says " + joined);
      }
    }
  }

  private static List<String> freeAddresses(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<String> addresses = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      sockets.add(socket);
      addresses.add("127.0.0.1:" + socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
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

  /** The time that a member has spent on a core so far. */
  Duration cpu(int member) {
    return running.get(member).process().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    running.forEach(each -> each.orders().close());
    for (Running each : running) {
      try {
        each.process().waitFor();
      } catch (InterruptedException e) {
        each.process().destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
