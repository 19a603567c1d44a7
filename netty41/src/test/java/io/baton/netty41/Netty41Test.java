package io.baton.netty41;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.Baton;
import io.baton.BatonConfig;
import io.baton.Hold;
import io.netty.util.Version;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members over real connections, on the Netty of Spring Boot 3.5. */
@Timeout(120)
class Netty41Test {
  @Test
  void theNettyOfThisModuleIsThatOfSpringBoot35() {
    assertThat(Version.identify().values())
        .isNotEmpty()
        .allSatisfy(version -> assertThat(version.artifactVersion()).startsWith("4.1."));
  }

  @Test
  void threeMembersJoinAndPassALockAround(@TempDir Path folder) throws Exception {
    List<String> addresses = freeAddresses(3);
    List<CompletableFuture<Baton>> joining = new ArrayList<>();
    for (int k = 0; k < 3; k++) {
      BatonConfig config =
          BatonConfig.builder()
              .name("m" + k)
              .data(folder.resolve("m" + k))
              .bind(addresses.get(k))
              .peers(addresses)
              .lease(Duration.ofSeconds(1))
              .build();
      joining.add(
          CompletableFuture.supplyAsync(
              () -> Baton.join(config), task -> new Thread(task).start()));
    }
    List<Baton> members = new ArrayList<>();
    try {
      for (CompletableFuture<Baton> each : joining) {
        members.add(each.get(60, TimeUnit.SECONDS));
      }
      long last = 0;
      for (int turn = 0; turn < 300; turn++) {
        try (Hold hold = members.get(turn % 3).lock("x").acquire()) {
          assertThat(hold.fence()).isGreaterThan(last);
          last = hold.fence();
        }
      }
    } finally {
      members.parallelStream().forEach(Baton::close);
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
}
