package io.baton.simulator.run;

import io.baton.algorithms.Names;
import io.baton.simulator.system.LockSystem;
import org.jspecify.annotations.Nullable;

/** Checks the message counts of [NET] §6: of every flood that has come to its end. */
final class FloodCosts implements Listener {
  private final LockSystem.Flood theory;
  private final Accounts accounts = new Accounts();

  FloodCosts(LockSystem.Flood theory) {
    this.theory = theory;
  }

  @Override
  public void sent(Step.Delivery delivery) {
    accounts.sent(delivery.message());
  }

  @Override
  public void granted(int node, int resource) {
    accounts.granted(node);
  }

  @Override
  public @Nullable Violation after(Step step, Stage stage) {
    if (!(step instanceof Step.Delivery delivery) || stage.isFaulted()) {
      return null;
    }
    Accounts.Account closed = accounts.handled(delivery.message());
    return closed == null || theory.allows(closed.requests(), closed.others(), closed.isOvertaken())
        ? null
        : new Violation(
            MessageBound.NAME,
            String.format(
                "the request of %s took %d requests and %d hops of the token, theory says %s",
                Names.of(closed.sink), closed.requests(), closed.others(), theory));
  }
}
