package io.baton.simulator.cluster;

import io.baton.member.Member;
import io.baton.member.VotingMember;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A machine with a clock, a disk and, while it is up, a process in which a member lives. */
final class Site {
  private static final long MILLION = 1_000_000;

  final int number;
  final Disk disk;
  private final Schedule schedule;
  private final Consumer<Site> afterwards; // told after each thing that the process did
  private final long offset; // of its clock
  private final int drift; // of its clock, in parts per million
  private final ArrayDeque<Runnable> inbox = new ArrayDeque<>(); // what happens while stopped
  String id; // another one once its disk was lost
  private @Nullable VotingMember process; // while it is up
  private int identities = 1;
  private long firstRun; // of this identity; 0: none yet
  private final boolean proves; // that earlier processes of it have ended
  private int starts;
  private int stops;
  private boolean stopped;
  private boolean retires; // once it has left
  private boolean restarts = true;
  private long wakeAt = Long.MAX_VALUE; // by its clock: the alarm that is set

  Site(
      int number,
      Schedule schedule,
      Disk disk,
      boolean proves,
      long offset,
      int drift,
      Consumer<Site> afterwards) {
    this.number = number;
    this.disk = disk;
    this.proves = proves;
    this.id = name(number);
    this.schedule = schedule;
    this.afterwards = afterwards;
    this.offset = offset;
    this.drift = drift;
  }

  static String name(int number) {
    return "m" + (number + 1);
  }

  /** The number of the site that has, or had, an id. */
  static int number(String id) {
    int dot = id.indexOf('.');
    return Integer.parseInt(id.substring(1, dot < 0 ? id.length() : dot)) - 1;
  }

  /** Since when the runs of its member are surely over when another begins (R27). */
  long deadSince(long run) {
    if (firstRun == 0) {
      firstRun = run;
    }
    return proves ? firstRun : run;
  }

  /** All that its disk had is lost, the identity of its member too. */
  void loseDisk() {
    disk.lose();
    id = name(number) + "." + ++identities;
    firstRun = 0;
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
    return process != null;
  }

  boolean isRunning() {
    return process != null && !stopped;
  }

  boolean isStopped() {
    return stopped;
  }

  /** Whether it is to be started again after it left or crashed. */
  boolean restarts() {
    return restarts;
  }

  /** It is told to leave. */
  void leaves(boolean forGood) {
    retires = forGood;
  }

  /** It has left: whether that is for good, if the others can do without it. */
  boolean retires(boolean canBe) {
    restarts = !(retires && canBe);
    return !restarts;
  }

  VotingMember process() {
    if (process == null) {
      throw new IllegalStateException(id + " is down");
    }
    return process;
  }

  Member live() {
    return process().member();
  }

  void start(VotingMember newProcess) {
    process = newProcess;
    starts++;
    stopped = false;
    wakeAt = Long.MAX_VALUE;
    setAlarm();
  }

  void crash() {
    process = null;
    disk.crash();
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
    while (!stopped && process != null && !inbox.isEmpty()) {
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
    } else if (process != null) {
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
    if (!isRunning()) {
      return;
    }
    long next = process().nextWake();
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
      perform(() -> process().tick(clock()));
    }
  }
}
