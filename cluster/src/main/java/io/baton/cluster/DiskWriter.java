package io.baton.cluster;

import io.baton.agreement.Durable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what a member must not forget, on a thread of its own: nobody waits for the disk but the
 * voter's own word. A write that fails is tried again; the voter is silent meanwhile, and the
 * others go on without its vote.
 */
final class DiskWriter implements Store, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWriter.class);
  private static final long RETRY_NANOS = 500_000_000;
  private static final int ENDING_SECONDS = 5;

  private record Write(Durable state, long ticket, Runnable done) {}

  private final DataFolder folder;
  private final ExecutorService thread;
  private final Queue<Write> waiting = new ArrayDeque<>(); // guarded by itself

  // On the thread.
  private boolean failing; // the last write failed, and that was said
  private long written; // the ticket of the state on the disk

  DiskWriter(DataFolder folder) {
    this.folder = folder;
    this.thread = Executors.newSingleThreadExecutor(Threads.named("baton-disk-" + folder.id()));
  }

  @Override
  public void write(Durable state, long ticket, Runnable done) {
    synchronized (waiting) {
      waiting.add(new Write(state, ticket, done));
    }
    try {
      thread.execute(this::writeAll);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} has left", folder.id(), e);
    }
  }

  /** Does something else that needs the disk. */
  void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} has left", folder.id(), e);
    }
  }

  /** The latest stands for all that wait. Whatever fails is tried again, here and now. */
  private void writeAll() {
    List<Write> all;
    synchronized (waiting) {
      all = new ArrayList<>(waiting);
      waiting.clear();
    }
    if (all.isEmpty()) {
      return;
    }
    Write latest = Collections.max(all, Comparator.comparingLong(Write::ticket));
    untilDone(() -> write(latest));
    all.forEach(each -> untilDone(each.done()::run));
  }

  private void write(Write latest) throws IOException {
    if (latest.ticket() > written) {
      folder.store(latest.state());
      written = latest.ticket();
    }
    if (failing) {
      failing = false;
      LOG.info("{} can write again, and votes", folder.id());
    }
  }

  private interface Step {
    void take() throws IOException;
  }

  private void untilDone(Step step) {
    boolean done = false;
    while (!done && !thread.isShutdown()) {
      try {
        step.take();
        done = true;
      } catch (IOException | OutOfMemoryError e) {
        sayThatItFails(e);
        LockSupport.parkNanos(RETRY_NANOS);
      } catch (RuntimeException | Error e) { // a defect, by which the member ends
        LOG.error("{} cannot go on writing", folder.id(), e);
        done = true;
      }
    }
  }

  private void sayThatItFails(Throwable failure) {
    if (!failing) {
      failing = true;
      LOG.error(
          "{} cannot vote: its data folder cannot be written: {}. It tries again until it can",
          folder.id(),
          failure.getMessage());
    }
  }

  /** What waits to be written is written, if that does not take long. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(ENDING_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("{} has left, and its disk still writes", folder.id());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
