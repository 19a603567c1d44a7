package io.baton.cli;

import io.baton.member.Caller;
import io.baton.member.Command;
import io.baton.member.Loss;
import io.baton.member.Member;
import io.baton.member.Output;
import io.baton.member.Packet;
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
  private long index;
  private long granted;

  /** A cluster of one, opened. */
  LockMemory() {
    Settings settings = Settings.ofSecond(1_000);
    member =
        new Member(
            "m1", "address", 1, settings, Rules.NAIMI_TREHEL, List.of("m1"), new Loop(), now);
    apply(new Command.Found(Shape.STAR, List.of(new Command.Newcomer("m1", "address", 1))));
    member.elected(1, now);
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

  private void apply(Command command) {
    member.applied(++index, 1, command, now);
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

  private final class Loop implements Output {
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
    public void propose(Command command) {
      todo.add(() -> apply(command));
    }

    @Override
    public void confirm(long term, long batch) {
      todo.add(() -> member.confirmed(term, batch, now));
    }
  }
}
