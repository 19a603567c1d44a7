package io.baton.cli;

import io.baton.member.Caller;
import io.baton.member.ClusterState;
import io.baton.member.Loss;
import io.baton.member.Member;
import io.baton.member.Newcomer;
import io.baton.member.Output;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Register;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** The heap that a member needs for locks that it has used once and still has the token of. */
final class LockMemory {
  private final Queue<Runnable> todo = new ArrayDeque<>();
  private final Member member;
  private long now;
  private long granted;

  /** A cluster of one, opened. */
  LockMemory() {
    Settings settings = Settings.ofSecond(1_000);
    Loop loop = new Loop();
    member =
        new Member(
            "m1", "address", 1, 1, settings, Rules.NAIMI_TREHEL, List.of("m1"), loop, loop, now);
    member.elected(1, now, now);
    commit(ClusterState.founded(Shape.STAR, List.of(new Newcomer("m1", "address", 1)), false));
    while (now < 3 * settings.lease()) {
      now = Math.max(now + 1, member.nextWake());
      member.tick(now);
      settle();
    }
  }

  /** Takes and gives back so many locks; bytes per lock, names included. */
  double bytesPerLock(int locks) {
    long before = used();
    for (int k = 0; k < locks; k++) {
      String name = "order-" + (1_000_000_000L + k);
      Caller caller = new Once();
      member.acquire(name, caller, now);
      member.release(name, caller, now);
    }
    double bytes = (double) (used() - before) / locks;
    if (granted != locks || member.lockCount() != locks) {
      throw new IllegalStateException(granted + " grants, " + member.lockCount() + " locks");
    }
    return bytes;
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void commit(ClusterState state) {
    member.committed(1, state, now);
    settle();
  }

  private void settle() {
    while (!todo.isEmpty()) {
      todo.remove().run();
    }
  }

  private final class Once implements Caller {
    @Override
    public void granted(long fence) {
      granted++;
    }

    @Override
    public void lost(Loss reason) {
      throw new IllegalStateException("lost: " + reason);
    }
  }

  private final class Loop implements Output, Register {
    @Override
    public void send(String id, Packet packet) {
      todo.add(() -> member.receive("m1", packet, now));
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      throw new IllegalStateException("nobody forces");
    }

    @Override
    public void inUse() {
      throw new IllegalStateException("nobody else is here");
    }

    @Override
    public void left() {
      throw new IllegalStateException("nobody leaves");
    }

    @Override
    public void ahead(Peer member, long view) {
      throw new IllegalStateException(member + " is ahead");
    }

    @Override
    public void publish(ClusterState next) {
      todo.add(() -> commit(next));
    }

    @Override
    public void confirm(long term, long batch) {
      todo.add(() -> member.confirmed(term, batch, now));
    }
  }
}
