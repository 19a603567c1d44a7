package io.baton.cli.run;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.algorithms.Revival;
import io.baton.simulator.system.LockSystem;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process of one node: its channels, and one thread in which all happens to it. Commands come
 * on standard input, reports go to standard output; when the input ends, so does the process.
 */
public final class NodeProcess implements Host.Outlet {
  private static final long MILLI = 1_000_000;
  private static final long NAP = 100_000;
  private static final int DEFECT = 70;

  private final Setup setup;
  private final LockSystem system;
  private final boolean told; // whether nodes are told when a channel fails
  private final List<Integer> peers;
  private final DataOutputStream reports;
  private final Selector selector = Selector.open();
  private final ServerSocketChannel door = ServerSocketChannel.open();
  private final Queue<Command> commands = new ConcurrentLinkedQueue<>();
  private final Map<Integer, Link> links = new TreeMap<>(); // by peer
  private final List<Link> strangers = new ArrayList<>(); // have not said yet who they are
  private final Map<Integer, Boolean> down = new HashMap<>(); // not told yet; whether for good
  private Host host;
  private int channels = Integer.MAX_VALUE; // how many there will be when this node is ready
  private boolean ready;
  private boolean begun;

  private NodeProcess(Setup setup, DataOutputStream reports) throws IOException {
    this.setup = setup;
    this.system = setup.build();
    this.told = system.channels() != null;
    this.peers = Setup.peers(setup.system(), setup.node());
    this.reports = reports;
    this.host = newHost();
  }

  /** Runs until the parent closes standard input. */
  public static void main(String[] args) {
    DataOutputStream reports =
        new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
    System.setOut(System.err); // nobody else writes between the reports
    try {
      DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
      NodeProcess process = new NodeProcess(Setup.read(in), reports);
      Rehearsal.of(process.setup, process.system);
      Thread listener = new Thread(() -> process.listen(in), "commands");
      listener.setDaemon(true);
      listener.start();
      process.run();
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(DEFECT);
    }
  }

  private void listen(DataInputStream in) {
    try {
      while (true) {
        commands.add(Command.read(in));
        selector.wakeup();
      }
    } catch (IOException e) {
      Runtime.getRuntime().halt(0); // the parent is gone, or wants this to end
    }
  }

  private Host newHost() {
    return new Host(setup.node(), system, setup.delta(), this);
  }

  private void run() throws IOException {
    door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), system.size());
    door.configureBlocking(false);
    door.register(selector, SelectionKey.OP_ACCEPT);
    int port = ((InetSocketAddress) door.getLocalAddress()).getPort();
    report(Report.of(Report.Kind.LISTENING, port));
    while (true) {
      await(host.work());
      for (SelectionKey key : selector.selectedKeys()) {
        if (key.attachment() instanceof Link link) {
          attend(link, key);
        } else {
          admit();
        }
      }
      selector.selectedKeys().clear();
      for (Command command = commands.poll(); command != null; command = commands.poll()) {
        obey(command);
      }
    }
  }

  /** Selectors count in milliseconds, but a critical section may be shorter. */
  private void await(long nanos) throws IOException {
    if (nanos >= MILLI) {
      selector.select(nanos / MILLI);
    } else if (selector.selectNow() == 0 && commands.isEmpty()) {
      LockSupport.parkNanos(Math.min(nanos, NAP));
    }
  }

  private void admit() throws IOException {
    for (SocketChannel socket = door.accept(); socket != null; socket = door.accept()) {
      strangers.add(new Link(socket, selector));
    }
  }

  private void attend(Link link, SelectionKey key) {
    if (key.isValid() && key.isWritable()) {
      link.flush();
    }
    link.read();
    if (strangers.contains(link) && link.isGreeted()) {
      strangers.remove(link);
      meet(link);
    }
    handle(link);
  }

  /** The other end has said who it is. */
  private void meet(Link link) {
    Link former = links.get(link.peer());
    if (former != null) { // of a life that is over, as all that it said has come
      former.read();
      handle(former);
    }
    if (links.put(link.peer(), link) != null) {
      throw new IllegalStateException("A second channel to " + Names.of(link.peer()));
    }
    link.greet(setup.node(), setup.life()); // who opened the channel has done so before
    if (begun && told) {
      host.found(link.peer(), link.life());
    }
    becomeReady();
  }

  private void becomeReady() {
    if (!ready && links.size() == channels && links.values().stream().allMatch(Link::isGreeted)) {
      ready = true;
      report(Report.of(Report.Kind.READY, setup.node()));
    }
  }

  /** Handles all that has come over a channel, and then that it has ended, if it has. */
  private void handle(Link link) {
    if (!begun) {
      if (link.peer() == Algorithm.NIL && link.isGreeted()) {
        becomeReady();
      }
      return;
    }
    for (Message message = link.next(told); message != null; message = link.next(told)) {
      host.receive(link.peer(), link.life(), message);
    }
    if (link.isOver()) {
      if (told) {
        tellLoss(link.peer());
      } else {
        links.remove(link.peer(), link);
      }
    }
  }

  /** Tells of a node that is down, once nothing more can come from it. */
  private void tellLoss(int node) {
    Link link = links.get(node);
    Boolean forGood = down.get(node);
    if (forGood != null && (link == null || link.isOver())) {
      down.remove(node);
      links.remove(node);
      host.lost(node, forGood, link == null ? List.of() : link.unsent());
    }
  }

  private void obey(Command command) throws IOException {
    if (command instanceof Command.Connect connect) {
      connect(connect);
    } else if (command instanceof Command.Begin) {
      begin();
    } else if (command instanceof Command.Enter enter) {
      host.arrive(enter.resource(), enter.hold());
    } else if (command instanceof Command.Down gone) {
      down.put(gone.node(), gone.forGood());
      tellLoss(gone.node());
    } else {
      host = newHost();
      report(Report.of(Report.Kind.READY, setup.node()));
    }
  }

  private void connect(Command.Connect connect) throws IOException {
    channels = connect.channels();
    for (Command.Peer peer : connect.peers()) {
      SocketChannel socket =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port()));
      Link link = new Link(socket, selector);
      links.put(peer.node(), link);
      link.greet(setup.node(), setup.life());
    }
    becomeReady();
  }

  private void begin() {
    begun = true;
    if (setup.life() > 0) {
      List<Revival.Neighbour> neighbours = new ArrayList<>();
      if (told) {
        links.forEach((peer, link) -> neighbours.add(new Revival.Neighbour(peer, link.life())));
      }
      host.recover(new Revival(setup.life(), List.copyOf(neighbours)));
    }
    List.copyOf(links.values()).forEach(this::handle); // may have come before
  }

  @Override
  public Report.@Nullable Sent route(int to, Message message) {
    Link link = links.get(to);
    if (!peers.contains(to) || (link == null && told)) {
      throw new Host.Broken(
          "every message goes over a channel",
          Names.of(setup.node()) + " sent " + message + " to " + Names.of(to));
    }
    if (link == null || !link.isOver()) {
      return new Report.Sent(to, link == null ? Report.NOBODY : link.life(), message);
    }
    link.keep(message); // only where nodes are told; else a link that is over is forgotten
    return null;
  }

  @Override
  public void performed(Report report) {
    report(report);
    for (Report.Sent sent : report.sent()) {
      Link link = links.get(sent.to());
      if (link != null && sent.life() != Report.NOBODY) {
        link.send(sent.message(), told);
      }
    }
  }

  private void report(Report report) {
    try {
      report.write(reports);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
