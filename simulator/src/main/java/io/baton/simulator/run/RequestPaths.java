package io.baton.simulator.run;

import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Request;
import io.baton.algorithms.Token;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Follows the execution of each critical section claim, [GS] §3.3, and checks Corollary 1 (the path
 * of its requests is acyclic) and what precedes it: the token comes back through exactly those
 * nodes that were proxies on the way out, without waiting at any of them.
 */
public final class RequestPaths implements Listener {
  private final TreeMap<Integer, Path> paths = new TreeMap<>(); // by sink
  private @Nullable Violation broken;

  private static final class Path {
    final BitSet visited = new BitSet();
    final Deque<Integer> proxies = new ArrayDeque<>(); // the sink at the bottom, last proxy on top
  }

  @Override
  public void before(long time, Step step, Stage stage) {
    if (step instanceof Step.Enter enter) {
      Path path = new Path();
      path.visited.set(enter.node());
      path.proxies.push(enter.node());
      paths.put(enter.node(), path);
    }
  }

  @Override
  public void sent(Step.Delivery delivery) {
    Message message = delivery.message();
    Path path = paths.get(message.sink());
    if (message instanceof Request request) {
      if (path == null) {
        broken = violation("no request without a claim", delivery);
        return;
      }
      if (request.origin() == delivery.from() && request.origin() != message.sink()) {
        path.proxies.push(request.origin());
      }
      if (path.visited.get(delivery.to())) {
        broken = violation("the path of a request is acyclic", delivery);
      }
      path.visited.set(delivery.to());
    } else if (message instanceof Token && path != null) {
      Integer next = path.proxies.poll();
      if (next == null || next != delivery.to()) {
        broken = violation("the token returns through the proxies", delivery);
      }
    }
  }

  @Override
  public void granted(int node, int resource) {
    paths.remove(node); // what follows is the return of a loan
  }

  private static Violation violation(String name, Step.Delivery delivery) {
    return new Violation(
        name,
        String.format(
            "%s -> %s %s for %s",
            Names.of(delivery.from()),
            Names.of(delivery.to()),
            delivery.message(),
            Names.of(delivery.message().sink())));
  }

  @Override
  public @Nullable Violation after(Step step, Stage stage) {
    return stage.isFaulted() ? null : broken;
  }
}
