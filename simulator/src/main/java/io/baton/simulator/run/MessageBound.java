package io.baton.simulator.run;

import static io.baton.algorithms.Algorithm.NIL;

import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.simulator.system.LockSystem;
import org.jspecify.annotations.Nullable;

/** Checks that every request costs what theory allows, the return of a loan included. */
public final class MessageBound implements Listener {
  /** The name under which it reports. */
  public static final String NAME = "messages per request";

  private final LockSystem system;
  private final LockSystem.Cost theory;
  private final int[] charged; // messages so far for the current request of a seat

  /** The bound of a system. */
  public MessageBound(LockSystem system) {
    this.system = system;
    this.theory = system.cost();
    this.charged = new int[system.seats()];
  }

  @Override
  public void sent(Step.Delivery delivery) {
    Message message = delivery.message();
    if (message.sink() != NIL) {
      charged[system.seat(message.sink(), message.resource())]++;
    }
  }

  @Override
  public @Nullable Violation after(Step step, Stage stage) {
    if (!(step instanceof Step.Exit exit)) {
      return null;
    }
    int seat = system.seat(exit.node(), exit.resource());
    int cost = charged[seat];
    charged[seat] = 0;
    return stage.isFaulted() ? null : violation(step.node(), cost, theory);
  }

  /** What is wrong with a request that cost so much, or null. */
  public static @Nullable Violation violation(int node, int cost, LockSystem.Cost theory) {
    return theory.allows(cost)
        ? null
        : new Violation(
            NAME,
            String.format(
                "the request of %s cost %d messages, theory says %s",
                Names.of(node), cost, theory));
  }
}
