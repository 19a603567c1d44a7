package io.baton.simulator.cluster;

import io.baton.member.Caller;
import io.baton.member.Fence;
import io.baton.member.Loss;
import io.baton.simulator.random.Generator;
import org.jspecify.annotations.Nullable;

/**
 * One who takes locks at a member, holds them for a while, writes to a store, and at times gives up
 * waiting or writes when it no longer should.
 */
final class User {
  private static final long NONE = Long.MAX_VALUE;

  private final World world;
  private final Site site;
  private final int start; // the life of the process that it lives in
  private final Generator chance;
  private final boolean keeps; // hands locks on within itself
  private final boolean tries; // now and then only if the lock is free
  private final boolean limits; // how long it holds, or keeps a lock from others
  private @Nullable Call current;
  private boolean finishing; // the faults are over: one more call
  private boolean served; // that one has been granted

  User(World world, Site site, Generator chance) {
    this.world = world;
    this.site = site;
    this.start = site.starts();
    this.chance = chance;
    this.keeps = world.mayGiveUp() && chance.nextInt(3) == 0;
    this.tries = world.mayGiveUp() && chance.nextInt(2) == 0;
    this.limits = world.mayGiveUp() && !keeps && chance.nextInt(3) == 0;
    think();
  }

  /** One call. */
  private final class Call implements Caller {
    final String lock = world.locks.get(chance.nextInt(world.locks.size()));
    final long since = world.schedule.now();
    final Turns.Waiting waiting = new Turns.Waiting(site, start, lock, since, this);
    Promises.@Nullable Hold hold;
    int turn; // how often it has handed the lock on to itself
    final long calledAt = site.clock();
    final int stops = site.stops();
    final boolean attempt; // it only tries
    final boolean able = site.live().heldUntil() != NONE; // to hold anything when it called
    boolean wanted; // by others
    boolean parked; // it keeps the lock and does not use it
    boolean rests; // it is done, and keeps the lock from others
    long limit = NONE; // when the hold ends by itself

    Call(boolean attempt) {
      this.attempt = attempt;
    }

    @Override
    public boolean isInUse() {
      return !parked;
    }

    @Override
    public void refused() {
      world.afterEvent(() -> User.this.refused(this)); // after those that are granted
    }

    @Override
    public void wanted() {
      wanted = true;
      if (parked) {
        world.afterEvent(() -> giveBack(this));
      }
    }

    @Override
    public long last(long granted) {
      return granted + turn;
    }

    @Override
    public boolean isAt(long granted, long fence) {
      return hold != null && granted + turn == fence;
    }

    @Override
    public void granted(long fence) {
      world.usage().begins(this, lock, site);
      world.afterEvent(() -> User.this.granted(this, fence));
    }

    @Override
    public void lost(Loss reason) {
      User.this.lost(this, reason);
    }
  }

  Site site() {
    return site;
  }

  /** Its hold, if it has one. */
  Promises.@Nullable Hold hold() {
    return isAlive() && current != null ? current.hold : null;
  }

  private boolean isAlive() {
    return site.isUp() && site.starts() == start;
  }

  /** Whether it still waits for its last call. */
  boolean isUnserved() {
    return isAlive() && !site.live().isClosed() && !served;
  }

  String describe() {
    Call call = current;
    return call == null ? site.id : site.id + " wants " + call.lock + " since " + call.since;
  }

  /** The faults are over: everybody calls once more. */
  void finish() {
    finishing = true;
    served = current != null && current.parked;
    if (current == null) {
      inProcess(1, () -> call(null));
    }
  }

  /** Does something later, unless the process has ended by then. */
  private void inProcess(long delay, Runnable action) {
    world.schedule.after(
        delay,
        () -> {
          if (isAlive()) {
            site.perform(action);
          }
        });
  }

  private void think() {
    current = null;
    if (!finishing) {
      inProcess(world.pause() + chance.nextLong(world.think()), () -> call(null));
    } else if (!served) {
      inProcess(1, () -> call(null));
    }
  }

  private void call(@Nullable Call expected) {
    if (current != expected || site.live().isClosed()) {
      return;
    }
    Call call = new Call(tries && !finishing && chance.nextInt(2) == 0);
    current = call;
    if (call.attempt) {
      tryOnce(call);
      return;
    }
    world.note(site, () -> "wants " + call.lock);
    world.usage().begins(call, call.lock, site);
    if (!finishing && world.mayGiveUp() && chance.nextInt(10) == 0) {
      inProcess(chance.nextLong(Case.SECOND / 4), () -> giveUp(call));
    }
    world.turns().called(call.waiting);
    world.entering(site, call.lock);
    site.live().acquire(call.lock, call, site.clock());
  }

  private void tryOnce(Call call) {
    world.note(site, () -> "tries " + call.lock);
    world.turns().called(call.waiting);
    site.live().attempt(call.lock, call, site.clock());
  }

  private void refused(Call call) {
    if (current == call) {
      world.note(site, () -> "is refused " + call.lock);
      world.turns().gone(call.waiting);
      boolean calm = call.able && call.stops == site.stops();
      world.refused(call.lock, site, call.since, site.clock() - call.calledAt, calm);
      think();
    }
  }

  private void giveUp(Call call) {
    if (current == call && call.hold == null) {
      world.note(site, () -> "gives up " + call.lock);
      world.turns().gone(call.waiting);
      world.usage().ends(call, world.schedule.now());
      think();
      site.live().release(call.lock, call, site.clock());
    }
  }

  private void granted(Call call, long fence) {
    if (current != call || !site.live().isHeld(call.lock, call, site.clock())) {
      return; // stopped before it could be told: it will be told that it is lost
    }
    served = finishing;
    String outOfTurn = world.turns().granted(call.waiting, world.schedule.now());
    if (outOfTurn != null) {
      world.promises.broken(Promises.IN_TURN, outOfTurn);
    }
    use(call, fence, call.since);
  }

  private void use(Call call, long fence, long since) {
    Promises.Hold hold = new Promises.Hold(call.lock, site, fence);
    call.hold = hold;
    world.usage().begins(call, call.lock, site);
    world.note(site, () -> "holds " + hold);
    world.granted(hold, since);
    long length = 1 + chance.nextLong(world.hold(chance.nextInt(8)));
    if (chance.nextInt(2) == 0) {
      inProcess(chance.nextLong(length), () -> world.promises.write(hold));
    }
    inProcess(length, () -> leave(call, hold));
    if (limits && chance.nextInt(2) == 0) {
      limit(call, hold, 1 + chance.nextLong(2 * length));
      if (chance.nextInt(2) == 0) {
        inProcess(1 + chance.nextLong(length), () -> extend(call, hold, length));
      }
    }
  }

  private void limit(Call call, Promises.Hold hold, long time) {
    call.limit = site.clock() + time;
    world.note(site, () -> "holds " + hold + " until " + call.limit);
    site.live().limit(call.lock, hold.fence, call.limit, site.clock());
  }

  private void extend(Call call, Promises.Hold hold, long time) {
    boolean held = site.clock() < call.limit && site.live().isHeld(call.lock, call, site.clock());
    if (current == call && held) {
      limit(call, hold, 1 + chance.nextLong(time));
    }
  }

  private void leave(Call call, Promises.Hold hold) {
    if (current != call) {
      return;
    }
    if (site.clock() - 1 > call.limit && call.stops == site.stops()) {
      world.promises.broken(Promises.LIMITED, hold + " goes on at " + site.id);
    }
    if (limits && !finishing && chance.nextInt(3) == 0) {
      rest(call, hold, 1 + chance.nextLong(world.think()));
      return;
    }
    world.promises.ended(hold);
    world.usage().ends(call, world.schedule.now());
    call.hold = null;
    int bits = world.counterBits();
    if (keeps && !call.wanted && !finishing && Fence.mayFollow(hold.fence, bits)) {
      world.note(site, () -> "keeps " + call.lock);
      call.parked = true;
      inProcess(1 + chance.nextLong(world.think()), () -> takeAgain(call, hold.fence + 1));
    } else {
      giveBack(call);
    }
  }

  /** Is done, and keeps the lock from others for a while. */
  private void rest(Call call, Promises.Hold hold, long time) {
    world.note(site, () -> "rests with " + hold);
    call.rests = true;
    hold.restsUntil = site.clock() + time;
    world.usage().ends(call, world.schedule.now());
    world.usage().usedUntil(call.lock, world.schedule.now() + 2 * time + 2);
    think();
    site.live().rest(call.lock, call, hold.restsUntil, site.clock());
  }

  /** Hands the lock on within itself, unless others want it or it is lost. */
  private void takeAgain(Call call, long fence) {
    if (current != call || !call.parked) {
      return;
    }
    if (!finishing && chance.nextInt(3) > 0) { // else until others want it
      call.parked = false;
      call.turn++;
      if (site.live().isHeld(call.lock, call, site.clock())) {
        use(call, fence, world.schedule.now());
      } // else it will be told
    }
  }

  private void giveBack(Call call) {
    if (current == call && call.hold == null) {
      call.parked = false;
      world.note(site, () -> "releases " + call.lock);
      think();
      world.leaving(site, call.lock);
      site.live().release(call.lock, call, site.clock());
    }
  }

  private void lost(Call call, Loss reason) {
    if (call.rests && call.hold != null) {
      world.promises.ended(call.hold);
      return;
    }
    world.usage().ends(call, world.schedule.now());
    if (current != call) {
      return;
    }
    world.note(site, () -> "loses " + call.lock + ": " + reason);
    world.turns().gone(call.waiting);
    if (reason == Loss.EXPIRED && site.clock() < call.limit) {
      world.promises.broken(Promises.LIMITED, call.lock + " ends early at " + site.id);
    }
    Promises.Hold hold = call.hold;
    if (hold != null) {
      world.promises.ended(hold);
      world.lost(hold, reason);
      if (chance.nextInt(2) == 0) { // one that does not listen
        world.schedule.after(chance.nextLong(Case.SECOND), () -> world.promises.write(hold));
      }
    }
    think();
  }
}
