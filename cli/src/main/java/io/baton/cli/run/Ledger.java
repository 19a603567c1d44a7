package io.baton.cli.run;

import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.simulator.run.Measures;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Step;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.PhysicalGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that the processes of a run have reported. Put in the order in which it happened, it is
 * measured as a simulated run is, and checked: no two critical sections of a resource overlap.
 */
final class Ledger {
  private static final int NOBODY = -1;

  /**
   * One step of one node.
   *
   * @param report null where the node was killed
   */
  private record Entry(long time, int node, @Nullable Report report) {}

  private final LockSystem system;
  private final @Nullable PhysicalGraph graph;
  private final List<Entry> entries = new ArrayList<>();
  private final long[] latest; // the last moment reported by each node
  private boolean killed; // some node was

  // As of the entry at hand.
  private final Map<Integer, Deque<Measures.Request>> users =
      new HashMap<>(); // by seat, not let in
  private final int[] inside; // by resource, which node is
  private final long[] exits; // by resource
  private @Nullable Violation violation;

  Ledger(LockSystem system, @Nullable PhysicalGraph graph) {
    this.system = system;
    this.graph = graph;
    this.latest = new long[system.size()];
    this.inside = new int[system.resources()];
    this.exits = new long[system.resources()];
    Arrays.fill(inside, NOBODY);
    Arrays.fill(latest, System.nanoTime());
  }

  void add(int node, Report report) {
    latest[node] = report.time();
    entries.add(new Entry(report.time(), node, report));
  }

  /** The process of a node has ended after it was sent SIGKILL at a moment. */
  void killed(int node, long time) {
    killed = true;
    boolean laterWord = latest[node] - time > 0; // from before the signal took effect
    entries.add(new Entry(laterWord ? latest[node] : time, node, null));
  }

  /** What came of the run that began at a moment. */
  RunResult result(long start) {
    entries.sort(Comparator.comparingLong(entry -> entry.time() - start)); // stable
    Measures measures = new Measures(system, entries.size());
    for (Entry entry : entries) {
      Report report = entry.report();
      long now = entry.time() - start;
      if (report == null) {
        death(entry.node(), measures);
      } else {
        before(entry.node(), report, measures, now);
        effects(entry.node(), report, measures, now);
        after(entry.node(), report, measures, now);
      }
    }
    long end = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).time() - start;
    return new RunResult(measures, measures.unserved(), violation, end, entries.size(), null);
  }

  private Deque<Measures.Request> users(int seat) {
    return users.computeIfAbsent(seat, s -> new ArrayDeque<>());
  }

  private void before(int node, Report report, Measures measures, long now) {
    int seat = system.seat(node, report.subject());
    switch (report.kind()) {
      case QUEUE -> users(seat).add(measures.arrived(now));
      case ENTER -> {
        users(seat).add(measures.arrived(now));
        measures.requested(seat, users(seat).element());
      }
      case TURN -> measures.requested(seat, users(seat).element());
      case EXIT -> {
        inside[report.subject()] = NOBODY;
        exits[report.subject()]++;
      }
      case BROKEN -> {
        String[] words = report.text().split("\n", 2);
        broken(words[0], words[1]);
      }
      default -> {
        // users have no part in it
      }
    }
  }

  private void effects(int node, Report report, Measures measures, long now) {
    for (Report.Sent sent : report.sent()) {
      int hops = graph == null ? 1 : graph.hops(node, sent.to());
      measures.sent(new Step.Delivery(node, sent.to(), sent.message()), hops);
    }
    for (Report.Grant grant : report.grants()) {
      granted(node, grant);
      int seat = system.seat(node, grant.resource());
      users(seat).remove();
      measures.granted(seat, now);
    }
  }

  private void granted(int node, Report.Grant grant) {
    int resource = grant.resource();
    if (inside[resource] != NOBODY) {
      broken(
          "mutual exclusion",
          Names.of(node) + " enters while " + Names.of(inside[resource]) + " is inside");
    }
    if (grant.cargo() != exits[resource] && !killed) { // a token made anew cannot know it
      broken(
          "the token carries what the last holder left",
          String.format(
              "the grant of %s carries %d, not %d",
              Names.of(node), grant.cargo(), exits[resource]));
    }
    inside[resource] = node;
  }

  private void after(int node, Report report, Measures measures, long now) {
    Message message = report.message();
    if (message != null) {
      measures.handled(message);
    } else if (report.kind() == Report.Kind.EXIT) {
      measures.left(system.seat(node, report.subject()), now);
    }
  }

  private void death(int node, Measures measures) {
    for (int resource = 0; resource < system.resources(); resource++) {
      Deque<Measures.Request> waiting = users(system.seat(node, resource));
      measures.abandoned(waiting.size());
      waiting.clear();
      if (inside[resource] == node) {
        inside[resource] = NOBODY;
      }
    }
  }

  private void broken(String invariant, String detail) {
    violation = violation == null ? new Violation(invariant, detail) : violation;
  }
}
