package io.baton.cluster;

import io.baton.member.View;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that a member can hold nothing, when that has lasted longer than an election takes, and whom
 * it lacks; and that it can again. On the loop.
 */
final class Outage {
  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
  private static final long SAY_EVERY = 60_000_000_000L;

  private final Host host;
  private final Meeting meeting;
  private final long patience;
  private @Nullable Long since;
  private @Nullable Long saidAt;

  Outage(Host host, Meeting meeting) {
    this.host = host;
    this.meeting = meeting;
    this.patience = 2_000_000_000L + 2 * host.origin().settings().lease();
  }

  /** Looks whether there is a lease. */
  void look(Set<String> connected) {
    long now = host.clock().now();
    if (now < host.heldUntil() || host.isLeaving()) {
      if (saidAt != null) {
        LOG.info("{} can hold locks again", host.origin().id());
      }
      since = null;
      saidAt = null;
    } else if (since == null) {
      since = now;
    } else if (now - since > patience && (saidAt == null || now - saidAt > SAY_EVERY)) {
      saidAt = now;
      LOG.warn(
          "{} can hold no lock, for {} s by now: {}",
          host.origin().id(),
          (now - since) / 1_000_000_000L,
          host.joined().isDone() ? lacking(connected) : meeting.explain());
    }
  }

  private String lacking(Set<String> connected) {
    List<View.Place> missing =
        host.view().places().stream()
            .filter(place -> !place.peer().id().equals(host.origin().id()))
            .filter(place -> !connected.contains(place.peer().id()))
            .toList();
    return "no majority of the voters answers; "
        + (missing.isEmpty()
            ? "all members are connected"
            : missing.stream()
                .map(place -> place.peer().id() + " at " + place.address())
                .collect(Collectors.joining(", ", "not connected: ", "")));
  }
}
