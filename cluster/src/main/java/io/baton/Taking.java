package io.baton;

import io.baton.cluster.Claim;
import io.baton.cluster.Grip;
import io.baton.cluster.Terms;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How one lock is taken: at once or not at all, by a thread that waits, or without one. */
final class Taking {
  private final Baton baton;
  private final String name;
  private final Terms terms;
  private @Nullable Claim kept; // where it was last found; whether it still holds it tells itself

  Taking(Baton baton, String name, Terms terms) {
    this.baton = baton;
    this.name = name;
    this.terms = terms;
  }

  Terms terms() {
    return terms;
  }

  /** Waits for as long as it takes, whatever interrupts the thread meanwhile. */
  Hold uninterruptibly() {
    try {
      return present(timed(false, Long.MAX_VALUE));
    } catch (InterruptedException e) {
      throw new IllegalStateException("Interrupted where that is not possible", e);
    }
  }

  /** Waits for as long as it takes. */
  Hold interruptibly() throws InterruptedException {
    return present(timed(true, Long.MAX_VALUE));
  }

  private static Hold present(@Nullable Hold hold) {
    if (hold == null) {
      throw new IllegalStateException("Gave up without a limit");
    }
    return hold;
  }

  /** Waits for so many nanoseconds at most; null: the time is over, or it was not free at once. */
  @Nullable Hold within(long nanos) throws InterruptedException {
    return nanos > 0 ? timed(true, nanos) : atOnce();
  }

  private @Nullable Hold timed(boolean interruptibly, long nanos) throws InterruptedException {
    if (!baton.listeners().isAny()) {
      return await(interruptibly, nanos);
    }
    long start = System.nanoTime();
    Hold hold = null;
    try {
      hold = await(interruptibly, nanos);
      return hold;
    } finally {
      baton.listeners().waited(name, System.nanoTime() - start, hold != null);
    }
  }

  /** Takes it if nobody has it and nobody waits for it; null: somebody does. */
  @Nullable Hold atOnce() {
    if (!baton.listeners().isAny()) {
      return attempt();
    }
    long start = System.nanoTime();
    Hold hold = null;
    try {
      hold = attempt();
      return hold;
    } finally {
      baton.listeners().waited(name, System.nanoTime() - start, hold != null);
    }
  }

  private @Nullable Hold attempt() {
    Hold hold = new Hold(baton);
    Hold keptHold = hold.of(takeKept());
    if (keptHold != null) {
      return keptHold;
    }
    Claim claim = new Claim(baton.host(), name, terms, null);
    Hold taken;
    try {
      baton.host().attempt(claim);
      parkUntilAnswered(claim);
      taken = hold.of(claim.taken());
    } catch (Error e) {
      claim.abandon();
      throw e;
    }
    if (taken == null) {
      baton.host().cancel(claim);
    }
    if (claim.isClosed()) {
      throw closed();
    }
    return taken;
  }

  /** Until an attempt has been answered, which does not take long, whatever interrupts. */
  private void parkUntilAnswered(Claim claim) {
    boolean interrupted = false;
    while (claim.isWaiting()) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a grant; null where the time is over. */
  private @Nullable Hold await(boolean interruptibly, long nanos) throws InterruptedException {
    if (interruptibly && Thread.interrupted()) {
      throw new InterruptedException();
    }
    Hold hold = new Hold(baton);
    Hold keptHold = hold.of(takeKept());
    return keptHold == null ? ask(hold, interruptibly, nanos) : keptHold;
  }

  /** Takes the lock where this process keeps it, without asking the member. */
  private @Nullable Grip takeKept() {
    if (baton.host().isDraining()) {
      throw closed();
    }
    Claim claim = kept;
    Grip grip = claim == null ? null : claim.takeAgain(terms);
    if (grip == null) {
      claim = baton.host().kept(name);
      kept = claim;
      grip = claim == null ? null : claim.takeAgain(terms);
    }
    return grip;
  }

  private @Nullable Hold ask(Hold hold, boolean interruptibly, long nanos)
      throws InterruptedException {
    long start = nanos == Long.MAX_VALUE ? 0 : System.nanoTime();
    while (true) {
      Claim claim = new Claim(baton.host(), name, terms, null);
      boolean inTime;
      Hold taken;
      try {
        baton.host().acquire(claim);
        inTime = park(claim, interruptibly, start, nanos);
        taken = hold.of(claim.taken());
      } catch (Error e) {
        claim.abandon();
        throw e;
      }
      if (taken != null) {
        return taken;
      }
      baton.host().cancel(claim);
      if (claim.isClosed()) {
        throw closed();
      }
      if (!inTime || (nanos != Long.MAX_VALUE && System.nanoTime() - start >= nanos)) {
        return null;
      }
      if (interruptibly && Thread.interrupted()) { // a lease may end again and again
        throw new InterruptedException();
      }
    }
  }

  /** Until the claim is granted or in vain; false: the time is over. */
  private boolean park(Claim claim, boolean interruptibly, long start, long nanos)
      throws InterruptedException {
    boolean interrupted = false;
    try {
      while (claim.isWaiting()) {
        long rest = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - start);
        if (rest <= 0) {
          return false;
        }
        LockSupport.parkNanos(this, rest);
        if (Thread.interrupted()) {
          if (interruptibly) {
            baton.host().cancel(claim);
            throw new InterruptedException();
          }
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The lock once it is granted; whoever cancels this gives up. */
  CompletableFuture<Hold> later() {
    CompletableFuture<Hold> future = new CompletableFuture<>();
    if (baton.listeners().isAny()) {
      long start = System.nanoTime();
      var unused =
          future.whenComplete(
              (hold, failure) ->
                  baton.listeners().waited(name, System.nanoTime() - start, hold != null));
    }
    ask(future);
    return future;
  }

  /**
   * Who waits without a thread. Nothing remembers it once it has its hold, which may be dropped.
   */
  private record Pending(Hold hold, CompletableFuture<Hold> future) {}

  private void ask(CompletableFuture<Hold> future) {
    AtomicReference<@Nullable Pending> waiting =
        new AtomicReference<>(new Pending(new Hold(baton), future));
    Claim claim =
        new Claim(
            baton.host(),
            name,
            terms,
            told -> {
              Pending pending = waiting.getAndSet(null);
              if (pending != null) { // it is told of a loss as well
                arrive(pending.hold(), told, pending.future());
              }
            });
    try {
      baton.host().acquire(claim);
      var unused =
          future.whenComplete(
              (taken, failure) -> {
                if (taken == null) {
                  baton.host().cancel(claim);
                }
              });
    } catch (Error e) {
      claim.abandon();
      throw e;
    }
  }

  private void arrive(Hold made, Claim claim, CompletableFuture<Hold> future) {
    Hold hold = made.of(claim.taken());
    if (hold != null) {
      if (!future.complete(hold)) {
        hold.forgo();
      }
    } else if (claim.isClosed()) {
      future.completeExceptionally(closed());
    } else {
      baton.host().cancel(claim);
      if (!future.isDone()) {
        try {
          ask(future); // lost before anybody knew that it was granted
        } catch (RuntimeException | Error e) {
          future.completeExceptionally(e);
        }
      }
    }
  }

  private BatonException closed() {
    String what = "Cannot acquire lock \"" + name + "\": this member (" + baton.id() + ") ";
    Throwable defect = baton.host().brokenBy();
    return defect == null
        ? new BatonClosedException(what + "has left the cluster")
        : new BatonException(what + "was ended by an error: " + defect, defect);
  }
}
