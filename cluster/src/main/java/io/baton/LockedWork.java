package io.baton;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Work that does not outlive its lock: whoever does it hears of a loss, and so does who asked. */
final class LockedWork {
  private LockedWork() {}

  /** Does it on this thread, which is interrupted where the lock is lost meanwhile. */
  static <T> T call(Hold hold, LockedTask<T> task) throws Exception {
    T result;
    try {
      hold.interruptOnLoss(Thread.currentThread());
      result = task.call(hold);
    } catch (Throwable e) {
      end(hold, e);
      throw e;
    }
    end(hold, null);
    return result;
  }

  /** Gives the lock back; throws where it was lost before. */
  private static void end(Hold hold, @Nullable Throwable failure) {
    hold.close(); // from here on nobody is interrupted
    if (hold.lost().isEmpty()) {
      return;
    }
    if (hold.hasInterrupted()) {
      Thread.interrupted(); // that was meant for the task
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
              } else if (result.isDone()) { // cancelled before
                hold.close();
              } else {
                begin(hold, task, result);
              }
            },
            callbacks);
    var unused =
        result.whenComplete(
            (value, failure) -> {
              if (failure instanceof CancellationException) {
                acquiring.cancel(false);
              }
            });
    assert begun != null && unused != null;
    return result;
  }

  private static <T> void begin(
      Hold hold,
      Function<? super Hold, ? extends CompletionStage<T>> task,
      CompletableFuture<T> result) {
    try {
      CompletionStage<T> stage =
          Objects.requireNonNull(task.apply(hold), "The task gave no stage, but null");
      hold.onLost(
          reason -> {
            result.completeExceptionally(hold.lostException());
            cancel(stage);
          });
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
