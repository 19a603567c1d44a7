package io.baton.simulator.agreement;

import io.baton.agreement.Publication;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What voters promise, and whether what has just happened breaks it. */
final class Promises {
  static final String LEADER = "one leader per term";
  static final String VALUE = "one value per term and version";
  static final String DESCENT = "whatever is published comes after all that was committed before";
  static final String LEASE = "leases are confirmed for the latest leader only";
  static final String KNOWN = "nobody is told of a state that cannot follow a committed one";

  private Promises() {}

  /** The promise that is broken; null: none is. */
  static @Nullable String check(Fact fact, List<Fact> before) {
    if (fact instanceof Fact.Won won) {
      return checkLeader(won.term(), won.leader(), before);
    } else if (fact instanceof Fact.Published published) {
      return checkPublished(published, before);
    } else if (fact instanceof Fact.Committed committed) {
      return checkCommitted(committed, before);
    } else if (fact instanceof Fact.Confirmed confirmed) {
      return checkConfirmed(confirmed, before);
    } else if (fact instanceof Fact.Contradicted contradicted) {
      return KNOWN + ": " + contradicted.voter() + " of " + contradicted.publication();
    }
    return null;
  }

  private static @Nullable String checkLeader(long term, String leader, List<Fact> before) {
    for (Fact fact : before) {
      if (fact instanceof Fact.Won won && won.term() == term && !won.leader().equals(leader)) {
        return LEADER + ": " + won.leader() + " and " + leader + " lead in term " + term;
      }
    }
    return null;
  }

  private static @Nullable String checkPublished(Fact.Published published, List<Fact> before) {
    Publication mine = published.publication();
    for (Fact fact : before) {
      if (fact instanceof Fact.Published other
          && other.publication().term() == mine.term()
          && other.publication().version() == mine.version()) {
        return VALUE + ": " + other.publication() + " and " + mine;
      } else if (fact instanceof Fact.Committed committed) {
        String broken = checkDescent(published, committed, before);
        if (broken != null) {
          return broken;
        }
      }
    }
    return checkLeader(mine.term(), published.leader(), before);
  }

  private static @Nullable String checkCommitted(Fact.Committed committed, List<Fact> before) {
    for (Fact fact : before) {
      if (fact instanceof Fact.Published published) {
        String broken = checkDescent(published, committed, before);
        if (broken != null) {
          return broken;
        }
      }
    }
    return null;
  }

  private static @Nullable String checkDescent(
      Fact.Published published, Fact.Committed committed, List<Fact> before) {
    Publication mine = published.publication();
    boolean later =
        mine.term() > committed.term()
            || (mine.term() == committed.term() && mine.version() > committed.version());
    if (!later || descends(published, committed, before)) {
      return null;
    }
    return "%s: %s does not come after %d.%d"
        .formatted(DESCENT, mine, committed.term(), committed.version());
  }

  private static boolean descends(
      Fact.Published published, Fact.Committed committed, List<Fact> before) {
    long term = published.beforeTerm();
    long version = published.beforeVersion();
    while (version > committed.version()) {
      Fact.Published next = null;
      for (Fact fact : before) {
        if (fact instanceof Fact.Published other
            && other.publication().term() == term
            && other.publication().version() == version) {
          next = other;
        }
      }
      if (next == null) {
        return false;
      }
      term = next.beforeTerm();
      version = next.beforeVersion();
    }
    return term == committed.term() && version == committed.version();
  }

  private static @Nullable String checkConfirmed(Fact.Confirmed confirmed, List<Fact> before) {
    if (!before.contains(new Fact.Won(confirmed.term(), confirmed.leader()))) {
      return LEASE + ": " + confirmed.leader() + " was never elected in term " + confirmed.term();
    }
    for (Fact fact : before) {
      if (fact instanceof Fact.Asked asked
          && asked.term() == confirmed.term()
          && asked.batch() == confirmed.batch()
          && asked.latest() > confirmed.term()) {
        return "%s: term %d is confirmed, though term %d was known when it asked"
            .formatted(LEASE, confirmed.term(), asked.latest());
      }
    }
    return null;
  }
}
