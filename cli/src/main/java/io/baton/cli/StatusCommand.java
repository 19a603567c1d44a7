package io.baton.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import io.baton.simulator.BadInputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton status}: what a member knows of its cluster. */
@Command(
    name = "status",
    description = {
      "Print the cluster, as a member on this machine sees it (baton node): members, voters, epoch,",
      "the locks that are held or waited for anywhere, and its own lease. Each member knows its own",
      "lease only; who has none can hold nothing, and is put out by the others.",
      ""
    })
final class StatusCommand extends Reporting {
  @Option(
      names = "--http",
      paramLabel = "PORT",
      defaultValue = "8420",
      description = "The port of a member's status. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Object> status = ask();
    PrintWriter out = out();
    if (json) {
      out.println(Json.text(status));
      return Main.HELD;
    }
    out.printf(
        "cluster %s (%s), epoch %s, view %s, told by %s%n",
        status.get("cluster"),
        status.get("clusterId"),
        status.get("epoch"),
        status.get("view"),
        status.get("member"));
    long lease = ((Number) status.getOrDefault("leaseMillis", 0)).longValue();
    out.println(
        lease > 0
            ? "its lease lasts for another " + lease + " ms"
            : "it has no lease, and may hold nothing: it has just joined, or is cut off from the majority");
    printMembers(out, status);
    printLocks(out, status);
    return Main.HELD;
  }

  private void printMembers(PrintWriter out, Map<String, Object> status) {
    List<?> voters = list(status.get("voters"));
    Table table = new Table("member", "address", "incarnation", "part");
    for (Object each : list(status.get("members"))) {
      Map<?, ?> member = (Map<?, ?>) each;
      Object id = member.get("id");
      String part = voters.isEmpty() ? "" : voters.contains(id) ? "votes" : "";
      part = id != null && id.equals(status.get("leader")) ? "leads" : part;
      table.row("" + id, text(member.get("address")), text(member.get("incarnation")), part);
    }
    Set<?> members =
        list(status.get("members")).stream()
            .map(member -> "" + ((Map<?, ?>) member).get("id"))
            .collect(Collectors.toSet());
    for (Object voter : voters) {
      if (!members.contains(voter)) {
        table.row("" + voter, "", "", "votes, and is no member now");
      }
    }
    out.println();
    out.print(table);
    if (Boolean.TRUE.equals(status.get("votersFrozen"))) {
      out.println("The voters are frozen: nobody is exchanged until baton voters thaw.");
    }
    if (voters.isEmpty()) {
      out.println("(Who votes is known to voters: ask one of them.)");
    }
  }

  private static void printLocks(PrintWriter out, Map<String, Object> status) {
    List<?> locks = list(status.get("locks"));
    out.println();
    if (locks.isEmpty()) {
      out.println("No lock is held or waited for.");
      return;
    }
    Table table = new Table("lock", "held by", "thread", "since", "fence", "waiting", "note");
    for (Object each : locks) {
      Map<?, ?> lock = (Map<?, ?>) each;
      Map<?, ?> holder = lock.get("holder") instanceof Map<?, ?> map ? map : Map.of();
      table.row(
          "" + lock.get("name"),
          "unknown".equals(lock.get("state")) ? "(unknown)" : text(holder.get("member")),
          text(holder.get("thread")),
          text(holder.get("since")),
          text(lock.get("fence")),
          list(lock.get("waiters")).size(),
          text(holder.get("note")));
    }
    out.print(table);
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private Map<String, Object> ask() throws InterruptedException {
    return ask(port, "GET", "/status");
  }

  /** What a member on this machine answers. */
  static Map<String, Object> ask(int port, String method, String path) throws InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + Main.port(port) + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(10))
            .build();
    try {
      HttpResponse<String> response =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      return JSON.std.mapFrom(response.body());
    } catch (IOException e) {
      throw new BadInputException(
          "no member tells its status at port "
              + port
              + " of this machine: start one with baton node, or set --http");
    }
  }
}
