package io.baton.cli.run;

import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be held of requests that were never granted: a promise broken, or none given.
 *
 * @param up the nodes that are left
 * @param struck whether some process was killed
 */
record Verdict(String algorithm, LockSystem system, List<Integer> up, boolean struck) {
  /** The violation of who waits for ever; null where nobody does, or nobody promised otherwise. */
  @Nullable Violation liveness(RunResult result) {
    return result.stuck() == 0 || !isLivenessPromised()
        ? null
        : new Violation(Violation.LIVENESS, detail(result));
  }

  /** What to say of who waits for ever where nothing was promised; else empty. */
  String note(RunResult result) {
    if (result.stuck() == 0 || isLivenessPromised()) {
      return "";
    }
    String why =
        isTold() && !isInOnePiece()
            ? "the nodes that are left are in pieces, so nobody promises that all are served"
            : algorithm + " promises nothing once the process of a node is killed";
    return why + ": " + detail(result);
  }

  private static String detail(RunResult result) {
    return result.stuck() + " request(s) never granted";
  }

  private boolean isLivenessPromised() {
    Catalogue.Entry entry = Catalogue.find(algorithm);
    return !struck || (!entry.flawed() && (entry.timed() || (isTold() && isInOnePiece())));
  }

  private boolean isTold() {
    return system.channels() != null;
  }

  private boolean isInOnePiece() {
    BitSet reached = new BitSet();
    Deque<Integer> next = new ArrayDeque<>(up.subList(0, Math.min(1, up.size())));
    while (!next.isEmpty()) {
      int node = next.remove();
      if (!reached.get(node)) {
        reached.set(node);
        system.neighbours(node).stream().filter(up::contains).forEach(next::add);
      }
    }
    return reached.cardinality() == up.size();
  }
}
