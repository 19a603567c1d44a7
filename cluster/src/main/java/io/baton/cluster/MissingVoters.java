package io.baton.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says at a voter that another one is not there, and how many more may fail. On the loop. */
final class MissingVoters {
  private static final Logger LOG = LoggerFactory.getLogger(MissingVoters.class);

  private static final class Absence {
    private final long since;
    private boolean said;

    Absence(long since) {
      this.since = since;
    }
  }

  private final String self;
  private final long patience;
  private final Map<String, Absence> missing = new LinkedHashMap<>();

  /**
   * A watch.
   *
   * @param patience for how many nanoseconds a voter may be away before that is said
   */
  MissingVoters(String self, long patience) {
    this.self = self;
    this.patience = patience;
  }

  /** Looks who of the voters is connected, as of now, in nanoseconds; what it says. */
  List<String> look(List<String> voters, Set<String> connected, long now) {
    List<String> said = new ArrayList<>();
    if (voters.isEmpty()) { // this member does not vote
      missing.clear();
      return said;
    }
    missing.forEach(
        (voter, absence) -> {
          boolean back = connected.contains(voter);
          if (absence.said && (back || !voters.contains(voter))) {
            said.add("Voter " + voter + (back ? " is back" : " votes no more"));
            LOG.info(said.get(said.size() - 1));
          }
        });
    missing.keySet().removeIf(voter -> connected.contains(voter) || !voters.contains(voter));
    for (String voter : voters) {
      if (!voter.equals(self) && !connected.contains(voter)) {
        missing.computeIfAbsent(voter, id -> new Absence(now));
      }
    }
    missing.forEach(
        (voter, absence) -> {
          if (!absence.said && now - absence.since >= patience) {
            absence.said = true;
            said.add(
                "Voter %s is not connected, for %d s by now: %s"
                    .formatted(
                        voter,
                        (now - absence.since) / 1_000_000_000L,
                        left(voters.size(), voters.size() - missing.size())));
            LOG.warn(said.get(said.size() - 1));
          }
        });
    return said;
  }

  private static String left(int voters, int there) {
    int spare = there - (voters / 2 + 1);
    return spare < 0
        ? "with " + there + " of " + voters + " voters there is no majority"
        : "of "
            + voters
            + " voters "
            + (spare == 0
                ? "no more may fail"
                : spare == 1 ? "one more may fail" : spare + " more may fail");
  }
}
