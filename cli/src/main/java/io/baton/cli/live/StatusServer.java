package io.baton.cli.live;

import com.fasterxml.jackson.jr.ob.JSON;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.baton.Baton;
import io.baton.BatonException;
import io.baton.BatonStatus;
import io.baton.LockInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Tells on this machine how a member is, as JSON: {@code /health} and {@code /status}; and takes
 * orders about the voters.
 */
public final class StatusServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "baton-status");
            thread.setDaemon(true);
            return thread;
          });

  /** Takes a port; 0: any free one. */
  public StatusServer(int port) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 16);
    } catch (IOException e) {
      throw new BatonException(
          "Cannot tell the status at port " + port + ": " + e.getMessage() + "; set --http", e);
    }
    server.setExecutor(threads);
  }

  /** Begins to answer. */
  public void start(Baton baton) {
    server.createContext("/health", exchange -> health(baton, exchange));
    server.createContext("/status", exchange -> status(baton, exchange));
    server.createContext(
        "/voters/exchange", exchange -> order(exchange, () -> swap(baton, exchange)));
    server.createContext(
        "/voters/freeze", exchange -> order(exchange, () -> baton.freezeVoters(true)));
    server.createContext(
        "/voters/thaw", exchange -> order(exchange, () -> baton.freezeVoters(false)));
    server.start();
  }

  /** The port. */
  public int port() {
    return server.getAddress().getPort();
  }

  private static void health(Baton baton, HttpExchange exchange) throws IOException {
    boolean well = !baton.status().lease().isZero();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("healthy", well);
    answer.put(
        "why", well ? "may hold locks" : "has no lease: just joined, or cut off from the majority");
    send(exchange, well ? 200 : 503, answer);
  }

  private static void status(Baton baton, HttpExchange exchange) throws IOException {
    send(exchange, 200, describe(baton.status(), baton.locksEverywhere().join()));
  }

  /** {@code POST /voters/exchange?from=ID&to=ID}. */
  private static void swap(Baton baton, HttpExchange exchange) {
    Map<String, String> asked = new LinkedHashMap<>();
    String query = exchange.getRequestURI().getQuery();
    for (String part : (query == null ? "" : query).split("&", -1)) {
      int at = part.indexOf('=');
      if (at > 0) {
        asked.put(part.substring(0, at), part.substring(at + 1));
      }
    }
    String from = asked.get("from");
    String to = asked.get("to");
    if (from == null || to == null) {
      throw new BatonException(
          "Say which voter is to go and which member is to come: ?from=ID&to=ID");
    }
    baton.exchangeVoter(from, to);
  }

  private static void order(HttpExchange exchange, Runnable order) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      send(exchange, 405, Map.of("refused", "This changes something: use POST"));
      return;
    }
    try {
      order.run();
      send(exchange, 200, Map.of("begun", true));
    } catch (BatonException e) {
      send(exchange, 409, Map.of("refused", String.valueOf(e.getMessage())));
    }
  }

  /** A status as an object of JSON. */
  static Map<String, Object> describe(BatonStatus status, List<LockInfo> locks) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("cluster", status.cluster());
    object.put("clusterId", status.clusterId());
    object.put("member", status.member());
    object.put("epoch", status.epoch());
    object.put("view", status.view());
    object.put("leaseMillis", status.lease().toMillis());
    object.put("leader", status.leader().orElse(""));
    object.put("voters", status.voters());
    object.put("votersFrozen", status.votersFrozen());
    object.put(
        "members",
        status.members().stream()
            .map(
                member ->
                    ordered(
                        "id", member.id(),
                        "address", member.address(),
                        "incarnation", member.incarnation()))
            .toList());
    object.put("locks", locks.stream().map(StatusServer::describe).toList());
    return object;
  }

  private static Map<String, Object> describe(LockInfo lock) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", lock.name());
    object.put("state", lock.state().name().toLowerCase(Locale.ROOT));
    lock.holder()
        .ifPresent(
            holder ->
                object.put(
                    "holder",
                    ordered(
                        "member", holder.member(),
                        "thread", holder.thread(),
                        "since", holder.since().toString(),
                        "note", holder.note())));
    object.put(
        "waiters",
        lock.waiters().stream()
            .map(waiter -> ordered("member", waiter.member(), "thread", waiter.thread()))
            .toList());
    object.put("rule", lock.rule().toString());
    object.put("fence", lock.fence());
    return object;
  }

  private static Map<String, Object> ordered(Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int k = 0; k < pairs.length; k += 2) {
      map.put((String) pairs[k], pairs[k + 1]);
    }
    return map;
  }

  private static void send(HttpExchange exchange, int code, Map<String, Object> answer)
      throws IOException {
    byte[] bytes = JSON.std.asString(answer).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
