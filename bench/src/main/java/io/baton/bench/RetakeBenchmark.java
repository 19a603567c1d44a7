package io.baton.bench;

import io.baton.BatonCluster;
import io.baton.BatonLock;
import io.baton.Hold;
import io.baton.member.Shape;
import io.baton.member.View;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Takes a lock and gives it back, nobody else asking, beside a {@link ReentrantLock}: the same one
 * again and again, and one of a thousand after the other, at members that are not their root.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("LockNotBeforeTry") // nothing is done in between
public class RetakeBenchmark {
  private static final int MANY = 1_000;
  private static final int MEMBERS = 3;

  /** Three members in one process; each thread has a member and a thousand locks of its own. */
  @State(Scope.Benchmark)
  public static class Cluster {
    private final BatonCluster members = BatonCluster.local(MEMBERS);

    /** Ends it. */
    @TearDown
    public void close() {
      members.close();
    }
  }

  /** What one thread cycles through. */
  @State(Scope.Thread)
  public static class Mine {
    private final List<BatonLock> locks = new ArrayList<>();
    private final List<Lock> plain = new ArrayList<>();
    private int next;

    /** Takes each once, so that its token is here. */
    @Setup(Level.Trial)
    public void take(Cluster cluster) throws InterruptedException {
      long thread = Thread.currentThread().getId();
      View view = new View(1, 1, MEMBERS, Shape.STAR, List.of());
      for (int k = 0; locks.size() < MANY; k++) {
        String name = "lock-" + thread + "-" + k;
        if (view.root(name) != 1) {
          BatonLock lock = cluster.members.member(1).lock(name);
          lock.acquire().close();
          locks.add(lock);
          plain.add(new ReentrantLock());
        }
      }
    }

    private int next() {
      next = next + 1 < MANY ? next + 1 : 0;
      return next;
    }
  }

  /** The floor: one lock. */
  @Benchmark
  public void reentrantLock(Mine mine) {
    Lock lock = mine.plain.get(0);
    lock.lock();
    lock.unlock();
  }

  /** One lock, as a hold. */
  @Benchmark
  public long hold(Mine mine) throws InterruptedException {
    try (Hold hold = mine.locks.get(0).acquire()) {
      return hold.fence();
    }
  }

  /** One lock, bound to the thread. */
  @Benchmark
  public void lock(Mine mine) {
    Lock lock = mine.locks.get(0);
    lock.lock();
    lock.unlock();
  }

  /** The floor: a thousand locks in turn. */
  @Benchmark
  public void thousandReentrantLocks(Mine mine) {
    Lock lock = mine.plain.get(mine.next());
    lock.lock();
    lock.unlock();
  }

  /** A thousand locks in turn, as holds. */
  @Benchmark
  public long thousandHolds(Mine mine) throws InterruptedException {
    try (Hold hold = mine.locks.get(mine.next()).acquire()) {
      return hold.fence();
    }
  }
}
