package io.baton.cli.live;

import io.baton.Baton;
import io.baton.LeaderCallbacks;
import io.baton.Leadership;
import io.baton.LossReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Stands for election again and again. While it leads it writes to a file that checks fences; then
 * it steps down, or fails, or works on until it is told to end. It notes all that it is told.
 */
final class Candidate implements LeaderCallbacks {
  /** What it wants to lead. */
  static final String NAME = "leader";

  private static final int LONGEST_MILLIS = 400;

  private final Diary diary;
  private final FencedFile file;
  private final CompletableFuture<Leadership> leadership = new CompletableFuture<>();
  private long fence;
  private boolean noted; // that it was elected
  private long seen; // when it saw last that it leads

  private Candidate(Diary diary, FencedFile file) {
    this.diary = diary;
    this.file = file;
  }

  static void start(Baton baton, Path folder, Diary diary) {
    Candidate candidate = new Candidate(diary, new FencedFile(Worker.fileOf(folder, NAME)));
    candidate.leadership.complete(baton.lead(NAME, candidate));
  }

  @Override
  public void onElected(long newFence) throws IOException, InterruptedException {
    Leadership mine = leadership.join();
    fence = newFence;
    seen = System.nanoTime();
    noted = mine.isLeader(); // else this process was stopped for long, and it leads no more
    if (noted) {
      diary.note("elected", seen, NAME, fence);
    }
    ThreadLocalRandom chance = ThreadLocalRandom.current();
    long until = seen + TimeUnit.MILLISECONDS.toNanos(chance.nextInt(LONGEST_MILLIS));
    while (System.nanoTime() < until) {
      long now = System.nanoTime();
      if (mine.isLeader()) {
        seen = now;
        Worker.write(diary, file, NAME, fence);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
    switch (chance.nextInt(4)) {
      case 0 -> throw new IOException("A leader that fails, for the sake of chaos");
      case 1 -> TimeUnit.MILLISECONDS.sleep(chance.nextInt(10 * LONGEST_MILLIS));
      default -> {}
    }
    mine.stepDown();
  }

  @Override
  public void onRevoked(LossReason reason) {
    if (noted) {
      diary.note("revoked", System.nanoTime(), NAME, fence, seen, reason);
    }
  }
}
