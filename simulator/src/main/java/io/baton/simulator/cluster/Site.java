package io.baton.simulator.cluster;

import io.baton.member.Member;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A machine with a clock and, while it is up, a process in which a member lives. */
final class Site {
  private static final long MILLION = 1_000_000;

  final int number;
  final String id;
  private final Schedule schedule;
  private final Consumer<Site> afterwards; // told after each thing that the process did
  private final long offset; // of its clock
  private final int drift; // of its clock, in parts per million
  private final ArrayDeque<Runnable> inbox = new ArrayDeque<>(); // what happens while stopped
  private @Nullable Member member; // while the process is up
  private int starts;
  private int stops;
  private boolean stopped;
  private boolean restarts = true;
  private long wakeAt = Long.MAX_VALUE; // by its clock: the alarm that is set

  Site(int number, Schedule schedule, long offset, int drift, Consumer<Site> afterwards) {
    this.number = number;
    this.id = name(number);
    this.schedule = schedule;
    this.afterwards = afterwards;
    this.offset = offset;
    this.drift = drift;
  }

  static String name(int number) {
    return "m" + (number + 1);
  }

  /** What its clock shows. */
  long clock() {
    return clockAt(schedule.now());
  }

  private long clockAt(long time) {
    return offset + time + Math.floorDiv(time * drift, MILLION);
  }

  /** The first moment of true time at which its clock shows an instant. */
  private long timeOf(long instant) {
    long time = Math.floorDiv((instant - offset) * MILLION, MILLION + drift) - 2;
    while (clockAt(time) < instant) {
      time++;
    }
    return time;
  }

  /** The number of this start of the process, for what must not outlive it. */
  int starts() {
    return starts;
  }

  boolean isUp() {
    return member != null;
  }

  boolean isRunning() {
    return member != null && !stopped;
  }

  boolean isStopped() {
    return stopped;
  }

  /** Whether it is to be started again after it left or crashed. */
  boolean restarts() {
    return restarts;
  }

  void retire() {
    restarts = false;
  }

  @Nullable Member member() {
    return member;
  }

  Member live() {
    if (member == null) {
      throw new IllegalStateException(id + " is down");
    }
    return member;
  }

  void start(Member newMember) {
    member = newMember;
    starts++;
    stopped = false;
    wakeAt = Long.MAX_VALUE;
    setAlarm();
  }

  void crash() {
    member = null;
    stopped = false;
    inbox.clear();
  }

  void stop() {
    stopped = true;
    stops++;
  }

  /** How often it was stopped. */
  int stops() {
    return stops;
  }

  /** Is stopped just before it does this. */
  void stopBefore(Runnable action) {
    stop();
    inbox.addFirst(action);
  }

  /** Goes on with what came while it was stopped. */
  void resume() {
    stopped = false;
    while (!stopped && member != null && !inbox.isEmpty()) {
      act(inbox.remove());
    }
    if (isRunning()) {
      wakeAt = Long.MAX_VALUE;
      setAlarm();
    }
  }

  /** Has the process do something as soon as it can, unless it ends before. */
  void perform(Runnable action) {
    if (stopped) {
      inbox.add(action);
    } else if (member != null) {
      act(action);
    }
  }

  private void act(Runnable action) {
    action.run();
    afterwards.accept(this);
    setAlarm();
  }

  /** At the next moment that the member wants to be woken. */
  private void setAlarm() {
    if (!isRunning() || member == null) {
      return;
    }
    long next = member.nextWake();
    if (next < wakeAt && next != Long.MAX_VALUE) {
      wakeAt = next;
      int start = starts;
      schedule.at(timeOf(next), () -> ring(start, next));
    }
  }

  private void ring(int start, long instant) {
    if (start != starts || instant != wakeAt) {
      return;
    }
    wakeAt = Long.MAX_VALUE;
    if (isRunning()) {
      perform(() -> live().tick(clock()));
    }
  }
}
