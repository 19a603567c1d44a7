package io.baton.simulator.cluster;

import io.baton.agreement.Agreement;
import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Publication;
import io.baton.agreement.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The voters of a run as one sees them from outside: who leads, and what was agreed on. */
final class Ballot {
  private final List<Site> sites;
  private final Promises promises;
  private final Map<Long, String> leaders = new HashMap<>(); // by term
  private final Map<Long, Value> agreed = new HashMap<>(); // by version
  private final Set<String> lost = new LinkedHashSet<>(); // ids that never come back
  private long publications;

  Ballot(List<Site> sites, Promises promises) {
    this.sites = sites;
    this.promises = promises;
  }

  /** Who leads in the latest term; null: nobody does. */
  @Nullable Site leader() {
    Site leader = null;
    for (Site site : sites) {
      if (site.isUp() && site.process().agreement().isLeader()) {
        boolean later =
            leader == null
                || site.process().agreement().term() > leader.process().agreement().term();
        leader = later ? site : leader;
      }
    }
    return leader;
  }

  /** Whether a process votes, as far as it knows. */
  boolean votes(Site site) {
    return site.process().agreement().voters().voters().contains(site.id);
  }

  /** How many states have been published. */
  long publications() {
    return publications;
  }

  /** A voter writes what it knows. */
  void stored(Site site, Durable state) {
    Publication accepted = state.accepted();
    publications = Math.max(publications, accepted.version());
    Value value = accepted.value();
    if (value != null && accepted.version() == state.committedVersion()) {
      Value other = agreed.putIfAbsent(accepted.version(), value);
      if (other != null && !other.equals(value)) {
        promises.broken(
            Promises.AGREED,
            "version %d is %s, and %s at %s".formatted(accepted.version(), other, value, site.id));
      }
    }
  }

  /** Somebody has done something. */
  void acted(Site site) {
    Agreement agreement = site.process().agreement();
    if (agreement.isLeader()) {
      String other = leaders.putIfAbsent(agreement.term(), site.id);
      if (other != null && !other.equals(site.id)) {
        promises.broken(
            Promises.ONE_LEADER,
            "%s and %s lead in term %d".formatted(other, site.id, agreement.term()));
      }
    }
  }

  /** What a site knew is lost, or it never comes back. */
  void lost(Site site) {
    lost.add(site.id);
  }

  /**
   * Whether the others can go on for good without a site: of whatever configuration anybody knows,
   * a majority would be left.
   */
  boolean canDoWithout(Site site) {
    if (publications < 2) { // founded, and known to more than one
      return false;
    }
    Set<String> gone = new LinkedHashSet<>(lost);
    gone.add(site.id);
    for (Site each : sites) {
      List<Durable> known = new ArrayList<>();
      known.add(each.disk.read());
      if (each.isUp()) {
        known.add(each.process().agreement().durable());
      }
      for (Durable durable : known) {
        if (!canDoWithout(gone, durable.committed())
            || !canDoWithout(gone, durable.accepted().configuration())) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean canDoWithout(Set<String> gone, Configuration configuration) {
    List<String> left =
        configuration.voters().stream().filter(voter -> !gone.contains(voter)).toList();
    return configuration.isEmpty() || configuration.isQuorum(left);
  }
}
