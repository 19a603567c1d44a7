package io.baton.simulator.run;

import io.baton.algorithms.Census;
import io.baton.algorithms.Message;
import io.baton.algorithms.Request;
import io.baton.algorithms.Token;

/**
 * Counts what failures cost: the messages that are neither request nor token, and the requests that
 * a node sends when one of those arrives or an alarm rings, which are requests sent again.
 */
public final class RepairCost implements Listener {
  private Count now = new Count(0, 0, 0);
  private Count atLastGrant = now;
  private final Samples cycles = new Samples();
  private long beforeCycle; // what had been counted when a node last crashed
  private boolean repairing; // whether the step at hand is no part of a healthy run

  /**
   * What was counted up to some moment.
   *
   * @param failures how many nodes had crashed
   * @param messages what that cost
   * @param census of these, those of a census
   */
  public record Count(long failures, long messages, long census) {}

  @Override
  public void before(long time, Step step, Stage stage) {
    repairing =
        step instanceof Step.Ring
            || (step instanceof Step.Delivery delivery && isRepair(delivery.message()));
    if (step instanceof Step.Crash) {
      if (now.failures > 0) {
        cycles.add(now.messages - beforeCycle);
      }
      beforeCycle = now.messages;
      now = new Count(now.failures + 1, now.messages, now.census);
    }
  }

  private static boolean isRepair(Message message) {
    return !(message instanceof Request) && !(message instanceof Token);
  }

  @Override
  public void sent(Step.Delivery delivery) {
    Message message = delivery.message();
    boolean again =
        repairing && message instanceof Request request && request.origin() == delivery.from();
    if (isRepair(message) || again) {
      boolean census = message instanceof Census || message instanceof Census.Here;
      now = new Count(now.failures, now.messages + 1, now.census + (census ? 1 : 0));
    }
  }

  @Override
  public void granted(int node, int resource) {
    atLastGrant = now;
  }

  /** The messages from each failure to the next. */
  public Samples cycles() {
    return cycles;
  }

  /** All that was counted. */
  public Count atTheEnd() {
    return now;
  }

  /** What had been counted when a node last entered. */
  public Count atLastGrant() {
    return atLastGrant;
  }
}
