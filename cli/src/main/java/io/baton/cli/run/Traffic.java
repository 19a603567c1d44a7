package io.baton.cli.run;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What is under way between the processes, by what they report. A channel is empty where as many
 * messages were handled at its end as were sent at its beginning; where all channels are empty and
 * no process has anything to do, nothing will ever happen again.
 */
final class Traffic {
  /** The life of one node. */
  private record Life(int node, int life) {}

  private record Route(Life from, Life to) {}

  private record Notice(int to, int of) {}

  private final Map<Route, Integer> balances = new HashMap<>(); // sent less handled; 0 is missing
  private final Set<Notice> notices = new HashSet<>(); // not told yet
  private final Set<Life> over = new HashSet<>();

  /** A process reports. */
  void reported(Child child, Report report) {
    Life here = new Life(child.node(), child.life());
    for (Report.Sent sent : report.sent()) {
      add(new Route(here, new Life(sent.to(), sent.life())), 1);
    }
    if (report.kind() == Report.Kind.RECEIVE) {
      add(new Route(new Life(report.subject(), report.life()), here), -1);
    } else if (report.kind() == Report.Kind.LOST) {
      notices.remove(new Notice(child.node(), report.subject()));
    }
  }

  private void add(Route route, int change) {
    boolean lost = route.to().life() == Report.NOBODY;
    if (!lost && !over.contains(route.from()) && !over.contains(route.to())) {
      int balance = balances.getOrDefault(route, 0) + change;
      if (balance == 0) {
        balances.remove(route);
      } else {
        balances.put(route, balance);
      }
    }
  }

  /** A process has ended: what was under way to and from it no longer counts. */
  void ended(Child child) {
    Life gone = new Life(child.node(), child.life());
    over.add(gone);
    balances.keySet().removeIf(route -> route.from().equals(gone) || route.to().equals(gone));
    notices.removeIf(notice -> notice.to() == child.node());
  }

  /** A node is being told that another is down. */
  void noticed(int to, int of) {
    notices.add(new Notice(to, of));
  }

  /** Whether all who must know that a node is down have been told. */
  boolean isKnown(int node) {
    return notices.stream().noneMatch(notice -> notice.of() == node);
  }

  boolean isEmpty() {
    return balances.isEmpty() && notices.isEmpty();
  }
}
