package io.baton.cluster;

import io.baton.member.Caller;
import io.baton.member.Fence;
import io.baton.member.Loss;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One wish for a lock, from its beginning until the member has the lock back, or it is lost. Once
 * it is granted, the threads of this process may use it in turn, each with the next fence, without
 * asking the member: whoever gives it back while nobody else wants it leaves it here, and the next
 * takes it from here. One word says whose turn it is and what is being done, and is changed by
 * comparing: by users from HELD to KEPT and back, by all else under the guard of the {@link Host}.
 */
public final class Claim implements Caller {
  private static final int WAITING = 0; // for its grant
  private static final int HELD = 1; // in use
  private static final int WANTED = 2; // in use, and others want it: to be given back
  private static final int KEPT = 3; // granted, and not in use
  private static final int RESTING = 4; // not in use any more, and kept from others for a while
  private static final int LOST = 5; // or waited for in vain
  private static final int OVER = 6; // given back, or given up
  private static final int BITS = 3;
  private static final long NONE = -1;

  /** When others may have a lock that is kept from them for no time. */
  static final long AT_ONCE = Long.MIN_VALUE;

  private static final Logger LOG = LoggerFactory.getLogger(Claim.class);
  private static final VarHandle WORD;
  private static final VarHandle GRIP;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      WORD = lookup.findVarHandle(Claim.class, "word", long.class);
      GRIP = lookup.findVarHandle(Claim.class, "grip", Grip.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Host host;
  private final String lock;
  private final Thread thread; // that asked
  private final Terms terms;
  private final long asked; // when, by the clock of the host
  private final @Nullable Consumer<Claim> arrival; // null: the thread that asked waits itself
  private final Grip first; // of the first turn, made before anything is taken
  private long granted; // the fence of the first turn
  private @Nullable Loss loss;
  private volatile long word; // the turn, and what is being done
  private volatile @Nullable Grip grip; // of the present turn
  private volatile boolean indexed; // others can find it
  volatile long abandoned = NONE; // a turn that nobody uses, and its thread could not end
  @Nullable Claim newer; // in the list of all, under the guard
  @Nullable Claim older;
  private long turnSwept = -1; // when it was last looked whether it is used

  /**
   * A wish.
   *
   * @param arrival told, on a thread for callbacks, when the wish is granted or in vain; null: the
   *     thread that asks parks
   */
  public Claim(Host host, String lock, Terms terms, @Nullable Consumer<Claim> arrival) {
    this.host = host;
    this.lock = lock;
    this.terms = terms;
    this.thread = Thread.currentThread();
    this.asked = host.clock().now();
    this.arrival = arrival;
    this.first = new Grip(this, 0, thread);
  }

  private static long word(long turn, int phase) {
    return (turn << BITS) | phase;
  }

  private static int phase(long word) {
    return (int) word & ((1 << BITS) - 1);
  }

  private static long turn(long word) {
    return word >>> BITS;
  }

  private boolean change(long from, int phase) {
    return WORD.compareAndSet(this, from, word(turn(from), phase));
  }

  /** The lock's name. */
  public String lock() {
    return lock;
  }

  /** The thread that asked. */
  Thread thread() {
    return thread;
  }

  Terms terms() {
    return terms;
  }

  /** When it was made, by the clock of the host. */
  long asked() {
    return asked;
  }

  /** Whether its owner is known: a name that it was given, or the thread that waits for it. */
  boolean hasOwner() {
    return isOfThread() || !terms.owner().isEmpty();
  }

  /** Whether that one is also the owner of a hold. */
  boolean hasOwnerOf(Grip grip) {
    String named = grip.terms().owner();
    return named.isEmpty()
        ? terms.owner().isEmpty() && isOfThread() && grip.isOfThread() && grip.thread() == thread
        : named.equals(terms.owner());
  }

  /** Whether its thread waits for it, and is taken for its owner. */
  boolean isOfThread() {
    return arrival == null;
  }

  /** Whether it is neither granted nor in vain yet. */
  public boolean isWaiting() {
    return phase(word) == WAITING;
  }

  /** Whether this member leaves, and nobody is granted anything any more. */
  public boolean isClosed() {
    return phase(word) == LOST && loss == Loss.CLOSED;
  }

  /**
   * The first turn, where it has been granted and can be relied on, or has lasted for as long as it
   * was taken for.
   */
  public @Nullable Grip taken() {
    boolean granted = grip == first && (first.isValid() || first.hasExpired());
    return granted ? first : null;
  }

  /** The present turn, where others cannot have the lock for it. */
  @Nullable Grip inUse() {
    return isInUse() ? grip : null;
  }

  /** The present turn, if nobody can give it back any more; once. */
  @Nullable Grip dropped() {
    Grip present = isWorkedUnder() ? grip : null;
    return present != null && present.isDropped(turn(word)) ? present : null;
  }

  /** Whether somebody works under it. */
  boolean isWorkedUnder() {
    int phase = phase(word);
    return phase == HELD || phase == WANTED;
  }

  // What users do, on their threads.

  /**
   * Takes the lock where it is kept; null where it is not, or not free. The end of the lease is
   * read before and the clock after: the lease of a new life is to be seen only after this claim
   * was lost with the former one (R9).
   */
  public @Nullable Grip takeAgain(Terms newTerms) {
    long until = host.heldUntil();
    long before = word;
    if (phase(before) != KEPT || !Fence.mayFollow(fence(turn(before)), host.counterBits())) {
      return null;
    }
    long turn = turn(before) + 1;
    Grip taken = new Grip(this, turn, Thread.currentThread());
    if (!WORD.compareAndSet(this, before, word(turn, HELD))) {
      return null;
    }
    try {
      long now = host.clock().now();
      taken.begin(now, newTerms);
      GRIP.setRelease(this, taken); // who asks to be told of a loss looks at the word afterwards
      if (now >= until) {
        host.giveBack(this, turn);
        return null;
      }
      if (newTerms.isLimited()) {
        host.limit(this, turn, taken);
      }
      return taken;
    } catch (RuntimeException | Error e) {
      abandoned = turn; // no call: there may be no stack left for one
      throw e;
    }
  }

  /**
   * The turn is over: the lock is kept, or given back where others want it; at an instant to come,
   * where that is said.
   */
  void endTurn(long turn, long keptUntil) {
    if (keptUntil != AT_ONCE && host.clock().now() < keptUntil) {
      host.rest(this, turn, keptUntil);
      return;
    }
    boolean kept = word == word(turn, HELD) && mayKeep() && change(word(turn, HELD), KEPT);
    if (!kept) {
      host.giveBack(this, turn);
    }
  }

  /** Whoever made this wish could not see to it, by an Error: it is given up by another thread. */
  public void abandon() {
    abandoned = 0;
  }

  /** Whether a turn has just been ended by this, and the lock is kept from others for a while. */
  boolean rest(long turn) {
    return change(word(turn, HELD), RESTING) || change(word(turn, WANTED), RESTING);
  }

  private boolean mayKeep() {
    if (!indexed) {
      indexed = host.index(this);
    }
    return indexed;
  }

  boolean isIndexed() {
    return indexed;
  }

  /** Whether it has ended, and is not to be used any more. */
  boolean isOver() {
    return phase(word) >= LOST;
  }

  boolean isAt(long turn) {
    long now = word;
    return turn(now) == turn && (phase(now) == HELD || phase(now) == WANTED);
  }

  long fence(long turn) {
    return granted + turn;
  }

  @Nullable Loss lossOf(long turn) {
    return word == word(turn, LOST) ? loss : null;
  }

  Host host() {
    return host;
  }

  // Under the guard.

  /** Whether a turn that was in use, or a wish, has just been ended by this. */
  boolean end(long turn) {
    while (true) {
      long before = word;
      int phase = phase(before);
      boolean open = phase == WAITING || phase == HELD || phase == WANTED;
      if (!open || turn(before) != turn) {
        return false;
      }
      if (change(before, OVER)) {
        return true;
      }
    }
  }

  /** Whether a turn that nobody uses any more has just been ended by this. */
  boolean endAbandoned() {
    return abandoned != NONE && end(abandoned);
  }

  /** Whether it was kept and not in use, and has just been ended. */
  boolean endKept() {
    long before = word;
    return phase(before) == KEPT && change(before, OVER);
  }

  /** Whether it was kept unused since the last time, and has just been ended for that. */
  boolean endUnused() {
    long before = word;
    boolean unused = phase(before) == KEPT && turn(before) == turnSwept;
    turnSwept = turn(before);
    return unused && change(before, OVER);
  }

  /** The member has come to an end: nobody will be granted anything. Needs no guard. */
  void closed() {
    loss = Loss.CLOSED;
    if (change(word(0, WAITING), LOST)) {
      tell();
    }
  }

  @Override
  public void granted(long fence) {
    granted = fence;
    first.begin(host.instant(), terms);
    grip = first;
    word = word(0, HELD);
    if (terms.isLimited()) {
      host.limitLater(first);
    }
    if (Thread.currentThread() != thread || arrival != null) {
      host.tellLater(this);
    }
  }

  /** It was only an attempt, and has failed. */
  @Override
  public void refused() {
    if (change(word(0, WAITING), OVER)) {
      host.over(this);
      if (Thread.currentThread() != thread) {
        host.tellLater(this);
      }
    }
  }

  /** Whether others who only try are to fail. */
  @Override
  public boolean isInUse() {
    int phase = phase(word);
    return phase == HELD || phase == WANTED || phase == RESTING;
  }

  @Override
  public void rested() {
    if (phase(word) == RESTING && change(word, OVER)) {
      host.over(this);
    }
  }

  @Override
  public void wanted() {
    while (true) {
      long before = word;
      if (phase(before) == KEPT) {
        if (change(before, OVER)) {
          host.giveBackLater(this);
          return;
        }
      } else if (phase(before) != HELD || change(before, WANTED)) {
        return;
      }
    }
  }

  @Override
  public long last(long first) {
    return first + turn(word);
  }

  /** Where it is so, this turn is not handed on any more: nobody else's is ended in its stead. */
  @Override
  public boolean isAt(long first, long fence) {
    while (true) {
      long before = word;
      if (first + turn(before) != fence) {
        return false;
      }
      if (phase(before) != HELD) {
        return phase(before) == WANTED || phase(before) == RESTING;
      }
      if (change(before, WANTED)) {
        return true;
      }
    }
  }

  @Override
  public void lost(Loss reason) {
    loss = reason;
    long before = word;
    while (phase(before) != OVER && !change(before, hasUser(before) ? LOST : OVER)) {
      before = word;
    }
    if (hasUser(before)) {
      host.tellLater(this);
    }
    if (phase(before) == HELD || phase(before) == WANTED) {
      host.lostLater(lock, fence(turn(before)), reason);
    }
    host.over(this);
  }

  private static boolean hasUser(long word) {
    int phase = phase(word);
    return phase != KEPT && phase != RESTING && phase != OVER;
  }

  /** Outside the guard: whoever waits for a change hears of it. */
  void tell() {
    if (phase(word) == LOST && loss == Loss.FORCED) {
      LOG.warn(
          "\"{}\" with fence {} was released by force, its holder is told", lock, last(granted));
    }
    if (arrival == null) {
      LockSupport.unpark(thread);
    } else {
      host.callBack(() -> arrival.accept(this));
    }
    Grip present = grip;
    if (present != null) {
      present.tellLoss();
    }
  }
}
