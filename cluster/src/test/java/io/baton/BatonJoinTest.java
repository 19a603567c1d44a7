package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members with real connections and a real log, in one process. */
@Timeout(120)
class BatonJoinTest {
  private final Path folder;
  private final List<Baton> members = new ArrayList<>();

  BatonJoinTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() {
    members.forEach(Baton::close);
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

  private BatonConfig.Builder config(String name) {
    return BatonConfig.builder()
        .name(name)
        .data(folder.resolve(name))
        .lease(Duration.ofSeconds(1))
        .joinTimeout(Duration.ofSeconds(60));
  }

  private Baton join(BatonConfig config) {
    Baton baton = Baton.join(config);
    members.add(baton);
    return baton;
  }

  private List<Baton> joinAll(List<String> addresses) throws Exception {
    List<CompletableFuture<Baton>> joining = new ArrayList<>();
    for (int k = 0; k < addresses.size(); k++) {
      BatonConfig config = config("m" + k).bind(addresses.get(k)).peers(addresses).build();
      joining.add(CompletableFuture.supplyAsync(() -> Baton.join(config)));
    }
    List<Baton> joined = new ArrayList<>();
    for (CompletableFuture<Baton> each : joining) {
      joined.add(each.get(60, TimeUnit.SECONDS));
    }
    members.addAll(joined);
    return joined;
  }

  @Test
  void aClusterOfOneGrantsAndItsFencesRiseOverRestarts() throws InterruptedException {
    BatonConfig config = config("one").build();
    long first;
    try (Baton baton = Baton.join(config);
        Hold hold = baton.lock("x").acquire()) {
      first = hold.fence();
    }
    try (Baton baton = Baton.join(config);
        Hold hold = baton.lock("x").acquire()) {
      assertThat(hold.fence()).isGreaterThan(first);
    }
  }

  @Test
  void aDataFolderIsInUseOnce() {
    join(config("one").build());
    assertThatThrownBy(() -> Baton.join(config("one").build()))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("is in use by another process");
  }

  @Test
  void threeMembersFoundAClusterTogetherAndPassALock() throws Exception {
    List<Baton> three = joinAll(freeAddresses(3));
    long last = 0;
    for (int k = 0; k < 12; k++) {
      try (Hold hold = three.get(k % 3).lock("x").acquire()) {
        assertThat(hold.fence()).isGreaterThan(last);
        last = hold.fence();
      }
    }
    assertThat(three.get(0).status().members()).hasSize(3);
  }
}
