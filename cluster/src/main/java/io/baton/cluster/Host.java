package io.baton.cluster;

import io.baton.member.Command;
import io.baton.member.Fence;
import io.baton.member.LockState;
import io.baton.member.Member;
import io.baton.member.Output;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.View;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one member running. Every event enters through one guard, on the thread where it happens,
 * so that a lock whose token is here is taken without a change of threads; what the member asks for
 * is noted meanwhile and carried out when the guard is free again. Nobody waits while he has it.
 */
public final class Host implements AgreedLog.Reader {
  private static final Logger LOG = LoggerFactory.getLogger(Host.class);

  private static final int MOST_KEPT = 10_000;
  private static final int SWEEP_SECONDS = 1;
  private static final int QUEUE_MILLIS = 20;

  /** What a member is told before it begins. */
  public record Origin(String id, String address, long run, Settings settings, Rules rules) {}

  private record Forced(String lock, long fence) {}

  private final ReentrantLock guard = new ReentrantLock();
  private final Origin origin;
  private final Clock clock;
  private final ScheduledExecutorService loop;
  private final Executor callbacks;
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final CompletableFuture<View> joined = new CompletableFuture<>();

  // Under the guard.
  private final Member member;
  private final ArrayDeque<Packet> toSelf = new ArrayDeque<>();
  private final ArrayDeque<Claim> unused = new ArrayDeque<>(); // kept, and wanted by others
  private final Map<Forced, CompletableFuture<Boolean>> forces = new LinkedHashMap<>();
  private List<Claim> toTell = new ArrayList<>();
  private @Nullable Carrier carrier;
  private @Nullable AgreedLog log;
  private long instant;
  private boolean eventful; // this event sent something, or was none of a caller
  private long wakeAt = Long.MAX_VALUE;
  private View viewSeen = View.NONE;
  private Peer lifeSeen = new Peer("", Peer.NONE);
  private @Nullable Throwable broken;
  private Consumer<View> onView = view -> {};
  private Runnable onInUse = () -> {};

  private long letters; // sent to others, those sent again included

  private final ConcurrentMap<String, Claim> kept = new ConcurrentHashMap<>(); // by lock
  private final int counterBits;
  private volatile long heldUntil = Long.MIN_VALUE;
  private volatile boolean leaving;

  /**
   * A member that has not begun.
   *
   * @param loop one thread, for what is to be done at a given time
   * @param callbacks where users are told of things: it never makes anybody wait
   */
  public Host(Origin origin, Clock clock, ScheduledExecutorService loop, Executor callbacks) {
    this.origin = origin;
    this.clock = clock;
    this.loop = loop;
    this.callbacks = callbacks;
    this.counterBits = origin.settings().counterBits();
    this.instant = clock.now();
    this.member =
        new Member(
            origin.id(),
            origin.address(),
            origin.run(),
            origin.settings(),
            origin.rules(),
            List.of(origin.id()),
            new Effects(),
            instant);
  }

  /** Begins: the member asks for its admission. */
  public void start(Carrier newCarrier, Consumer<View> viewListener, Runnable inUseListener) {
    event(
        now -> {
          carrier = newCarrier;
          onView = viewListener;
          onInUse = inUseListener;
          member.tick(now);
        });
    var unused =
        loop.scheduleWithFixedDelay(
            this::sweepAgain, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
  }

  /** From now on this member votes. */
  public void votesBy(AgreedLog newLog) {
    event(now -> log = newLog);
  }

  /** Who this is. */
  public Origin origin() {
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
          checkUsable();
          member.acquire(claim.lock(), claim, now);
        });
  }

  /** Asks for a lock that is to be had at once; given up where it is not. */
  public @Nullable Grip tryAcquire(Claim claim) {
    local(
        now -> {
          checkUsable();
          member.acquire(claim.lock(), claim, now);
          giveBackUnused();
          if (claim.isWaiting() && claim.end(0)) {
            member.release(claim.lock(), claim, now);
          }
        });
    Grip taken = claim.taken();
    if (taken == null) {
      cancel(claim);
    }
    return taken;
  }

  /** Gives up a wish; what has been granted meanwhile is given back. */
  public void cancel(Claim claim) {
    giveBack(claim, 0);
  }

  /** Gives a lock back; nothing where that turn is over. */
  void giveBack(Claim claim, long turn) {
    local(
        now -> {
          if (claim.end(turn)) {
            forget(claim);
            member.release(claim.lock(), claim, now);
          }
        });
  }

  /** What a caller wants: unless something is sent, nothing but the lock is looked at. */
  private void local(LongConsumer action) {
    enter();
    try {
      if (broken == null) {
        instant = clock.now();
      }
      action.accept(instant);
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      leaveGuard();
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

  /** It has ended, and is not to be found any more. */
  void forget(Claim claim) {
    kept.remove(claim.lock(), claim);
  }

  /** Others want what is kept here and not in use. */
  void giveBackLater(Claim claim) {
    forget(claim);
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
    event(this::tickWhereItIsTime);
  }

  private void tickWhereItIsTime(long now) {
    if (now >= member.nextWake()) {
      member.tick(now);
    }
  }

  /** Looks whether the clock stood still, and gives back what nobody has used for a while. */
  void sweep() {
    clock.compare();
    look(); // a clock that stood still is noticed here, whatever its timers say
    for (Claim claim : kept.values()) {
      local(
          now -> {
            if (broken == null && claim.endUnused()) {
              giveBackLater(claim);
            }
          });
    }
  }

  private void sweepAgain() {
    try {
      sweep();
    } catch (RuntimeException | Error e) {
      LOG.error("{}: a defect, it goes on", origin.id(), e);
    }
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

  private void event(LongConsumer action) {
    enter();
    try {
      if (broken == null) {
        eventful = true;
        instant = clock.now();
        action.accept(instant);
      }
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      leaveGuard();
    }
  }

  /** A packet comes. */
  public void receive(String from, Packet packet) {
    event(now -> member.receive(from, packet, now));
  }

  /** There is a connection to a member; these can be asked for admission. */
  public void connected(String peer, List<String> everybody) {
    event(
        now -> {
          member.voters(everybody);
          member.connected(peer, now);
        });
  }

  /** There is none any more. */
  public void disconnected(String peer, List<String> everybody) {
    event(
        now -> {
          member.voters(everybody);
          member.disconnected(peer, now);
        });
  }

  @Override
  public void elected(long term) {
    LOG.info("{} leads the voters in term {}", origin.id(), term);
    event(now -> member.elected(term, now));
  }

  @Override
  public void deposed() {
    event(member::deposed);
  }

  @Override
  public void applied(long index, long term, Command command) {
    event(now -> member.applied(index, term, command, now));
  }

  @Override
  public void confirmed(long term, long batch) {
    event(now -> member.confirmed(term, batch, now));
  }

  /** Gives up all that is held or wanted here, and is granted nothing any more. */
  void giveUp() {
    event(member::giveUp);
  }

  /** Gives up everything and leaves; done when the others know. */
  public CompletableFuture<Void> leave() {
    leaving = true;
    event(member::leave);
    event(member::tick); // it tells the voters at its next tick
    return left;
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
    event(
        now -> {
          CompletableFuture<Boolean> former = forces.put(new Forced(lock, fence), answer);
          if (former != null) {
            var unused = answer.thenAccept(former::complete);
          }
          member.forceRelease(lock, fence, now);
        });
    if (isBroken()) {
      answer.complete(false);
    }
    return answer;
  }

  /** What is known here of locks in use. */
  public List<LockState> locks() {
    return ask(member::locks);
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
    enter();
    try {
      return question.get();
    } finally {
      leaveGuard();
    }
  }

  /** Says something to users, without making anybody here wait. */
  void callBack(Runnable callback) {
    try {
      callbacks.execute(() -> runCallback(callback));
    } catch (RejectedExecutionException e) { // this member has left
      callBackLate(callback);
    } catch (OutOfMemoryError e) { // no more threads: as soon as there are
      var unused = loop.schedule(() -> callBack(callback), 10, TimeUnit.MILLISECONDS);
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
    toTell.add(claim);
  }

  private void checkUsable() {
    if (broken != null) {
      throw new IllegalStateException(origin.id() + " came to a stop by a defect", broken);
    }
  }

  /** A defect: nothing is granted any more, and whoever holds something is told. */
  private void fail(Throwable defect) {
    if (broken == null) {
      broken = defect;
      heldUntil = Long.MIN_VALUE;
      LOG.error("{} comes to a stop by a defect", origin.id(), defect);
      try {
        member.leave(instant); // whoever holds or waits is told
      } catch (RuntimeException | Error e) {
        LOG.error("{} cannot tell everybody", origin.id(), e);
      }
      forces.values().forEach(answer -> callBack(() -> answer.complete(false)));
      forces.clear();
      left.complete(null);
      AgreedLog mine = log;
      if (mine != null) {
        callBack(mine::close); // another shall lead
      }
    }
  }

  /** Whether a defect ended it. */
  boolean isBroken() {
    return ask(() -> broken != null);
  }

  /** Finishes an event, and carries out what it asked for. */
  private void leaveGuard() {
    List<Claim> tell = List.of();
    Carrier flush = null;
    View former = viewSeen;
    View news = null;
    Peer ended = null;
    try {
      if (broken == null) {
        giveBackUnused();
      }
      if (eventful && broken == null) {
        flush = carrier;
        while (!toSelf.isEmpty()) {
          member.receive(origin.id(), toSelf.remove(), instant);
          giveBackUnused();
        }
        eventful = false;
        long until = member.heldUntil();
        heldUntil = until == Long.MAX_VALUE ? Long.MIN_VALUE : until; // without a lease, nothing
        wakeBy(member.nextWake());
        if (lifeSeen.incarnation() != member.self().incarnation()) {
          ended = lifeSeen;
          lifeSeen = member.self();
        }
        if (member.view().number() > viewSeen.number()) {
          news = member.view();
          viewSeen = news;
        }
      }
      if (!toTell.isEmpty()) {
        tell = toTell;
        toTell = new ArrayList<>();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      guard.unlock();
    }
    tell.forEach(Host::tell);
    if (flush != null) {
      flush(flush);
    }
    if (ended != null && ended.incarnation() != Peer.NONE && !leaving) {
      LOG.warn(
          "{} could not renew its lease, or was put out: all that it held is lost; joining again",
          ended);
    }
    if (news != null) {
      LOG.info("{}: {}", origin.id(), Texts.of(news, former));
      long lastEpoch = Fence.lastEpoch(counterBits);
      if (news.epoch() > lastEpoch / 4 * 3) {
        LOG.error("Fences end with epoch {}: then nothing is granted any more", lastEpoch);
      }
      joined.complete(news);
      onView.accept(news);
    }
  }

  /** What cannot be sent now is sent again, as what gets lost is. */
  private void flush(Carrier by) {
    try {
      by.flush();
    } catch (RuntimeException | Error e) {
      LOG.warn("{} cannot send", origin.id(), e);
    }
  }

  private static void tell(Claim claim) {
    try {
      claim.tell();
    } catch (RuntimeException | Error e) {
      LOG.error("Somebody could not be told about \"{}\"", claim.lock(), e);
    }
  }

  /** Has the clock looked at in time; an earlier look that is due anyway is enough. */
  private void wakeBy(long when) {
    if (when < wakeAt && carrier != null) {
      wakeAt = when;
      long delay = Math.max(0, when - clock.now());
      try {
        var unused = loop.schedule(() -> wake(when), delay, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("{} is closed", origin.id(), e);
      }
    }
  }

  private void wake(long due) {
    event(
        now -> {
          if (wakeAt == due) {
            wakeAt = Long.MAX_VALUE;
          }
          tickWhereItIsTime(now);
        });
  }

  /** What the member asks for while it handles an event. */
  private final class Effects implements Output {
    @Override
    public void send(String to, Packet packet) {
      eventful = true;
      if (packet instanceof Packet.Mail mail && mail.letter() != null) {
        letters++;
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
        callBack(() -> answer.complete(ended));
      }
    }

    @Override
    public void inUse() {
      onInUse.run();
    }

    @Override
    public void left() {
      callBack(() -> left.complete(null));
    }

    @Override
    public void propose(Command command) {
      if (log != null) {
        log.propose(command);
      }
    }

    @Override
    public void confirm(long term, long batch) {
      if (log != null) {
        log.confirm(term, batch);
      }
    }
  }
}
