package io.baton;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work that does not outlive its lock: whoever does it hears of a loss, and so does who asked. */
final class LockedWork {
  /** The work that each thread does, the innermost first. */
  private static final ThreadLocal<@Nullable Nested> NESTED = new ThreadLocal<>();

  private record Nested(Hold hold, @Nullable Nested outer) {}

  private LockedWork() {}

  /** Does it on this thread, which is interrupted where the lock is lost meanwhile. */
  static <T> T call(Hold hold, LockedTask<T> task) throws Exception {
    Nested outer = NESTED.get();
    T result;
    try {
      NESTED.set(new Nested(hold, outer));
      hold.interruptOnLoss(Thread.currentThread());
      result = task.call(hold);
    } catch (Throwable e) {
      end(hold, outer, e);
      throw e;
    }
    end(hold, outer, null);
    return result;
  }

  /** Gives the lock back; throws where it was lost before. */
  private static void end(Hold hold, @Nullable Nested outer, @Nullable Throwable failure) {
    try {
      hold.close(); // from here on nobody is interrupted
    } finally {
      if (outer == null) {
        NESTED.remove();
      } else {
        NESTED.set(outer);
      }
    }
    if (hold.lost().isEmpty()) {
      return;
    }
    if (hold.hasInterrupted() && !(failure instanceof InterruptedException)) {
      Thread.interrupted(); // that was meant for the task
    }
    for (Nested other = outer; other != null; other = other.outer) {
      if (other.hold.hasInterrupted()) { // and this for the work around it
        Thread.currentThread().interrupt();
      }
    }
    LockLostException lost = hold.lostException();
    if (failure != null) {
      lost.addSuppressed(failure);
    }
    throw lost;
  }

  /** Begins it once the lock is there, on a thread for callbacks; over when its stage is. */
  static <T> CompletableFuture<T> callAsync(
      CompletableFuture<Hold> acquiring,
      Function<? super Hold, ? extends CompletionStage<T>> task,
      Executor callbacks) {
    CompletableFuture<T> result = new CompletableFuture<>();
    var begun =
        acquiring.whenCompleteAsync(
            (hold, failure) -> {
              if (hold == null) {
                result.completeExceptionally(failure);
              } else if (result.isDone()) { // nobody waits for it any more
                hold.forgo();
              } else {
                begin(hold, task, result);
              }
            },
            callbacks);
    var unused =
        result.whenComplete(
            (value, failure) -> {
              acquiring.cancel(false); // where it is granted by now, nothing happens
            });
    assert begun != null && unused != null;
    return result;
  }

  private static <T> void begin(
      Hold hold,
      Function<? super Hold, ? extends CompletionStage<T>> task,
      CompletableFuture<T> result) {
    try {
      Beginning<T> beginning = new Beginning<>();
      hold.onLost(
          reason -> {
            result.completeExceptionally(hold.lostException());
            beginning.lost();
          });
      CompletionStage<T> stage =
          Objects.requireNonNull(
              beginning.of(() -> task.apply(hold)), "The task gave no stage, but null");
      var over = stage.whenComplete((value, failure) -> finish(hold, result, value, failure));
      var unused =
          result.whenComplete(
              (value, failure) -> {
                if (failure instanceof CancellationException) {
                  cancel(stage);
                }
              });
      assert over != null && unused != null;
    } catch (Throwable e) { // told to whoever asked
      finish(hold, result, null, e);
    }
  }

  /**
   * A task until it gives its stage: interrupted where the lock is lost, and the stage cancelled.
   */
  private static final class Beginning<T> {
    private @Nullable Thread thread; // on which it begins; null: not yet, or not any more
    private @Nullable CompletionStage<T> stage;
    private boolean lost;
    private boolean interrupted;

    @Nullable CompletionStage<T> of(Supplier<@Nullable CompletionStage<T>> task) {
      synchronized (this) {
        thread = Thread.currentThread();
        if (lost) {
          interrupt();
        }
      }
      CompletionStage<T> given = null;
      try {
        given = task.get();
        return given;
      } finally {
        begun(given);
      }
    }

    private synchronized void begun(@Nullable CompletionStage<T> given) {
      thread = null;
      stage = given;
      if (interrupted) {
        Thread.interrupted(); // that was meant for the task
      }
      if (lost && given != null) {
        cancel(given);
      }
    }

    synchronized void lost() {
      lost = true;
      interrupt();
      if (stage != null) {
        cancel(stage);
      }
    }

    private void interrupt() {
      if (thread != null) {
        interrupted = true;
        thread.interrupt();
      }
    }
  }

  private static void cancel(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (UnsupportedOperationException e) {
      // It cannot be ended from outside: the lock is kept until it is over.
    }
  }

  private static <T> void finish(
      Hold hold, CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
    try {
      hold.close();
    } finally {
      if (hold.lost().isPresent()) {
        result.completeExceptionally(hold.lostException());
      } else if (failure != null) {
        result.completeExceptionally(failure);
      } else {
        result.complete(value);
      }
    }
  }
}
