package io.baton.cluster;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Publication;
import io.baton.member.ClusterState;
import io.baton.member.Fence;
import io.baton.member.LockState;
import io.baton.member.Loss;
import io.baton.member.Member;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.View;
import io.baton.member.VotingMember;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one member running. Every event enters through one guard, on the thread where it happens,
 * so that a lock whose token is here is taken without a change of threads; what the member asks for
 * is noted meanwhile and carried out when the guard is free again.
 *
 * <p>Nothing that could make a thread wait is done under the guard: a virtual thread would leave
 * its carrier there, and might not get one again for long. The clock is read before, and whatever
 * locks, logs, schedules or calls others comes after.
 *
 * <p>An Error under the guard (of the stack or the memory of whoever called, or a defect) leaves
 * the member in an unknown state. It is never used again: everybody is told, by {@link Ending}.
 */
public final class Host {
  private static final Logger LOG = LoggerFactory.getLogger(Host.class);

  private static final int MOST_KEPT = 10_000;
  private static final int MOST_WAITS = 16; // of one owner; a thread has one at most
  private static final int QUEUE_MILLIS = 20;
  private static final long RETRY_NANOS = 10_000_000;
  private static final long BEGINNING = // of 2025, in minutes
      TimeUnit.SECONDS.toMinutes(Instant.parse("2025-01-01T00:00:00Z").getEpochSecond());
  private static final long DRAIN_PAUSE = 5_000_000; // between two looks whether something is held

  private record Forced(String lock, long fence) {}

  private final ReentrantLock guard = new ReentrantLock();
  private final VotingMember.Origin origin;
  private final Clock clock;
  private final ScheduledExecutorService loop;
  private final Executor callbacks;
  private final Store store;
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final CompletableFuture<View> admitted = new CompletableFuture<>();
  private final CompletableFuture<View> joined = new CompletableFuture<>();

  // Under the guard.
  private final VotingMember process;
  private final Member member; // of that process
  private final ArrayDeque<Packet> toSelf = new ArrayDeque<>();
  private final ArrayDeque<Claim> unused = new ArrayDeque<>(); // kept, and wanted by others
  private final ArrayDeque<Grip> limited =
      new ArrayDeque<>(); // just granted, and end by themselves
  private final Map<Forced, CompletableFuture<Boolean>> forces = new LinkedHashMap<>();
  private @Nullable Aftermath aftermath; // of the event that is being handled; null: nothing yet
  private @Nullable Claim claims; // all that are neither over nor lost, the newest first
  private @Nullable Carrier carrier;
  private boolean leads; // the voters, as was said last
  private long missedSeen; // by the clock, while it stood still
  private long contradicted; // the version of the last publication of which that was said
  private boolean isolated;
  private long instant;
  private boolean eventful; // this event sent something, or was none of a caller
  private long wakeAt = Long.MAX_VALUE;
  private View viewSeen = View.NONE;
  private Peer lifeSeen = new Peer("", Peer.NONE);
  private Consumer<View> onView = view -> {};
  private Runnable onInUse = () -> {};

  private long letters; // sent to others, those sent again included

  private boolean couldHold; // as observers know it
  private long leaseSeen; // the same

  private final ConcurrentMap<String, Claim> kept = new ConcurrentHashMap<>(); // by lock
  private final ConcurrentMap<String, Integer> permits = new ConcurrentHashMap<>(); // of semaphores
  private final InOrder observations = new InOrder(this::callBack);
  private volatile @Nullable Observer observer; // null: nobody wants to hear anything
  private volatile Runnable everySecond = () -> {};
  private final int counterBits;
  private volatile long heldUntil = Long.MIN_VALUE;
  private volatile boolean leaving;
  private volatile boolean draining;
  private volatile @Nullable Throwable broken; // set under the guard, once
  private volatile Runnable onBroken = () -> {};
  private final Queue<News> news =
      new ConcurrentLinkedQueue<>(); // in their order; told by the loop
  private final Rescue rescue;
  private final Ending ending = new Ending();

  /** What has become of the view, or of the life of this member. */
  private record News(@Nullable View view, View former, @Nullable Peer ended) {}

  /**
   * A member that has not begun.
   *
   * @param found what it must not have forgotten as a voter
   * @param store where it keeps that from now on
   * @param loop one thread, for what is to be done at a given time
   * @param callbacks where users are told of things: it never makes anybody wait
   */
  Host(
      VotingMember.Origin origin,
      Durable found,
      Store store,
      Clock clock,
      ScheduledExecutorService loop,
      Executor callbacks) {
    this.origin = origin;
    this.clock = clock;
    this.loop = loop;
    this.callbacks = callbacks;
    this.store = store;
    this.counterBits = origin.settings().counterBits();
    this.rescue = new Rescue(origin.id(), this::sweep);
    this.instant = clock.now();
    this.process = new VotingMember(origin, found, List.of(origin.id()), new Outside(), instant);
    this.member = process.member();
    rescue.start();
  }

  /** A member that has not begun, and keeps what it must not forget in memory only. */
  public static Host inMemory(
      VotingMember.Origin origin, Clock clock, ScheduledExecutorService loop, Executor callbacks) {
    Store memory = (state, ticket, done) -> loop.execute(done);
    return new Host(origin, Durable.NONE, memory, clock, loop, callbacks);
  }

  /** Begins: the member asks for its admission. */
  public void start(Carrier newCarrier, Consumer<View> viewListener, Runnable inUseListener) {
    event(
        now -> {
          carrier = newCarrier;
          onView = viewListener;
          onInUse = inUseListener;
          process.tick(now);
        });
  }

  /** Founds a cluster with these voters, of which this member is one. */
  void found(String cluster, ClusterState state, Configuration voters) {
    event(now -> process.found(cluster, state, voters, now));
  }

  /** This member belongs to a cluster that others have founded, unless it does to another. */
  void adopt(String cluster) {
    event(now -> process.adopt(cluster, now));
  }

  /** The cluster that this member belongs to, though that may not be on its disk yet. */
  String cluster() {
    return ask(() -> process.agreement().cluster());
  }

  /** Who has not written yet that the cluster is founded; empty: nobody is waited for. */
  List<String> lackingFounders() {
    return ask(() -> process.agreement().lackingFounders());
  }

  /**
   * An operator has a member vote in the place of a voter; why that cannot be done, or null: it is
   * under way. The leader alone can begin it.
   */
  public @Nullable String exchangeVoter(String voter, String newcomer) {
    AtomicReference<@Nullable String> why = new AtomicReference<>("this member has left");
    call(now -> why.set(process.exchange(voter, newcomer, now)));
    return why.get();
  }

  /** An operator decides alone who votes, or no longer does; why not, or null: it is under way. */
  public @Nullable String freezeVoters(boolean freeze) {
    AtomicReference<@Nullable String> why = new AtomicReference<>("this member has left");
    call(now -> why.set(process.freeze(freeze, now)));
    return why.get();
  }

  /** Whether an operator alone decides who votes, as far as known here. */
  boolean areVotersFrozen() {
    return ask(() -> process.agreement().voters().frozen());
  }

  /** Who votes, where this member does; empty elsewhere. */
  List<String> voters() {
    return ask(
        () -> {
          List<String> voters = process.agreement().voters().voters();
          return voters.contains(origin.id()) ? voters : List.of();
        });
  }

  /** What else is to be ended where a defect ends this member. */
  public void whenBroken(Runnable action) {
    onBroken = action;
  }

  /** Has somebody hear what happens; first it is told of the present state, as if it came now. */
  public void observeBy(Observer newObserver, Consumer<Consumer<Observer>> first) {
    call(now -> {}); // a lease that has just ended is noticed
    call(
        now -> {
          observer = newObserver;
          Consumer<Observer> state = stateAt(now);
          observe(mine -> first.accept(state));
        });
    if (broken != null) {
      callBack(() -> first.accept(Observer::left));
    }
  }

  /** Nobody wants to hear anything any more. */
  public void observeNoMore() {
    call(now -> observer = null);
  }

  private Consumer<Observer> stateAt(long now) {
    if (member.isClosed()) {
      return Observer::left;
    } else if (couldHold) {
      return Observer::ready;
    }
    String why = obstacleAt(now);
    return observer -> observer.suspended(why);
  }

  /** Under the guard: has it told what happens. */
  private void observe(Consumer<Observer> what) {
    Observer mine = observer;
    if (mine != null) {
      observations.add(() -> what.accept(mine));
      afterwards(observations::go);
    }
  }

  /** What is done every second, too. */
  void everySecond(Runnable action) {
    everySecond = action;
  }

  /** Who this is. */
  public VotingMember.Origin origin() {
    return origin;
  }

  /** The clock by which this member lives. */
  public Clock clock() {
    return clock;
  }

  /** Until when everything held here is safely held, as of now; the least number: nothing is. */
  public long heldUntil() {
    return heldUntil;
  }

  /** Done when this member has been admitted for the first time. */
  CompletableFuture<View> admitted() {
    return admitted;
  }

  /** Done when this member can hold locks: it has been admitted, and has a lease. */
  public CompletableFuture<View> joined() {
    return joined;
  }

  /** The instant of the event that is being handled. */
  long instant() {
    return instant;
  }

  // What callers want. These look at nothing but the lock, unless something had to be sent.

  /** The claim of a lock that threads of this process take in turn; null: there is none. */
  public @Nullable Claim kept(String lock) {
    return kept.get(lock);
  }

  /** Asks for a lock. */
  public void acquire(Claim claim) {
    local(
        now -> {
          if (mayTake(claim)) {
            member.acquire(claim.lock(), claim, now);
          }
        });
    endWhereBroken(claim);
  }

  /** Asks for a lock if nobody has it and nobody waits for it, wherever its token is. */
  public void attempt(Claim claim) {
    call(
        now -> {
          if (mayTake(claim)) {
            member.attempt(claim.lock(), claim, now);
          }
        });
    endWhereBroken(claim);
  }

  private void endWhereBroken(Claim claim) {
    if (broken != null) {
      claim.closed();
    }
  }

  /** Whether anything new is taken here; a claim that comes too late is told so. */
  private boolean mayTake(Claim claim) {
    if (draining) {
      afterwards(claim::closed);
      return false;
    }
    add(claim);
    return true;
  }

  /** Whether nothing new is taken here, for this member is about to leave. */
  public boolean isDraining() {
    return draining;
  }

  /** Takes nothing new, and waits until nothing is held, for so long at most; whether that came. */
  public boolean drain(long nanos) {
    long start = System.nanoTime();
    boolean interrupted = false;
    draining = true;
    call(this::dismissWaiting);
    try {
      while (isInUse()) {
        if (System.nanoTime() - start >= nanos) {
          return false;
        }
        LockSupport.parkNanos(this, Math.min(DRAIN_PAUSE, nanos));
        interrupted |= Thread.interrupted(); // else it would not be parked again
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void dismissWaiting(long now) {
    Claim claim = claims;
    while (claim != null) {
      Claim next = claim.older;
      if (claim.isWaiting()) {
        member.release(claim.lock(), claim, now);
        claim.lost(Loss.CLOSED);
      }
      claim = next;
    }
  }

  /** Whether somebody works under a lock; what is only kept is nobody's from here on. */
  private boolean isInUse() {
    AtomicBoolean used = new AtomicBoolean();
    call(
        now -> {
          Claim claim = claims;
          while (claim != null) {
            Claim next = claim.older;
            if (claim.endKept()) {
              giveBackLater(claim);
            } else if (claim.isWorkedUnder()) {
              used.set(true);
            }
            claim = next;
          }
        });
    return used.get();
  }

  /** Gives up a wish; what has been granted meanwhile is given back. */
  public void cancel(Claim claim) {
    try {
      giveBack(claim, 0);
    } catch (RuntimeException | Error e) {
      claim.abandoned = 0; // no call: there may be no stack left for one
      throw e;
    }
  }

  /** Gives a lock back; nothing where that turn is over. */
  void giveBack(Claim claim, long turn) {
    local(
        now -> {
          if (claim.end(turn)) {
            over(claim);
            member.release(claim.lock(), claim, now);
          }
        });
  }

  /** A turn ends by itself, when its {@link Grip} says. */
  void limit(Claim claim, long turn, Grip grip) {
    call(
        now -> {
          if (claim.isAt(turn)) {
            member.limit(claim.lock(), grip.fence(), grip.end(), now);
          }
        });
  }

  /** The same for one that has just been granted; under the guard. */
  void limitLater(Grip grip) {
    limited.add(grip);
  }

  private void limitGranted() {
    while (!limited.isEmpty()) {
      Grip grip = limited.remove();
      eventful = true; // for it has to be ended in time
      member.limit(grip.lock(), grip.fence(), grip.end(), instant);
    }
  }

  /** A turn begins again on other terms, unless it is over; whether it is not. */
  boolean extend(Claim claim, long turn, Grip grip, Terms terms) {
    AtomicBoolean done = new AtomicBoolean();
    call(
        now -> {
          if (claim.isAt(turn) && now < grip.end()) {
            grip.beginAgain(now, terms);
            member.limit(claim.lock(), grip.fence(), grip.end(), now);
            done.set(true);
          }
        });
    return done.get();
  }

  /** A turn is over, and others get the lock from an instant on. */
  void rest(Claim claim, long turn, long until) {
    call(
        now -> {
          if (claim.rest(turn)) {
            member.rest(claim.lock(), claim, until, now);
          }
        });
  }

  /** What a caller wants: unless something is sent, nothing but the lock is looked at. */
  private void local(LongConsumer action) {
    Headroom.check();
    perform(false, action);
  }

  /** What a caller wants, and the member is to be woken for later. */
  private void call(LongConsumer action) {
    Headroom.check();
    perform(true, action);
  }

  /** What happens besides, on a thread of Baton's own: a member that misses it cannot go on. */
  private void event(LongConsumer action) {
    try {
      perform(true, action);
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  /** Has the member handle an event, and carries out what that leads to. */
  private void perform(boolean isEventful, LongConsumer action) {
    long missed = clock.missed();
    long now = clock.now();
    while (missed != clock.missed()) { // one without the other would be no instant
      missed = clock.missed();
      now = clock.now();
    }
    Aftermath after;
    enter();
    try {
      if (broken == null) {
        eventful |= isEventful;
        instant = Math.max(instant, now); // who read the clock first may come second
        if (missed > missedSeen) {
          missedSeen = missed;
          eventful = true;
          process.resumed(instant);
        }
        action.accept(instant);
        finish();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      after = aftermath;
      aftermath = null;
      guard.unlock();
    }
    if (after != null) {
      carryOut(after);
    }
  }

  private void carryOut(Aftermath after) {
    try {
      after.run();
    } catch (Error e) { // of this thread's stack, or of memory: the rest is not its business
      rescue.add(after);
    }
  }

  /** Has something done once the guard is free. */
  private void afterwards(Runnable task) {
    Aftermath mine = aftermath;
    if (mine == null) {
      mine = new Aftermath();
      aftermath = mine;
    }
    mine.tasks.add(task);
  }

  /** What an event leads to, in order. */
  private final class Aftermath extends Errand {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>(4);

    @Override
    void run() {
      Error failed = null;
      for (int untried = tasks.size(); untried > 0; untried--) {
        Runnable task = tasks.element();
        try {
          task.run();
        } catch (RuntimeException e) {
          LOG.error("{}: a defect, it goes on", origin.id(), e);
        } catch (StackOverflowError | OutOfMemoryError e) {
          throw e; // of this thread, or for now
        } catch (Error e) {
          failed = e; // perhaps for ever: what comes behind it does not wait for it
          tasks.addLast(task);
        }
        tasks.remove();
      }
      if (failed != null) {
        throw failed;
      }
    }
  }

  /**
   * Lets threads of this process find a claim that is kept; false where there are too many. One
   * that has ended meanwhile does not take the place of the next one, which may be kept already.
   */
  boolean index(Claim claim) {
    return kept.size() < MOST_KEPT
        && kept.compute(claim.lock(), (lock, other) -> claim.isOver() ? other : claim) == claim;
  }

  private void add(Claim claim) {
    claim.older = claims;
    if (claims != null) {
      claims.newer = claim;
    }
    claims = claim;
  }

  /** It has ended, and is not to be found any more; under the guard. */
  void over(Claim claim) {
    if (claim.newer != null) {
      claim.newer.older = claim.older;
    } else if (claims == claim) {
      claims = claim.older;
    }
    if (claim.older != null) {
      claim.older.newer = claim.newer;
    }
    claim.older = null;
    claim.newer = null;
    if (claim.isIndexed()) {
      afterwards(() -> kept.remove(claim.lock(), claim));
    }
  }

  /** Others want what is kept here and not in use. */
  void giveBackLater(Claim claim) {
    over(claim);
    unused.add(claim);
  }

  private void giveBackUnused() {
    while (!unused.isEmpty()) {
      Claim claim = unused.remove();
      member.release(claim.lock(), claim, instant);
    }
  }

  /** Has the member look at the clock, where it is time. */
  void look() {
    perform(true, this::tickWhereItIsTime);
  }

  /** The same for a caller. */
  void lookFor() {
    call(this::tickWhereItIsTime);
  }

  private void tickWhereItIsTime(long now) {
    if (wakeAt <= now) { // a timer may have failed
      wakeAt = Long.MAX_VALUE;
    }
    if (now >= process.nextWake()) {
      process.tick(now);
    }
  }

  /** Looks whether the clock stood still, and gives back what nobody has used for a while. */
  void sweep() {
    clock.compare();
    look(); // a clock that stood still is noticed here, whatever its timers say
    perform(false, now -> giveBackAbandoned());
    everySecond.run();
    for (Claim claim : kept.values()) {
      local(
          now -> {
            if (claim.endUnused()) {
              giveBackLater(claim);
            }
          });
    }
  }

  private void giveBackAbandoned() {
    Claim claim = claims;
    while (claim != null) {
      Claim next = claim.older;
      if (claim.endAbandoned()) {
        giveBackLater(claim);
      }
      Grip dropped = claim.dropped();
      if (dropped != null) {
        long fence = dropped.fence();
        afterwards(() -> sayDropped(dropped));
        observe(mine -> mine.dropped(dropped.lock(), fence));
      }
      claim = next;
    }
  }

  private void sayDropped(Grip grip) {
    Throwable takenAt = grip.takenAt();
    LOG.warn(
        "{}: nobody can close the hold of \"{}\" with fence {} any more, taken by thread {} {} s"
            + " ago. It is not given back by itself: end it by forceRelease{}",
        origin.id(),
        grip.lock(),
        grip.fence(),
        grip.thread().getName(),
        TimeUnit.NANOSECONDS.toSeconds(grip.age()),
        takenAt == null ? "; leak-detection = true tells where it was taken" : "",
        takenAt);
  }

  /** Those who have waited for so many nanoseconds, and whose owner holds something here. */
  List<Claim> waitingFor(long nanos) {
    long now = clock.now();
    List<Claim> waiting =
        claimsThat(
            Integer.MAX_VALUE,
            claim -> claim.isWaiting() && now - claim.asked() >= nanos && claim.hasOwner());
    if (waiting.isEmpty()) {
      return waiting;
    }
    Set<String> holders = new HashSet<>();
    for (Claim claim : claimsThat(Integer.MAX_VALUE, Claim::isWorkedUnder)) {
      Grip grip = claim.inUse();
      if (grip != null) {
        holders.add(LockReport.ownerOf(grip));
      }
    }
    waiting.removeIf(claim -> !holders.contains(LockReport.ownerOf(claim)));
    return waiting;
  }

  /** What the owner of a hold waits for. */
  List<LockReport.Wait> waitsOf(Grip grip) {
    return claimsThat(MOST_WAITS, claim -> claim.isWaiting() && claim.hasOwnerOf(grip)).stream()
        .map(claim -> new LockReport.Wait(claim.lock(), claim.asked()))
        .toList();
  }

  private List<Claim> claimsThat(int most, Predicate<Claim> condition) {
    return ask(
        () -> {
          List<Claim> found = new ArrayList<>();
          for (Claim claim = claims; claim != null; claim = claim.older) {
            if (found.size() < most && condition.test(claim)) {
              found.add(claim);
            }
          }
          return found;
        });
  }

  /** Why nothing is granted here at present; empty: nothing is in the way. */
  public String obstacle() {
    long now = clock.now();
    return ask(() -> obstacleAt(now));
  }

  private String obstacleAt(long now) {
    if (broken != null || member.isClosed()) {
      return origin.id() + " has left its cluster";
    } else if (member.self().incarnation() == Peer.NONE) {
      return origin.id() + " waits to be admitted again: no majority of the voters answers it";
    } else if (now >= heldUntil) {
      return origin.id() + " has no lease: no majority of the voters answers it";
    } else if (member.isSettling()) {
      return "epoch "
          + member.view().epoch()
          + " begins: not all members have told which tokens they have";
    }
    return "";
  }

  /** Notes how many permits a semaphore has; what was noted before, if anything. */
  public @Nullable Integer notePermits(String lock, int count) {
    return permits.putIfAbsent(lock, count);
  }

  /** Forgets it. */
  public void forgetPermits(String lock) {
    permits.remove(lock);
  }

  int permits(String lock) {
    return permits.getOrDefault(lock, 0);
  }

  int counterBits() {
    return counterBits;
  }

  // What happens besides.

  /**
   * Takes the guard. Nobody queues for long: the first in the queue may be a virtual thread that
   * was woken and has no carrier to run on, and who comes anew takes the guard where it is free.
   */
  private void enter() {
    boolean interrupted = false;
    boolean inside = false;
    while (!inside) {
      try {
        inside = guard.tryLock(QUEUE_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A packet comes; one that is not handled for lack of memory comes again. */
  public void receive(String from, Packet packet) {
    perform(true, now -> process.receive(from, packet, now));
  }

  /** There is a connection to a member; these can be asked for admission. */
  public void connected(String peer, List<String> everybody) {
    event(now -> process.connected(peer, everybody, now));
  }

  /** There is none any more. */
  public void disconnected(String peer, List<String> everybody) {
    event(now -> process.disconnected(peer, everybody, now));
  }

  /**
   * Gives up everything, has others vote in its place, and leaves; done when the others know, and
   * go on without it.
   */
  public CompletableFuture<Void> leave() {
    leaving = true;
    event(process::leave);
    event(process::tick); // it tells the voters at its next tick
    return left;
  }

  /** Has even what this member says to itself get lost: else it might be a majority by itself. */
  void isolate(boolean cut) {
    event(now -> isolated = cut);
  }

  /** Gives up everything, without a word to others. */
  void giveUp() {
    leaving = true;
    event(
        now -> {
          member.giveUp(now);
          observe(Observer::left);
        });
    left.complete(null);
  }

  boolean isLeaving() {
    return leaving;
  }

  /** Ends the hold with this fence, wherever it is; whether there was one. */
  public CompletableFuture<Boolean> forceRelease(String lock, long fence) {
    LOG.warn(
        "{}: forced release of \"{}\" with fence {}, asked for by thread {}",
        origin.id(),
        lock,
        fence,
        Thread.currentThread().getName());
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    call(
        now -> {
          CompletableFuture<Boolean> former = forces.put(new Forced(lock, fence), answer);
          if (former != null) {
            var unused = answer.thenAccept(former::complete);
          }
          member.forceRelease(lock, fence, now);
        });
    if (broken != null) {
      answer.complete(false);
    }
    return answer;
  }

  /** What is known here of locks in use. */
  public List<LockState> locks() {
    return ask(() -> broken == null ? member.locks() : List.of());
  }

  /** What is known here of one lock. */
  LockState lock(String name) {
    return ask(() -> broken == null ? member.lock(name) : LockState.unknown(name));
  }

  /** The view that is installed. */
  public View view() {
    return ask(member::view);
  }

  /** Who leads the voters, as far as is known here. */
  public @Nullable String leader() {
    return ask(member::leader);
  }

  /** How many letters this member has sent to others, those sent again included. */
  public long letters() {
    return ask(() -> letters);
  }

  /** This life of the member. */
  public Peer self() {
    return ask(member::self);
  }

  private <T extends @Nullable Object> T ask(Supplier<T> question) {
    Headroom.check();
    enter();
    try {
      return question.get();
    } finally {
      guard.unlock();
    }
  }

  /** Says something to users, without making anybody here wait. */
  public void callBack(Runnable callback) {
    try {
      callbacks.execute(() -> runCallback(callback));
    } catch (RejectedExecutionException e) { // this member has left
      callBackLate(callback);
    } catch (OutOfMemoryError e) { // no more threads: as soon as there are
      callBackIn(RETRY_NANOS, callback);
    }
  }

  /** The same after so many nanoseconds; not at all where this member has left by then. */
  public void callBackIn(long nanos, Runnable callback) {
    schedule(nanos, () -> callBack(callback));
  }

  private void schedule(long nanos, Runnable task) {
    try {
      var unused = loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is closed", origin.id(), e);
    }
  }

  private void callBackLate(Runnable callback) {
    try {
      Threads.named("baton-callback-" + origin.id()).newThread(() -> runCallback(callback)).start();
    } catch (OutOfMemoryError e) { // no more threads, and nobody left to try again
      runCallback(callback);
    }
  }

  private void runCallback(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException | Error e) {
      LOG.error("{}: a callback failed", origin.id(), e);
    }
  }

  void tellLater(Claim claim) {
    afterwards(claim::tell);
  }

  void lostLater(String lock, long fence, Loss reason) {
    observe(mine -> mine.lost(lock, fence, reason));
  }

  /** There is a deadlock. */
  void deadlocked(List<Blocked> cycle) {
    call(now -> observe(mine -> mine.deadlocked(cycle)));
  }

  /** Ends this member: it cannot go on. */
  void fail(Throwable defect) {
    enter();
    try {
      if (broken == null) {
        heldUntil = Long.MIN_VALUE;
        broken = defect;
        rescue.add(ending);
      }
      Aftermath rest = aftermath;
      aftermath = null;
      if (rest != null) {
        rescue.add(rest);
      }
    } finally {
      guard.unlock();
    }
  }

  /** What ended it, where it was a defect or an Error; null where none did. */
  public @Nullable Throwable brokenBy() {
    return broken;
  }

  /** Whether a defect ended it. */
  boolean isBroken() {
    return broken != null;
  }

  /** Ends what belongs to this member alone; it has left, or will not be used. */
  void close() {
    rescue.close();
  }

  /**
   * The end of a member by a defect: each step is tried by itself, and again until it is done.
   * Whoever holds or waits is told, and the rest is closed. It says nothing any more from the
   * moment of the defect on: so another leads, and the others go on after a lease.
   */
  private final class Ending extends Errand {
    private boolean leftTold;
    private final List<Runnable> steps =
        new ArrayList<>(List.of(this::sayWhy, this::tellAll, this::answerAll, this::endRest));

    @Override
    void run() {
      Error failed = null;
      for (Iterator<Runnable> each = steps.iterator(); each.hasNext(); ) {
        try {
          each.next().run();
          each.remove();
        } catch (RuntimeException e) {
          LOG.error("{} does not end as it should", origin.id(), e);
          failed = new AssertionError(e);
        } catch (Error e) {
          failed = e;
        }
      }
      if (failed != null) {
        throw failed;
      }
    }

    private void sayWhy() {
      LOG.error("{} ends by an error: all that it held is lost", origin.id(), broken);
    }

    private void tellAll() {
      Aftermath after = null;
      enter();
      try {
        for (Claim claim = claims; claim != null; claim = claims) {
          claim.lost(Loss.CLOSED);
        }
        if (!leftTold) {
          leftTold = true;
          observe(Observer::left);
        }
        after = aftermath;
        aftermath = null;
      } finally {
        guard.unlock();
      }
      if (after != null) {
        carryOut(after);
      }
    }

    private void answerAll() {
      List<CompletableFuture<Boolean>> open = ask(() -> List.copyOf(forces.values()));
      open.forEach(answer -> callBack(() -> answer.complete(false)));
      left.complete(null);
    }

    private void endRest() {
      onBroken.run();
    }
  }

  /** Finishes an event, under the guard. */
  private void finish() {
    giveBackUnused();
    limitGranted();
    if (!eventful) {
      return;
    }
    while (!toSelf.isEmpty()) {
      process.receive(origin.id(), toSelf.remove(), instant);
      giveBackUnused();
      limitGranted();
    }
    eventful = false;
    long until = member.heldUntil();
    heldUntil = until == Long.MAX_VALUE ? Long.MIN_VALUE : until; // without a lease, nothing
    Carrier mine = carrier;
    if (mine != null) {
      afterwards(() -> flush(mine));
      long wake = process.nextWake();
      if (wake < wakeAt) { // an earlier look that is due anyway is enough
        wakeAt = wake;
        afterwards(() -> wakeAt(wake));
      }
    }
    Peer life = member.self();
    View view = member.view();
    boolean isNewLife = lifeSeen.incarnation() != life.incarnation();
    boolean isNewView = view.number() > viewSeen.number();
    if (isNewLife || isNewView) {
      news.add(new News(isNewView ? view : null, viewSeen, isNewLife ? lifeSeen : null));
      lifeSeen = life;
      viewSeen = isNewView ? view : viewSeen;
      afterwards(this::tellNewsLater);
    }
    observeLease(view, isNewView);
    if (leads != process.agreement().isLeader()) {
      leads = !leads;
      String what = leads ? "leads" : "no longer leads";
      long term = process.agreement().term();
      afterwards(() -> LOG.info("{} {} the voters, in term {}", origin.id(), what, term));
    }
    if (!joined.isDone() && heldUntil > instant) {
      View first = viewSeen;
      afterwards(() -> joined.complete(first));
    }
  }

  private void observeLease(View view, boolean isNewView) {
    boolean can = heldUntil > instant;
    if (can != couldHold && (can || !member.isClosed())) { // who leaves says that alone
      couldHold = can;
      String why = can ? "" : obstacleAt(instant);
      observe(can ? Observer::ready : mine -> mine.suspended(why));
    }
    if (can && heldUntil != leaseSeen && observations.hasRoom()) {
      leaseSeen = heldUntil;
      long remaining = heldUntil - instant;
      observe(mine -> mine.lease(remaining));
    }
    if (isNewView) {
      observe(mine -> mine.members(view.places().size()));
    }
  }

  private void tellNewsLater() {
    try {
      loop.execute(() -> onLoop(this::tellNews));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is closed", origin.id(), e);
    }
  }

  /** On the loop, so that they come in their order. */
  private void tellNews() {
    for (News next = news.poll(); next != null; next = news.poll()) {
      Peer ended = next.ended();
      if (ended != null && ended.incarnation() != Peer.NONE && !leaving) {
        LOG.warn(
            "{} could not renew its lease, or was put out: all that it held is lost; joining again",
            ended);
      }
      View view = next.view();
      if (view != null) {
        tellView(view, next.former());
      }
    }
  }

  private void tellView(View view, View former) {
    LOG.info("{}: {}", origin.id(), Texts.of(view, former));
    long lastEpoch = Fence.lastEpoch(counterBits);
    if (view.epoch() > lastEpoch / 4 * 3) {
      LOG.error("Fences end with epoch {}: then nothing is granted any more", lastEpoch);
    }
    admitted.complete(view);
    onView.accept(view);
  }

  /** What cannot be sent now is sent again, as what gets lost is. */
  private void flush(Carrier by) {
    try {
      onLoop(by::flush);
    } catch (RuntimeException | Error e) {
      LOG.warn("{} cannot send", origin.id(), e);
    }
  }

  /**
   * Does something without which this member is none: an Error that does not pass, as that of a
   * class which cannot be loaded, ends it.
   */
  void onLoop(Runnable task) {
    try {
      task.run();
    } catch (StackOverflowError | OutOfMemoryError e) {
      throw e;
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  /** Has the clock looked at in time. */
  private void wakeAt(long when) {
    schedule(Math.max(0, when - clock.now()), () -> wake(when));
  }

  private void wake(long due) {
    perform(
        true,
        now -> {
          if (wakeAt == due) {
            wakeAt = Long.MAX_VALUE;
          }
          tickWhereItIsTime(now);
        });
  }

  /** What the member asks for while it handles an event. */
  private final class Outside implements VotingMember.Outside {
    @Override
    public void send(String to, Packet packet) {
      eventful = true;
      if (packet instanceof Packet.Mail mail && mail.letter() != null) {
        letters++;
      }
      if (isolated) {
        return;
      }
      if (to.equals(origin.id())) {
        toSelf.add(packet);
      } else if (carrier != null) {
        carrier.send(to, packet);
      }
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      CompletableFuture<Boolean> answer = forces.remove(new Forced(lock, fence));
      if (answer != null) {
        afterwards(() -> callBack(() -> answer.complete(ended)));
      }
    }

    @Override
    public void inUse() {
      afterwards(onInUse);
    }

    @Override
    public void handedOver(String lock) {
      if (observations.hasRoom()) {
        observe(mine -> mine.handedOver(lock));
      }
    }

    @Override
    public void left() {
      observe(Observer::left);
      afterwards(() -> callBack(() -> left.complete(null)));
    }

    @Override
    public void store(Durable state, long ticket) {
      afterwards(() -> store.write(state, ticket, () -> stored(ticket)));
    }

    @Override
    public void ahead(Peer peer, long view) {
      afterwards(
          () ->
              LOG.error(
                  "{} gives {} no lease: that has view {}, later than any that the voters know. Their"
                      + " folders were set back to an older copy: stop all members, and have all"
                      + " begin with empty folders",
                  origin.id(),
                  peer,
                  view));
    }

    @Override
    public void contradicted(String from, Publication publication) {
      if (contradicted == publication.version()) {
        return; // it is repeated with each heartbeat
      }
      contradicted = publication.version();
      afterwards(
          () ->
              LOG.error(
                  "{} refuses what {} leads with: version {} of epoch {}, older than what was agreed"
                      + " on here. Some voters' folders were set back to an older copy: stop them,"
                      + " and have them begin with empty ones",
                  origin.id(),
                  from,
                  publication.version(),
                  publication.epoch()));
    }

    @Override
    public long minutes() {
      return Host.minutes();
    }
  }

  /** The wall clock: minutes since the beginning of 2025. */
  static long minutes() {
    return TimeUnit.MILLISECONDS.toMinutes(System.currentTimeMillis()) - BEGINNING;
  }

  private void stored(long ticket) {
    event(now -> process.stored(ticket, now));
  }
}
