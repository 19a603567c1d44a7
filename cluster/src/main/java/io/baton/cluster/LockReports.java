package io.baton.cluster;

import java.util.List;
import java.util.Set;

/**
 * What members tell of locks.
 *
 * @param answered who has told all that was asked, by id
 * @param silent members that have not, because they do not answer or were not asked
 */
public record LockReports(List<LockReport> reports, Set<String> answered, Set<String> silent) {
  /** They are copied. */
  public LockReports {
    reports = List.copyOf(reports);
    answered = Set.copyOf(answered);
    silent = Set.copyOf(silent);
  }
}
