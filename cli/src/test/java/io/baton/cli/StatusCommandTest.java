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
