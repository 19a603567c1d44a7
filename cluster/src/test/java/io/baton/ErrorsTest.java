package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
        all = new byte[0][];
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
