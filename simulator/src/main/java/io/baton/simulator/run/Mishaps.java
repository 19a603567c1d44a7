package io.baton.simulator.run;

import static java.util.stream.Collectors.toList;

import io.baton.simulator.random.Generator;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.run.Faults.Kind;
import io.baton.simulator.system.LockSystem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Chooses what goes wrong in a run, and when, from one generator: which node, which channel. */
final class Mishaps {
  /** Where steps are put that are to happen. */
  interface Plan {
    long now();

    /** Whether there is still something to disturb. */
    boolean isGoing();

    void later(long time, Step step);

    /** Right after the step that is being performed. */
    void atOnce(Step step);
  }

  private final Faults faults;
  private final Generator chance;
  private final LockSystem system;
  private final Stage stage;
  private final Plan plan;
  private final Set<Integer> leaving = new HashSet<>(); // nodes that have been told to leave

  Mishaps(Faults faults, Generator chance, LockSystem system, Stage stage, Plan plan) {
    this.faults = faults;
    this.chance = chance;
    this.system = system;
    this.stage = stage;
    this.plan = plan;
  }

  /** After a step was performed, more may go wrong. */
  void after(Step last) {
    maybeCrash(last);
    maybeCut();
    maybeLeave();
    maybeSuspect();
  }

  boolean isLeaving(int node) {
    return leaving.contains(node);
  }

  /** Whether this message is to be lost. */
  boolean loses() {
    return chance.nextBoolean(faults.of(Kind.LOSS));
  }

  /** Whether this message is to arrive twice. */
  boolean doubles() {
    return chance.nextBoolean(faults.of(Kind.DUPLICATE));
  }

  /** How long it takes until a node is told of a channel. */
  long noticeDelay() {
    return chance.nextInt((int) (2 * Ticks.PER_UNIT));
  }

  /** A node is about to crash: draws when it comes back; true if it does. */
  boolean crashing(Step crash) {
    leaving.remove(crash.node()); // it is gone, or has forgotten that it was to go
    scheduleCrash();
    if (!comesBack(crash)) {
      return false;
    }
    double share = faults.has(Kind.EVERY) ? 1 : -StrictMath.log(1 - chance.nextDouble());
    Kind down = faults.has(Kind.RECOVER) ? Kind.RECOVER : Kind.MEND;
    plan.later(after(share, down), new Step.Recover(crash.node()));
    return true;
  }

  /** Draws the next victim of the clock. */
  void scheduleCrash() {
    if (faults.has(Kind.EVERY) && plan.isGoing()) {
      Step crash = new Step.Crash(chance.nextInt(system.size()));
      plan.later(plan.now() + Ticks.ofUnits(faults.of(Kind.EVERY)), crash);
    }
  }

  boolean canCrash(int node) {
    return plan.isGoing()
        && stage.isUp(node)
        && IntStream.range(0, system.size()).filter(stage::isUp).limit(2).count() > 1;
  }

  /** Chooses a victim where a crash hurts: who acted, who is about to receive, or anyone. */
  private void maybeCrash(Step last) {
    if (!faults.has(Kind.CRASH) || !plan.isGoing() || !chance.nextBoolean(faults.of(Kind.CRASH))) {
      return;
    }
    List<Integer> addressees = new ArrayList<>();
    stage.messages((from, to, message) -> addressees.add(to));
    int kind = chance.nextInt(3);
    int victim =
        kind == 0
            ? last.node()
            : kind == 1 && !addressees.isEmpty()
                ? addressees.get(chance.nextInt(addressees.size()))
                : chance.nextInt(system.size());
    List<Integer> up =
        IntStream.range(0, system.size()).filter(stage::isUp).boxed().collect(toList());
    int together = Math.max(1, (int) (faults.of(Kind.BURST) * system.size()));
    for (int next = victim; together > 0 && up.size() > 1; together--) {
      if (up.remove((Integer) next)) {
        plan.atOnce(isForGood() ? new Step.Gone(next) : new Step.Crash(next));
      }
      next = up.get(chance.nextInt(up.size()));
    }
  }

  /** Some nodes and channels come only later: they fail before anything else happens. */
  void leaveOut() {
    double share = faults.of(Kind.ABSENT);
    for (int node = 0; share > 0 && node < system.size(); node++) {
      if (!stage.hasToken(node) && chance.nextBoolean(share)) {
        plan.later(0, new Step.Crash(node));
      }
      for (int neighbour : system.neighbours(node)) {
        if (node < neighbour && chance.nextBoolean(share)) {
          plan.later(0, new Step.Cut(node, neighbour));
          scheduleMend(node, neighbour);
        }
      }
    }
  }

  private void scheduleMend(int node, int neighbour) {
    double share = -StrictMath.log(1 - chance.nextDouble());
    plan.later(after(share, Kind.MEND), new Step.Mend(node, neighbour));
  }

  /** Tells some node to leave for good. */
  private void maybeLeave() {
    if (faults.has(Kind.LEAVE) && plan.isGoing() && chance.nextBoolean(faults.of(Kind.LEAVE))) {
      int node = chance.nextInt(system.size());
      boolean someoneStays =
          IntStream.range(0, system.size())
              .anyMatch(other -> other != node && stage.isUp(other) && !isLeaving(other));
      if (canCrash(node) && someoneStays && leaving.add(node)) {
        plan.atOnce(new Step.Leave(node));
        plan.later(plan.now() + Ticks.PER_UNIT, new Step.Gone(node));
      }
    }
  }

  /** Lets some channel fail. */
  private void maybeCut() {
    if (faults.has(Kind.CUT) && plan.isGoing() && chance.nextBoolean(faults.of(Kind.CUT))) {
      int node = chance.nextInt(system.size());
      List<Integer> neighbours = system.neighbours(node);
      if (!neighbours.isEmpty()) {
        int neighbour = neighbours.get(chance.nextInt(neighbours.size()));
        Step.Cut cut = new Step.Cut(Math.min(node, neighbour), Math.max(node, neighbour));
        if (stage.canHappen(cut)) {
          plan.atOnce(cut);
          scheduleMend(cut.node(), cut.neighbour());
        }
      }
    }
  }

  /** Lets some node take another for dead that is not. */
  private void maybeSuspect() {
    if (faults.has(Kind.SUSPECT) && plan.isGoing() && chance.nextBoolean(faults.of(Kind.SUSPECT))) {
      Step.Suspect suspect =
          new Step.Suspect(chance.nextInt(system.size()), chance.nextInt(system.size()));
      if (stage.canHappen(suspect)) {
        plan.atOnce(suspect);
        long end = plan.now() + Ticks.ofDrawn(20 * chance.nextDouble() * Ticks.PER_UNIT);
        plan.later(end, new Step.Trust(suspect.node(), suspect.neighbour()));
      }
    }
  }

  /** Whether who crashes never comes back, and its neighbours are told so. */
  private boolean isForGood() {
    return system.channels() != null && !faults.has(Kind.RECOVER);
  }

  private boolean comesBack(Step step) {
    boolean absent = plan.now() == 0 && faults.has(Kind.ABSENT);
    return step instanceof Step.Crash && (faults.has(Kind.RECOVER) || absent);
  }

  private long after(double share, Kind mean) {
    return plan.now() + Ticks.ofDrawn(share * faults.of(mean) * Ticks.PER_UNIT);
  }
}
