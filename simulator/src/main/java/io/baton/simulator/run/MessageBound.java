package io.baton.simulator.run;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Names;
import io.baton.simulator.system.LockSystem;
import org.jspecify.annotations.Nullable;

/** Checks that no request costs more messages than theory allows, the return of a loan included. */
public final class MessageBound implements Listener {
  /** The name under which it reports. */
  public static final String NAME = "messages per request";

  private final long bound;
  private final int[] charged; // messages so far for the current request of a node

  /** The bound of a system. */
  public MessageBound(LockSystem system) {
    this.bound = system.messageBound();
    this.charged = new int[system.size()];
  }

  @Override
  public void sent(Step.Delivery delivery) {
    int sink = delivery.message().sink();
    if (sink != NIL) {
      charged[sink]++;
    }
  }

  @Override
  public @Nullable Violation after(Step step, Stage stage) {
    if (!(step instanceof Step.Exit)) {
      return null;
    }
    int cost = charged[step.node()];
    charged[step.node()] = 0;
    return stage.isFaulted() ? null : violation(step.node(), cost, bound);
  }

  /** What is wrong with a request that cost so much, or null. */
  public static @Nullable Violation violation(int node, int cost, long bound) {
    return cost <= bound
        ? null
        : new Violation(
            NAME,
            String.format(
                "the request of %s cost %d messages, more than the bound of %d",
                Names.of(node), cost, bound));
  }
}
