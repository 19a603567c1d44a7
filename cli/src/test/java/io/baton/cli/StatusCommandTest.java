package io.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.BatonCluster;
import io.baton.BatonConfig;
import io.baton.Hold;
import io.baton.cli.live.StatusServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a member tells of itself over HTTP, and what is printed of that. */
@Timeout(60)
class StatusCommandTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final BatonCluster cluster =
      BatonCluster.local(3, BatonConfig.builder().lease(Duration.ofSeconds(2)).build());

  private static HttpResponse<String> health(StatusServer server)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + "/health");
    return HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aMemberTellsItsHealthAndTheLocksOfAll() throws Exception {
    try (cluster;
        StatusServer server = new StatusServer(0)) {
      server.start(cluster.member(0));
      Hold hold = cluster.member(2).lock("invoice").acquire();
      while (health(server).statusCode() != 200) {
        Thread.onSpinWait();
      }
      Run status = Run.of("status", "--http", "" + server.port());
      assertThat(status.exitCode()).isZero();
      assertThat(status.out())
          .contains("its lease lasts for another")
          .containsPattern("member-0 +local +\\d+ +(leads|votes)")
          .containsPattern("invoice +member-2 .* " + hold.fence() + " +0");
      assertThat(Run.of("status", "--json", "--http", "" + server.port()).text("member"))
          .isEqualTo("member-0");
      cluster.isolate(0);
      HttpResponse<String> ill = health(server);
      while (ill.statusCode() == 200) {
        ill = health(server);
      }
      assertThat(ill.statusCode()).isEqualTo(503);
      assertThat(ill.body()).contains("cut off from the majority");
      cluster.reconnect(0);
    }
  }

  @Test
  void anOperatorFreezesVotersAtTheLeaderAndIsToldWhereItIs() throws Exception {
    try (cluster;
        StatusServer first = new StatusServer(0);
        StatusServer second = new StatusServer(0)) {
      first.start(cluster.member(0));
      second.start(cluster.member(1));
      String leader = Run.of("status", "--json", "--http", "" + first.port()).text("leader");
      boolean firstLeads = leader.equals("member-0");
      String there = "" + (firstLeads ? first : second).port();
      if (firstLeads) {
        Run elsewhere = Run.of("voters", "freeze", "--http", "" + second.port());
        assertThat(elsewhere.exitCode()).isEqualTo(2);
        assertThat(elsewhere.err()).contains("member-1 does not lead the voters");
      }
      assertThat(leader).as("of three, the first stands").isIn("member-0", "member-1");
      assertThat(Run.of("voters", "exchange", "member-2", "nobody", "--http", there).err())
          .contains("nobody is not a member");
      assertThat(Run.of("voters", "freeze", "--http", there).out()).contains("are frozen");
      Run shown = Run.of("voters", "show", "--http", there);
      while (!shown.out().contains("They are frozen")) {
        shown = Run.of("voters", "show", "--http", there);
      }
      assertThat(shown.out()).contains(leader + "  leads").contains("member-2");
      assertThat(Run.of("status", "--http", there).out()).contains("The voters are frozen");
      URI freeze = URI.create("http://127.0.0.1:" + there + "/voters/freeze");
      HttpRequest get = HttpRequest.newBuilder(freeze).build();
      assertThat(HTTP.send(get, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    }
  }

  @Test
  void whereNoMemberIsThatIsSaid() {
    cluster.close();
    int free;
    try (StatusServer server = new StatusServer(0)) {
      free = server.port();
    }
    Run status = Run.of("status", "--http", "" + free);
    assertThat(status.exitCode()).isEqualTo(2);
    assertThat(status.err()).contains("no member tells its status at port " + free);
  }
}
