package io.baton.cluster;

import io.baton.member.Loss;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One turn of a {@link Claim}: what a holder has in hand. */
public final class Grip {
  private final Claim claim;
  private final long turn;
  private final Thread thread;
  private long since; // by the clock of the host
  private volatile @Nullable List<Consumer<Loss>> listeners; // changed under the guard of this

  Grip(Claim claim, long turn, Thread thread) {
    this.claim = claim;
    this.turn = turn;
    this.thread = thread;
  }

  /** The turn begins, before anybody else sees this. */
  void begin(long now) {
    since = now;
  }

  /** The lock's name. */
  public String lock() {
    return claim.lock();
  }

  /** The number of this grant. */
  public long fence() {
    return claim.fence(turn);
  }

  /** When it was granted, by the wall clock as it is now: for people to read. */
  public Instant since() {
    long age = claim.host().clock().now() - since;
    return Instant.now().minusNanos(age);
  }

  /** The thread that took it. */
  Thread thread() {
    return thread;
  }

  /** Whether the lock is its own at this instant; read in the order of {@link Claim#takeAgain}. */
  public boolean isValid() {
    long until = claim.host().heldUntil();
    return claim.isAt(turn) && claim.host().clock().now() < until;
  }

  /** For how many nanoseconds it is safely its own; none where it is not. */
  public long remaining() {
    long until = claim.host().heldUntil();
    long now = claim.host().clock().now();
    return claim.isAt(turn) && until > now ? until - now : 0;
  }

  /** Whether it was given back. */
  public boolean isGivenBack() {
    return !claim.isAt(turn) && claim.lossOf(turn) == null;
  }

  /** Why it was lost, even where only the clock knows that yet; null: it was not. */
  public @Nullable Loss loss() {
    long now = claim.host().clock().now();
    boolean late = now >= claim.host().heldUntil() && claim.isAt(turn);
    Loss known = claim.lossOf(turn); // read last: between HELD and LOST there is nothing
    return known == null && late ? Loss.PARTITIONED : known;
  }

  /**
   * Gives the lock back; nothing where that has been done, or it was lost. Where the lease ran out
   * and nobody had the time to notice, whoever asked to be told of a loss is told first.
   */
  public void release() {
    if (listeners != null && !isValid()) {
      claim.host().look();
    }
    claim.endTurn(turn);
  }

  /** Has somebody told of a loss, on a thread of its own; at once where it has happened. */
  public void onLost(Consumer<Loss> listener) {
    synchronized (this) {
      List<Consumer<Loss>> all = new ArrayList<>(listeners == null ? List.of() : listeners);
      all.add(listener);
      listeners = all;
    }
    tellLoss();
  }

  /** Tells of a loss, where it has happened. */
  void tellLoss() {
    Loss reason = claim.lossOf(turn);
    if (reason == null) {
      return;
    }
    List<Consumer<Loss>> toTell;
    synchronized (this) {
      toTell = listeners == null ? List.of() : listeners;
      listeners = null;
    }
    toTell.forEach(listener -> claim.host().callBack(() -> listener.accept(reason)));
  }
}
