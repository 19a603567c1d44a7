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
  /**
   * What a hold that was taken on terms remembers of them.
   *
   * @param end when it ends by itself; {@link Terms#FOR_EVER}: never
   * @param keptUntil until when others do not get the lock even if it is given back before
   */
  private record Span(Terms terms, long end, long keptUntil) {
    private static final Span PLAIN = new Span(Terms.NONE, Terms.FOR_EVER, Claim.AT_ONCE);

    static Span from(long now, Terms terms) {
      return new Span(
          terms,
          terms.isLimited() ? Terms.after(now, terms.atMost()) : Terms.FOR_EVER,
          terms.atLeast() > 0 ? Terms.after(now, terms.atLeast()) : Claim.AT_ONCE);
    }
  }

  /** The owner of a hold, as long as somebody can reach it. */
  private static final class Watched extends WeakReference<Object> {
    private final @Nullable Throwable takenAt;
    private boolean told; // that it is gone

    Watched(Object owner, @Nullable Throwable takenAt) {
      super(owner);
      this.takenAt = takenAt;
    }
  }

  // A turn is taken again within some fifty nanoseconds: what few need is one field, and is null.
  private final Claim claim;
  private final long turn;
  private final Thread thread;
  private long since; // by the clock of the host
  private volatile @Nullable Span span; // null: plain (to write it would cost each hold a fence)
  private volatile @Nullable List<Consumer<Loss>> listeners; // changed under the guard of this
  private @Nullable Object owner; // whose it is: once it was looked at, as one that is watched

  Grip(Claim claim, long turn, Thread thread) {
    this.claim = claim;
    this.turn = turn;
    this.thread = thread;
  }

  /** The turn begins, before anybody else sees this. */
  @SuppressWarnings("ReferenceEquality") // others that are plain are only slower
  void begin(long now, Terms terms) {
    since = now;
    if (terms != Terms.NONE) {
      span = Span.from(now, terms);
    }
  }

  private Span span() {
    Span mine = span;
    return mine == null ? Span.PLAIN : mine;
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
    return span().terms();
  }

  /** When it ends by itself. */
  long end() {
    return span().end();
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
    return end() != Terms.FOR_EVER && loss() == Loss.EXPIRED;
  }

  /**
   * Until when it is to be kept from others, by the wall clock as it is now: for people to read.
   */
  public Instant keptUntil() {
    return Instant.now().plusNanos(keptFor());
  }

  /** For how many nanoseconds it is still to be kept from others. */
  public long keptFor() {
    long until = span().keptUntil();
    return until == Claim.AT_ONCE ? 0 : Math.max(0, until - claim.host().clock().now());
  }

  /**
   * Ends by itself so many nanoseconds from now, and is kept from others for so many, whatever was
   * said before; false where it is over.
   */
  public boolean extend(Terms newTerms) {
    return claim.host().extend(claim, turn, this, newTerms) && isValid();
  }

  /** Under the guard: it begins again, on these terms. */
  void beginAgain(long now, Terms newTerms) {
    Terms mine = span().terms();
    Span fresh = Span.from(now, newTerms.withNote(mine.note()).withOwner(mine.owner()));
    span =
        newTerms.atLeast() == Terms.AS_BEFORE
            ? new Span(fresh.terms(), fresh.end(), span().keptUntil())
            : fresh;
  }

  /**
   * Gives the lock back; nothing where that has been done, or it was lost. Where the lease ran out
   * and nobody had the time to notice, whoever asked to be told of a loss is told first.
   */
  public void release() {
    end(span().keptUntil());
  }

  /** Gives a lock back that came when nobody wanted it any more: others may have it at once. */
  public void forgo() {
    end(Claim.AT_ONCE);
  }

  private void end(long keptUntil) {
    try {
      if (listeners != null && !isValid()) {
        claim.host().lookFor();
      }
      claim.endTurn(turn, keptUntil);
    } catch (RuntimeException | Error e) {
      claim.abandoned = turn; // no call: there may be no stack left for one
      throw e;
    }
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
    int told = 0;
    try {
      for (Consumer<Loss> listener : toTell) {
        claim.host().callBack(() -> listener.accept(reason));
        told++;
      }
    } finally {
      if (told < toTell.size()) { // for want of memory: the others are told the next time
        keep(toTell, told);
      }
    }
  }

  private synchronized void keep(List<Consumer<Loss>> all, int told) {
    if (listeners == null) {
      for (int k = 0; k < told; k++) {
        all.remove(0);
      }
      listeners = all;
    } else {
      listeners.addAll(all.subList(told, all.size()));
    }
  }

  // Whether anybody can still give it back.

  /** Says whose it is, and perhaps where it was taken: while that can be reached, it is no loss. */
  public void belongsTo(Object newOwner, @Nullable Throwable origin) {
    owner = origin == null ? newOwner : new Watched(newOwner, origin);
  }

  /** Where it was taken, if that was noted. */
  @Nullable Throwable takenAt() {
    return owner instanceof Watched watched ? watched.takenAt : null;
  }

  /**
   * Whether nobody can give it back any more: true once. Its owner is held on to until it is looked
   * at for the first time, and by a weak reference from then on; so short holds cost nothing.
   */
  boolean isDropped(long presentTurn) {
    if (presentTurn != turn) {
      return false; // the next one has begun, and is not known yet
    }
    Object mine = owner;
    if (mine instanceof Watched watched) {
      boolean dropped = watched.get() == null && !watched.told;
      watched.told |= dropped;
      return dropped;
    }
    if (mine != null) { // else it is not known yet
      owner = new Watched(mine, null);
    }
    return false;
  }
}
