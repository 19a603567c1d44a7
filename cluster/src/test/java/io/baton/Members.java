package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Members of this process that talk over real connections, for tests. */
final class Members {
  private static final AtomicInteger NEXT_PORT =
      new AtomicInteger(20_000 + new Random().nextInt(10_000));

  private Members() {}

  /**
   * Addresses where nobody listens, none of them given twice; below the ports that the system gives
   * to whoever dials, since a member may come back to its own.
   */
  static List<String> freeAddresses(int count) {
    List<String> addresses = new ArrayList<>();
    while (addresses.size() < count) {
      int port = NEXT_PORT.getAndIncrement();
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        addresses.add("127.0.0.1:" + socket.getLocalPort());
      } catch (IOException e) {
        // Somebody is there: the next one.
      }
    }
    return addresses;
  }

  /** A member with a folder of its own and a short lease. */
  static BatonConfig.Builder config(Path folder, String name) {
    return BatonConfig.builder()
        .name(name)
        .data(folder.resolve(name))
        .lease(Duration.ofSeconds(1))
        .joinTimeout(Duration.ofSeconds(60));
  }

  /** So many members that found a cluster together. */
  static List<Baton> join(Path folder, int count) throws Exception {
    return join(folder, freeAddresses(count), config -> config);
  }

  /** The same at these addresses. */
  static List<Baton> join(
      Path folder, List<String> addresses, UnaryOperator<BatonConfig.Builder> settings)
      throws Exception {
    List<CompletableFuture<Baton>> joining = new ArrayList<>();
    for (int k = 0; k < addresses.size(); k++) {
      BatonConfig config =
          settings.apply(config(folder, "m" + k).bind(addresses.get(k)).peers(addresses)).build();
      joining.add(joinLater(config));
    }
    List<Baton> joined = new ArrayList<>();
    for (CompletableFuture<Baton> each : joining) {
      joined.add(each.get(60, TimeUnit.SECONDS));
    }
    return joined;
  }

  /**
   * One that joins on a thread of its own: the common pool may have one thread only, for which
   * others wait.
   */
  static CompletableFuture<Baton> joinLater(BatonConfig config) {
    return CompletableFuture.supplyAsync(
        () -> Baton.join(config), task -> new Thread(task).start());
  }

  /** Waits until something is so, for a minute at most. */
  static void await(String what, BooleanSupplier condition) {
    await(what, 60, condition);
  }

  static void await(String what, int seconds, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
