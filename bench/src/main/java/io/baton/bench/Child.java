package io.baton.bench;

import io.baton.Baton;
import io.baton.BatonConfig;
import io.baton.BatonLock;
import io.baton.Hold;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A member process that does as it is told, line by line: {@code connect PORT}, {@code ping},
 * {@code pings MILLIS}, {@code take}, {@code contend MILLIS}, {@code plain MILLIS}, {@code cycle
 * MILLIS}, {@code use LOCKS}, {@code leader}, {@code hold}, {@code wait}. It answers each with one
 * line.
 */
public final class Child {
  private static final String LOCK = "bench";
  private static final int MANY = 1_000;

  /** Takes a lock and gives it back. */
  private interface Taking {
    void once() throws InterruptedException;
  }

  private Child() {}

  /** Arguments: the folder, the address, the addresses of all; without any it only waits. */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length == 0) {
      System.out.println("bare");
      System.in.read();
      return;
    }
    BatonConfig config =
        BatonConfig.builder()
            .cluster("bench")
            .data(Path.of(args[0]))
            .bind(args[1])
            .peers(List.of(args).subList(2, args.length))
            .build();
    Echo echo = new Echo();
    System.out.println("echo " + echo.serve());
    try (Baton baton = Baton.join(config);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      BatonLock lock = baton.lock(LOCK);
      System.out.println("joined " + baton.id());
      String line = in.readLine();
      while (line != null) {
        try (Scanner words = new Scanner(line)) {
          switch (words.next()) {
            case "connect" -> {
              echo.connect(words.nextInt());
              System.out.println("connected");
            }
            case "ping" -> System.out.println(echo.ping());
            case "pings" -> System.out.println(pings(echo, words.nextLong()));
            case "take" -> System.out.println(take(lock));
            case "leader" -> System.out.println(baton.status().leader().orElse("nobody"));
            case "hold" -> System.out.println("holds " + lock.acquire().fence());
            case "wait" -> System.out.println(waitFor(lock));
            case "contend" -> System.out.println(contend(lock, words.nextLong()));
            case "plain" -> System.out.println(cycle(plainLocks(), words.nextLong()));
            case "cycle" -> System.out.println(cycle(locks(baton), words.nextLong()));
            case "use" -> System.out.println(use(baton, words.nextInt()));
            default -> throw new IllegalArgumentException(line);
          }
        }
        line = in.readLine();
      }
    }
  }

  @SuppressWarnings("LockNotBeforeTry") // nothing is done in between
  private static List<Taking> plainLocks() {
    List<Taking> locks = new ArrayList<>();
    for (int k = 0; k < MANY; k++) {
      ReentrantLock lock = new ReentrantLock();
      locks.add(
          () -> {
            lock.lock();
            lock.unlock();
          });
    }
    return locks;
  }

  private static List<Taking> locks(Baton baton) {
    List<Taking> locks = new ArrayList<>();
    for (int k = 0; k < MANY; k++) {
      BatonLock lock = baton.lock(baton.id() + "-" + k);
      locks.add(() -> lock.acquire().close());
    }
    return locks;
  }

  /** Takes one after the other and gives it back, for so long; nanoseconds each. */
  private static double cycle(List<Taking> locks, long millis) throws InterruptedException {
    for (Taking lock : locks) {
      lock.once(); // so that its token is here
    }
    long start = System.nanoTime();
    long end = start + millis * 1_000_000;
    long rounds = 0;
    while (System.nanoTime() < end) {
      for (Taking lock : locks) {
        lock.once();
      }
      rounds++;
    }
    return (System.nanoTime() - start) / (double) (rounds * locks.size());
  }

  /** Takes each lock once and gives it back; bytes of the heap that each of them costs. */
  private static long use(Baton baton, int locks) throws InterruptedException {
    long before = heap();
    for (int k = 0; k < locks; k++) {
      baton.lock("used-" + k).acquire().close();
    }
    return (heap() - before) / locks;
  }

  private static long heap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  private static long take(BatonLock lock) throws InterruptedException {
    long start = System.nanoTime();
    Hold hold = lock.acquire();
    long taken = System.nanoTime() - start;
    hold.close();
    return taken;
  }

  /** When the lock was granted, by the clock that all processes share. */
  private static long waitFor(BatonLock lock) throws InterruptedException {
    Hold hold = lock.acquire();
    long granted = System.nanoTime();
    hold.close();
    return granted;
  }

  /** Round trips, one after the other, for so long. */
  private static long pings(Echo echo, long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    long count = 0;
    while (System.nanoTime() < end) {
      echo.ping();
      count++;
    }
    return count;
  }

  /** Takes and gives back for so long: grants, and how often another process had it before. */
  private static String contend(BatonLock lock, long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    long grants = 0;
    long handOvers = 0;
    long last = 0;
    while (System.nanoTime() < end) {
      try (Hold hold = lock.acquire()) {
        grants++;
        handOvers += hold.fence() == last + 1 ? 0 : 1;
        last = hold.fence();
      }
    }
    return grants + " " + handOvers;
  }
}
