package io.baton.simulator.run;

import io.baton.simulator.system.LockSystem;
import java.util.List;

/** What is checked along every request, where theory says something of it. */
public final class RequestChecks {
  private RequestChecks() {}

  /** New listeners for a run of the system; none where it is here to be broken. */
  public static List<Listener> of(LockSystem system) {
    if (system.flood() != null) {
      return List.of(new FloodCosts(system.flood()));
    }
    return system.cost().isOpen()
        ? List.of()
        : List.of(new RequestPaths(), new MessageBound(system));
  }
}
