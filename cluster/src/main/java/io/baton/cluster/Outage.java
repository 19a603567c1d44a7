package io.baton.cluster;

import io.baton.member.View;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that a member can hold nothing, when that has lasted longer than an election takes, and why;
 * and that it can again. On the loop.
 */
final class Outage {
  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
  private static final long SAY_EVERY = 60_000_000_000L;

  private final String self;
  private final long patience;
  private @Nullable Long since;
  private @Nullable Long saidAt;

  Outage(String self, long lease) {
    this.self = self;
    this.patience = 2_000_000_000L + 2 * lease;
  }

  /** Looks whether it can hold locks, as it now is, in nanoseconds; what it says, if anything. */
  @Nullable String look(boolean can, long now, Supplier<String> why) {
    String said = null;
    if (can) {
      if (saidAt != null) {
        said = self + " can hold locks again";
        LOG.info(said);
      }
      since = null;
      saidAt = null;
    } else if (since == null) {
      since = now;
    } else if (now - since > patience && (saidAt == null || now - saidAt > SAY_EVERY)) {
      saidAt = now;
      said =
          "%s can hold no lock, for %d s by now: %s"
              .formatted(self, (now - since) / 1_000_000_000L, why.get());
      LOG.warn(said);
    }
    return said;
  }

  /** Whom it lacks of the members, and of the voters that are none any more. */
  static String lacking(View view, List<String> voters, String self, Set<String> connected) {
    Map<String, String> missing = new LinkedHashMap<>();
    voters.forEach(voter -> missing.put(voter, voter + ", a voter"));
    view.places().forEach(place -> missing.put(place.peer().id(), Texts.of(place)));
    missing.keySet().removeAll(connected);
    missing.remove(self);
    return missing.isEmpty()
        ? "all members are connected, and no majority of the voters has answered yet"
        : "no majority of the voters answers; not connected: "
            + String.join("; ", missing.values());
  }
}
