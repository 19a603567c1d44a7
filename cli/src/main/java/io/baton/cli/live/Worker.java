package io.baton.cli.live;

import io.baton.Baton;
import io.baton.BatonClosedException;
import io.baton.BatonConfig;
import io.baton.BatonLock;
import io.baton.Hold;
import io.baton.LossReason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A member process whose clients take locks, write to files that check fences, and note it all in a
 * diary. It obeys lines on its standard input and ends when that ends:
 *
 * <pre>
 * grab LOCK   the next hold of it lasts until it is told to let go, or it is lost
 * drop        lets go
 * still       tells the fence of what it was told to hold, if it still holds that
 * who         tells who leads the voters, and who votes, as far as it votes itself
 * losses      tells how many of its holds ended before they were given back
 * clock       tells the time of day
 * pause, go   clients stop and go on
 * quit        leaves the cluster
 * </pre>
 *
 * <p>It says on its standard output: {@code joined ID}, {@code holds LOCK FENCE}, {@code lost LOCK
 * REASON}, {@code still FENCE} or {@code still nothing}, {@code leads ID}, {@code voters ID ID …},
 * {@code losses COUNT}, {@code clock MILLIS}.
 */
public final class Worker {
  /**
   * What its clients do.
   *
   * @param locks how many locks they share
   * @param clients how many of them
   * @param thinkMicros for how long each rests after a hold
   * @param elections whether the process also stands for election, and tries to take a lock
   */
  public record Plan(
      Path folder, String name, int locks, int clients, long thinkMicros, boolean elections) {}

  private static final String TRIED = "tried";
  private static final int TRY_MILLIS = 40;

  private final Plan plan;
  private final Baton baton;
  private final Diary diary;
  private final PrintStream out;
  private final Map<String, FencedFile> store = new ConcurrentHashMap<>();
  private final AtomicLong losses = new AtomicLong();
  private volatile String grabbed = "";
  private volatile @Nullable Hold held; // since it was grabbed
  private volatile CountDownLatch dropped = new CountDownLatch(0);
  private volatile boolean paused;
  private volatile boolean ending;

  private Worker(Plan plan, Baton baton, Diary diary, PrintStream out) {
    this.plan = plan;
    this.baton = baton;
    this.diary = diary;
    this.out = out;
  }

  /** The name of a lock of such processes. */
  public static String lock(int number) {
    return "lock-" + number;
  }

  /** The diary of a process. */
  public static Path diaryOf(Path folder, String name) {
    return folder.resolve(name + ".diary");
  }

  /** The file that a lock protects. */
  public static Path fileOf(Path folder, String lock) {
    return folder.resolve(lock + ".store");
  }

  /** Runs until standard input ends. */
  public static void run(Plan plan, BatonConfig config, PrintStream out) throws IOException {
    try (Diary diary = new Diary(diaryOf(plan.folder(), plan.name()));
        Baton baton = Baton.join(config)) {
      diary.note("joined", System.nanoTime(), baton.id());
      new Worker(plan, baton, diary, out).work();
    }
  }

  private void work() throws IOException {
    say("joined " + baton.id());
    for (int k = 0; k < plan.clients(); k++) {
      int first = k == 0 || plan.locks() == 1 ? 0 : 1; // lock-0 may be held for long
      Thread client = new Thread(() -> contend(first), "client-" + k);
      client.setDaemon(true);
      client.start();
    }
    if (plan.elections()) {
      Candidate.start(baton, plan.folder(), diary);
      Thread trying = new Thread(this::keepTrying, "trying");
      trying.setDaemon(true);
      trying.start();
    }
    Thread counter = new Thread(this::count, "counter");
    counter.setDaemon(true);
    counter.start();
    obey();
    ending = true;
    dropped.countDown();
  }

  private void obey() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line = in.readLine();
    while (line != null && !line.equals("quit")) {
      if (line.startsWith("grab ")) {
        dropped = new CountDownLatch(1);
        grabbed = line.substring("grab ".length());
      } else if (line.equals("drop")) {
        grabbed = "";
        dropped.countDown();
      } else if (line.equals("who")) {
        say("leads " + baton.status().leader().orElse("nobody"));
        say("voters " + String.join(" ", baton.status().voters()));
      } else if (line.equals("still")) {
        Hold hold = held;
        say("still " + (hold != null && hold.isValid() ? hold.fence() : "nothing"));
      } else if (line.equals("losses")) {
        say("losses " + losses.get());
      } else if (line.equals("clock")) {
        say("clock " + System.currentTimeMillis());
      } else if (line.equals("pause")) {
        paused = true;
      } else if (line.equals("go")) {
        paused = false;
      }
      line = in.readLine();
    }
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  /** The letters sent so far, again and again: the process may end at any time. */
  private void count() {
    while (!ending) {
      diary.note("letters", System.nanoTime(), baton.status().letters());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  private void contend(int first) {
    try {
      while (!ending) {
        if (paused) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        } else {
          takeOnce(baton.lock(lock(ThreadLocalRandom.current().nextInt(first, plan.locks()))));
        }
        if (plan.thinkMicros() > 0) {
          LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(plan.thinkMicros()));
        }
      }
    } catch (BatonClosedException | InterruptedException e) {
      // The end.
    } catch (IOException | RuntimeException e) {
      diary.note("broken", System.nanoTime(), e.toString().replace(' ', '_'));
      throw new IllegalStateException(e);
    }
  }

  /** Takes a lock now and then, if it is free. */
  private void keepTrying() {
    BatonLock lock = baton.lock(TRIED);
    try {
      while (!ending) {
        if (!paused) {
          tryOnce(lock);
        }
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(TRY_MILLIS));
      }
    } catch (BatonClosedException | InterruptedException e) {
      // The end.
    } catch (IOException | RuntimeException e) {
      diary.note("broken", System.nanoTime(), e.toString().replace(' ', '_'));
      throw new IllegalStateException(e);
    }
  }

  private void tryOnce(BatonLock lock) throws InterruptedException, IOException {
    long asked = System.nanoTime();
    Optional<Hold> hold = lock.tryAcquire(Duration.ZERO);
    if (hold.isPresent()) {
      use(hold.get(), asked);
    } else {
      diary.note("failed", System.nanoTime(), lock.name(), asked);
    }
  }

  private void takeOnce(BatonLock lock) throws InterruptedException, IOException {
    long asked = System.nanoTime();
    diary.note("ask", asked, lock.name());
    use(lock.acquire(), asked);
  }

  private void use(Hold taken, long asked) throws InterruptedException, IOException {
    try (Hold hold = taken) {
      long granted = System.nanoTime();
      diary.note("grant", granted, hold.lock(), hold.fence(), granted - asked);
      long valid = write(hold, granted);
      if (hold.lock().equals(grabbed)) {
        valid = holdOn(hold, valid);
      }
      String end = hold.lost().map(LossReason::toString).orElse("released");
      losses.addAndGet(hold.lost().isPresent() ? 1 : 0);
      diary.note("end", System.nanoTime(), hold.lock(), hold.fence(), valid, end);
    }
  }

  /** Writes under the lock; the last instant at which it was seen to be held. */
  private long write(Hold hold, long granted) throws IOException {
    FencedFile file =
        store.computeIfAbsent(hold.lock(), lock -> new FencedFile(fileOf(plan.folder(), lock)));
    if (hold.isValid()) {
      write(diary, file, hold.lock(), hold.fence());
    }
    return lastSeen(hold, granted);
  }

  /** Writes a fence to a file, and notes what the file said. */
  static void write(Diary diary, FencedFile file, String lock, long fence) throws IOException {
    String event =
        switch (file.append(fence)) {
          case WRITTEN -> "write";
          case STALE -> "stale";
          case BUSY -> "busy";
        };
    diary.note(event, System.nanoTime(), lock, fence);
  }

  private static long lastSeen(Hold hold, long before) {
    long now = System.nanoTime();
    return hold.isValid() ? now : before;
  }

  private long holdOn(Hold hold, long valid) throws InterruptedException, IOException {
    grabbed = "";
    CountDownLatch end = dropped;
    hold.onLost(
        reason -> {
          diary.note("lost", System.nanoTime(), hold.lock(), hold.fence(), reason);
          say("lost " + hold.lock() + " " + reason);
          end.countDown();
        });
    held = hold;
    say("holds " + hold.lock() + " " + hold.fence());
    long last = valid;
    while (!end.await(1, TimeUnit.MILLISECONDS)) {
      last = write(hold, last);
    }
    return lastSeen(hold, last);
  }
}
