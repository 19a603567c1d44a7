package io.baton;

import static io.baton.Members.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.cluster.Carrier;
import io.baton.cluster.Host;
import io.baton.member.Packet;
import io.baton.member.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the JVM in a caller's thread: no member is left half alive by them. */
@Timeout(120)
class ErrorsTest {
  private static final BatonConfig CONFIG =
      BatonConfig.builder().lease(Duration.ofSeconds(1)).build();

  @SuppressWarnings("InfiniteRecursion") // it is the subject
  private static void takeLocksUntilTheStackEnds(BatonCluster cluster, int depth) {
    Baton member = cluster.member(0);
    try (Hold hold = member.lock("deep-" + depth % 40).acquireUninterruptibly()) {
      assertThat(hold.fence()).isPositive();
    }
    takeLocksUntilTheStackEnds(cluster, depth + 1);
  }

  @Test
  void aThreadWhoseStackEndsWhileItTakesLocksStopsNobodyElse() throws Exception {
    try (BatonCluster cluster = BatonCluster.local(3, CONFIG)) {
      AtomicInteger overflows = new AtomicInteger();
      for (int k = 0; k < 20; k++) {
        Thread thread =
            new Thread(
                null,
                () -> {
                  try {
                    takeLocksUntilTheStackEnds(cluster, 0);
                  } catch (StackOverflowError e) {
                    overflows.incrementAndGet();
                  }
                },
                "deep",
                (256 + 16 * k) << 10);
        thread.start();
        thread.join();
      }
      assertThat(overflows.get()).isEqualTo(20);
      for (Baton member : cluster.members()) {
        for (int k = 0; k < 40; k++) {
          assertThat(member.lock("deep-" + k).tryAcquire(Duration.ofSeconds(20)))
              .as("%s has lock %d", member.id(), k)
              .isPresent()
              .hasValueSatisfying(Hold::close);
        }
      }
    }
  }

  /** Ends a member by an Error under its guard: all it has is told, and the others go on. */
  private static void breakOneAndGoOn(List<Baton> members, int broken) throws Exception {
    Baton member = members.get(broken);
    Baton other = members.get((broken + 1) % members.size());
    Hold elsewhere = other.lock("elsewhere").acquire();
    Hold held = member.lock("x").acquire();
    CompletableFuture<LossReason> lost = new CompletableFuture<>();
    held.onLost(lost::complete);
    CompletableFuture<Hold> waiting = member.lock("elsewhere").acquireAsync();
    CompletableFuture<Throwable> parked = new CompletableFuture<>();
    Thread waiter = new Thread(() -> parked.complete(failureOf(member.lock("elsewhere"))));
    waiter.start();
    await(
        "it is parked",
        () ->
            waiter.getState() == Thread.State.WAITING
                || waiter.getState() == Thread.State.TIMED_WAITING);
    breakByError(member.host());
    assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.CLOSED);
    assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(BatonException.class)
        .hasMessageContaining("was ended by an error")
        .hasMessageContaining("planted");
    assertThat(parked.get(30, TimeUnit.SECONDS))
        .isInstanceOf(BatonException.class)
        .hasMessageContaining("was ended by an error");
    assertThatExceptionOfType(BatonException.class)
        .isThrownBy(() -> member.lock("y").acquireUninterruptibly().close());
    assertThatThrownBy(() -> member.lock("y").acquireAsync().get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(BatonException.class);
    Duration lease = Duration.ofNanos(other.host().origin().settings().lease());
    Hold next = other.lock("x").tryAcquire(lease.multipliedBy(3)).orElseThrow();
    assertThat(next.fence()).isGreaterThan(held.fence());
    assertThat(elsewhere.isValid()).as("the others lose nothing").isTrue();
    member.close();
    next.close();
    elsewhere.close();
  }

  private static @Nullable Throwable failureOf(BatonLock lock) {
    try (Hold hold = lock.acquire()) {
      return hold.isValid() ? null : new IllegalStateException("granted, and lost");
    } catch (InterruptedException | BatonException e) {
      return e;
    }
  }

  private static void breakByError(Host host) {
    Packet relayed =
        new Packet.Relayed(new Packet.Mail(new Peer("x", 1), new Peer("y", 1), 0, 0, null));
    Carrier failing =
        new Carrier() {
          @Override
          public void send(String to, Packet packet) {
            throw new OutOfMemoryError("planted");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(
            () -> {
              host.start(failing, view -> {}, () -> {});
              host.receive("x", relayed);
            });
  }

  @Test
  void aMemberThatBreaksEndsWholeAndTheOthersGoOnAfterALease() throws Exception {
    for (int broken = 0; broken < 3; broken++) { // the first one leads
      try (BatonCluster cluster = BatonCluster.local(3, CONFIG)) {
        breakOneAndGoOn(cluster.members(), broken);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void soItIsWithMembersThatTalkOverTheNetwork(boolean leads, @TempDir Path folder)
      throws Exception {
    Duration lease = Duration.ofSeconds(3); // an election ends well before it
    List<Baton> members =
        Members.join(folder, Members.freeAddresses(3), config -> config.lease(lease));
    try {
      await("three voters", () -> members.stream().allMatch(ErrorsTest::seesThreeVoters));
      await("a leader", () -> leaderSeenBy(members.get(0)).isPresent());
      String leader = leaderSeenBy(members.get(0)).orElseThrow();
      int broken = 0;
      while (members.get(broken).id().equals(leader) != leads) {
        broken++;
      }
      breakOneAndGoOn(members, broken);
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  private static boolean seesThreeVoters(Baton member) {
    return member.status().voters().size() == 3;
  }

  private static Optional<String> leaderSeenBy(Baton member) {
    return member.status().leader();
  }

  /** A program that fills its memory, and takes locks meanwhile. */
  static final class FullHeap {
    private static final int SECONDS = 3;

    private FullHeap() {}

    public static void main(String[] args) throws InterruptedException {
      try (BatonCluster cluster = BatonCluster.local(1, CONFIG)) {
        byte[][] all = new byte[1 << 20][];
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        int errors = 0;
        int next = 0;
        while (System.nanoTime() < end) {
          try {
            all[next] = new byte[1 << 10];
            next++;
          } catch (OutOfMemoryError e) {
            errors += takeSome(cluster);
          }
        }
        for (int k = 0; k < all.length; k++) {
          all[k] = null; // by hand: not even a call can be linked now
        }
        System.out.println("errors " + (errors > 0) + " " + all.length);
        int alive = 0;
        for (Baton member : cluster.members()) {
          try (Hold hold = member.lock("after").acquire()) {
            alive += hold.isValid() ? 1 : 0;
          } catch (BatonException e) {
            System.out.println("ended: " + e.getMessage());
          }
        }
        System.out.println(alive == 1 ? "it goes on" : "it has ended whole");
      }
    }

    private static int takeSome(BatonCluster cluster) {
      int errors = 0;
      for (int k = 0; k < 10; k++) {
        try (Hold hold = cluster.member(0).lock("full-" + k).acquireUninterruptibly()) {
          errors += hold.isValid() ? 0 : 1;
        } catch (OutOfMemoryError | BatonException e) {
          errors++;
        }
      }
      return errors;
    }
  }

  @Test
  void whereMemoryEndsForSecondsAMemberGoesOnOrEndsWhole(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("output");
    Process process = start(FullHeap.class, file, "-Xmx48m", "-XX:+UseSerialGC");
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    String output = Files.readString(file);
    assertThat(ended).as(output).isTrue();
    assertThat(output).contains("errors true").containsAnyOf("it goes on", "it has ended whole");
  }

  private static Process start(Class<?> program, Path output, String... options)
      throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command =
        new ArrayList<>(List.of(java.toString(), "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(options));
    command.add(program.getName());
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }
}
