package io.baton.bench;

import io.baton.Baton;
import io.baton.BatonConfig;
import io.baton.BatonLock;
import io.baton.Hold;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;

/**
 * A member process that does as it is told, line by line: {@code connect PORT}, {@code ping},
 * {@code pings MILLIS}, {@code take}, {@code contend MILLIS}, {@code leader}, {@code hold}, {@code
 * wait}. It answers each with one line.
 */
public final class Child {
  private static final String LOCK = "bench";

  private Child() {}

  /** Arguments: the folder, the address, the addresses of all. */
  public static void main(String[] args) throws IOException, InterruptedException {
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
            default -> throw new IllegalArgumentException(line);
          }
        }
        line = in.readLine();
      }
    }
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
