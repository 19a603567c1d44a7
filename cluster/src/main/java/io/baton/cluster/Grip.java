package io.baton.cluster;

import io.baton.member.Loss;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One turn of a {@link Claim}: what a holder has in hand. */
public final class Grip {
  private static final long NEVER = Long.MAX_VALUE;

  private final Claim claim;
  private final long turn;
  private final Thread thread;
  private final Terms terms;
  private long since; // by the clock of the host
  private volatile long end; // when it ends by itself; 0: never (what is written costs a fence)
  private volatile long keptUntil; // from others, even if it is given back before; 0: not at all
  private volatile @Nullable List<Consumer<Loss>> listeners; // changed under the guard of this

  /** Whose it is: once it has lasted for a while, by a weak reference. */
  private @Nullable Object owner;

  private boolean swept; // it has lasted for a while
  private @Nullable Throwable takenAt;

  Grip(Claim claim, long turn, Thread thread, Terms terms) {
    this.claim = claim;
    this.turn = turn;
    this.thread = thread;
    this.terms = terms;
  }

  /** The turn begins, before anybody else sees this. */
  void begin(long now) {
    since = now;
    if (terms.isLimited()) {
      end = notZero(Terms.after(now, terms.atMost()));
    }
    if (terms.atLeast() > 0) {
      keptUntil = notZero(Terms.after(now, terms.atLeast()));
    }
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
    return Instant.now().minusNanos(age());
  }

  /** For how many nanoseconds it has been held. */
  public long age() {
    return claim.host().clock().now() - since;
  }

  /** The thread that took it. */
  Thread thread() {
    return thread;
  }

  /** Whether that thread is taken for its owner, where none was named. */
  boolean isOfThread() {
    return claim.isOfThread() || turn > 0; // who takes it again does not wait
  }

  Terms terms() {
    return terms;
  }

  /** When it ends by itself. */
  long end() {
    long mine = end;
    return mine == 0 ? NEVER : mine;
  }

  private long heldUntil() {
    return Math.min(claim.host().heldUntil(), end());
  }

  /** Whether the lock is its own at this instant; read in the order of {@link Claim#takeAgain}. */
  public boolean isValid() {
    long until = heldUntil();
    return claim.isAt(turn) && claim.host().clock().now() < until;
  }

  /** For how many nanoseconds it is safely its own; none where it is not. */
  public long remaining() {
    long until = heldUntil();
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
    boolean isCut = now >= claim.host().heldUntil();
    boolean isLate = (isCut || now >= end()) && claim.isAt(turn);
    Loss known = claim.lossOf(turn); // read last: between HELD and LOST there is nothing
    return known == null && isLate ? (isCut ? Loss.PARTITIONED : Loss.EXPIRED) : known;
  }

  /** Whether its time is over. */
  boolean hasExpired() {
    return end != 0 && loss() == Loss.EXPIRED;
  }

  private static long notZero(long instant) {
    return instant == 0 ? 1 : instant;
  }

  /** For how many nanoseconds it is still to be kept from others. */
  public long keptFor() {
    return keptUntil == 0 ? 0 : Math.max(0, keptUntil - claim.host().clock().now());
  }

  /**
   * Ends by itself so many nanoseconds from now, and is kept from others for so many, whatever was
   * said before; false where it is over.
   */
  public boolean extend(long atMost, long atLeast) {
    long now = claim.host().clock().now();
    if (!claim.host().extend(claim, turn, this, Terms.after(now, atMost))) {
      return false;
    }
    keptUntil = atLeast > 0 ? notZero(Terms.after(now, atLeast)) : 0;
    return isValid();
  }

  /** Under the guard: from now on it ends then. */
  void endAt(long newEnd) {
    end = notZero(newEnd);
  }

  /**
   * Gives the lock back; nothing where that has been done, or it was lost. Where the lease ran out
   * and nobody had the time to notice, whoever asked to be told of a loss is told first.
   */
  public void release() {
    if (listeners != null && !isValid()) {
      claim.host().look();
    }
    claim.endTurn(turn, keptUntil);
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

  // Whether anybody can still give it back.

  /** Says whose it is, and perhaps where it was taken: while that can be reached, it is no loss. */
  public void belongsTo(Object newOwner, @Nullable Throwable origin) {
    if (origin != null) {
      takenAt = origin;
    }
    owner = newOwner;
  }

  /** Where it was taken, if that was noted. */
  @Nullable Throwable takenAt() {
    return takenAt;
  }

  /**
   * Whether nobody can give it back any more: true once. A hold is looked at after it has lasted
   * for two looks only, so that short ones cost nothing.
   */
  boolean isDropped(long presentTurn) {
    if (presentTurn != turn) {
      return false; // the next one has begun, and is not known yet
    }
    Object mine = owner;
    if (mine instanceof WeakReference<?> reference) {
      boolean dropped = reference.get() == null;
      owner = dropped ? null : reference;
      return dropped;
    }
    if (mine != null && swept) {
      owner = new WeakReference<>(mine);
    }
    swept = true;
    return false;
  }
}
