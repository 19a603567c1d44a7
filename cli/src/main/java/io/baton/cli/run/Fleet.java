package io.baton.cli.run;

import io.baton.algorithms.Names;
import io.baton.simulator.BadInputException;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The processes of a system, one for each node. They end with the parent, whatever ends it. */
public final class Fleet implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60; // for processes to start
  private static final long FAREWELL_SECONDS = 2;

  private final SystemSpec spec;
  private final LockSystem system;
  private final long seed;
  private final long delta;
  private final List<Child> children = new CopyOnWriteArrayList<>(); // the latest of each node
  private final LinkedBlockingQueue<Child.Event> events = new LinkedBlockingQueue<>();
  private final Thread atShutdown = new Thread(this::killAll);

  private Fleet(SystemSpec spec, LockSystem system, long seed, long delta) {
    this.spec = spec;
    this.system = system;
    this.seed = seed;
    this.delta = delta;
  }

  /**
   * Starts a process for each node and opens the channels between them.
   *
   * @param delta the algorithms' δ, in milliseconds
   */
  public static Fleet start(SystemSpec spec, LockSystem system, long seed, long delta) {
    Fleet fleet = new Fleet(spec, system, seed, delta);
    Runtime.getRuntime().addShutdownHook(fleet.atShutdown);
    try {
      fleet.begin();
      return fleet;
    } catch (RuntimeException e) {
      fleet.close();
      throw e;
    }
  }

  private void begin() {
    for (int node = 0; node < system.size(); node++) {
      children.add(launch(node, 0));
    }
    awaitAll(Report.Kind.LISTENING);
    for (Child child : children) {
      List<Integer> peers = Setup.peers(spec, child.node());
      child.tell(
          new Command.Connect(
              peers.stream().filter(peer -> peer < child.node()).map(this::address).toList(),
              peers.size()));
    }
    awaitAll(Report.Kind.READY);
    children.forEach(Child::begin);
  }

  private Child launch(int node, int life) {
    try {
      return new Child(new Setup(spec, node, life, seed, delta), events);
    } catch (IOException e) {
      throw new UncheckedIOException("The process of node " + Names.of(node) + " won't start", e);
    }
  }

  private Command.Peer address(int node) {
    return new Command.Peer(node, children.get(node).port());
  }

  private void awaitAll(Report.Kind kind) {
    BitSet missing = new BitSet();
    missing.set(0, children.size());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!missing.isEmpty()) {
      Child.Event event = poll(deadline - System.nanoTime());
      if (event == null || event.report() == null) {
        int node = event == null ? missing.nextSetBit(0) : event.child().node();
        throw new BadInputException(
            "The process of node "
                + Names.of(node)
                + " does not start: take fewer nodes, or look above for what it says");
      }
      if (kind == Report.Kind.LISTENING) {
        event.child().listensAt(event.report().subject());
      }
      if (event.report().kind() == kind) { // else an alarm that no longer counts
        missing.clear(event.child().node());
      }
    }
  }

  /** Lets every node begin anew, over the same channels. */
  void renew() {
    children.forEach(child -> child.tell(new Command.Renew()));
    awaitAll(Report.Kind.READY);
  }

  /** Starts a process for a node that was killed. */
  void revive(int node) {
    children.set(node, launch(node, children.get(node).life() + 1));
  }

  /** A process that was started anew listens, or has all its channels. */
  void goOn(Child child, Report report) {
    if (report.kind() == Report.Kind.LISTENING) {
      child.listensAt(report.subject());
      List<Command.Peer> up =
          Setup.peers(spec, child.node()).stream()
              .filter(peer -> children.get(peer).isUp())
              .map(this::address)
              .toList();
      child.tell(new Command.Connect(up, up.size()));
    } else {
      child.begin();
    }
  }

  Child child(int node) {
    return children.get(node);
  }

  Stream<Child> up() {
    return children.stream().filter(Child::isUp);
  }

  SystemSpec spec() {
    return spec;
  }

  LockSystem system() {
    return system;
  }

  /** What happens next, or null where nothing does for so long. */
  Child.@Nullable Event poll(long nanos) {
    try {
      return events.poll(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The run was interrupted", e);
    }
  }

  boolean hasEvents() {
    return !events.isEmpty();
  }

  private void killAll() {
    children.forEach(child -> child.process().destroyForcibly());
  }

  @Override
  public void close() {
    children.forEach(Child::end);
    try {
      CompletableFuture.allOf(
              children.stream()
                  .map(child -> child.process().onExit())
                  .toArray(CompletableFuture<?>[]::new))
          .completeOnTimeout(null, FAREWELL_SECONDS, TimeUnit.SECONDS)
          .join();
      killAll();
      Runtime.getRuntime().removeShutdownHook(atShutdown);
    } catch (IllegalStateException e) {
      // the parent is ending, and the hook has ended them
    }
  }
}
