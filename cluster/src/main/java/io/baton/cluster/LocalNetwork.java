package io.baton.cluster;

import io.baton.member.ClusterState;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Shape;
import io.baton.member.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Members of one process: packets go from thread to thread, and the state that they agree on is one
 * that they share. One of them leads as long as it lives and is not cut off.
 */
public final class LocalNetwork {
  private record Site(Host host, ScheduledExecutorService loop, Gathering gathering) {}

  private final Map<String, Site> sites = new LinkedHashMap<>(); // guarded by this
  private ClusterState state = ClusterState.NONE; // guarded by this
  private final Set<String> isolated = ConcurrentHashMap.newKeySet();
  private @Nullable String leader; // guarded by this
  private long term; // guarded by this

  /** Adds a member that takes part from the beginning. */
  public synchronized Gathering add(Host host, ScheduledExecutorService loop) {
    String id = host.origin().id();
    Gathering gathering = new Gathering(host, post(id, loop));
    sites.put(id, new Site(host, loop, gathering));
    return gathering;
  }

  /**
   * Begins. Nobody can have been granted anything by a cluster that did not exist before, so it
   * opens at once.
   */
  public synchronized void start(Shape tree) {
    List<View.Place> places = new ArrayList<>();
    for (Site site : sites.values()) {
      Host.Origin origin = site.host().origin();
      places.add(new View.Place(new Peer(origin.id(), 1), origin.address(), origin.run()));
    }
    state = new ClusterState(new View(1, 1, places.size(), tree, places), true, false);
    List<String> all = List.copyOf(sites.keySet());
    for (String id : all) {
      tell(id, host -> host.votesBy(new SharedLog(id)));
    }
    elect();
    for (String id : all) { // who leads comes first, to be able to answer
      for (String other : all) {
        if (!other.equals(id)) {
          tell(id, host -> host.connected(other, all)); // whom to ask for its admission
        }
      }
      tell(id, host -> host.start(new Courier(id), view -> {}, () -> {}));
    }
  }

  /** Cuts a member off from all others. */
  public synchronized void isolate(String id) {
    if (isolated.add(id) && leader != null && (id.equals(leader) || !isMajorityConnected())) {
      tell(leader, Host::deposed);
      elect();
    }
  }

  /** Connects it again. */
  public synchronized void reconnect(String id) {
    isolated.remove(id);
    if (leader == null) {
      elect();
    }
  }

  /** How a member asks the others what they know of locks. */
  private Gathering.Post post(String from, ScheduledExecutorService loop) {
    return new Gathering.Post() {
      @Override
      public ScheduledExecutorService loop() {
        return loop;
      }

      @Override
      public List<String> connected() {
        return reachedFrom(from);
      }

      @Override
      public void send(String to, Frame frame) {
        Site site = reach(from, to);
        if (site != null && frame instanceof Frame.Ask ask) {
          run(site, host -> site.gathering().answer(from, ask));
        } else if (site != null && frame instanceof Frame.Answer answer) {
          run(site, host -> site.gathering().answered(from, answer));
        } else if (site != null) {
          throw new IllegalArgumentException(
              "A frame that members of one process know not: " + frame);
        }
      }
    };
  }

  private synchronized List<String> reachedFrom(String from) {
    return sites.keySet().stream()
        .filter(to -> !to.equals(from) && reach(from, to) != null)
        .toList();
  }

  Standing standing(Host host) {
    View view = host.view(); // outside: a host asks this network for things under its guard
    synchronized (this) {
      return new Standing("local", "local", view, List.copyOf(sites.keySet()), leader);
    }
  }

  /** A member is gone. */
  synchronized void remove(String id) {
    sites.remove(id);
    if (id.equals(leader)) {
      elect();
    }
  }

  private boolean isMajorityConnected() {
    long connected = sites.keySet().stream().filter(id -> !isolated.contains(id)).count();
    return 2 * connected > sites.size();
  }

  /** The first that is there and connected leads, if more than half are. */
  private void elect() {
    leader = null;
    for (String id : sites.keySet()) {
      if (!isolated.contains(id) && isMajorityConnected()) {
        leader = id;
        long newTerm = ++term;
        ClusterState found = state;
        tell(id, host -> host.elected(newTerm, host.clock().now()));
        tell(id, host -> host.committed(newTerm, found));
        return;
      }
    }
  }

  private void tell(String id, Consumer<Host> event) {
    Site site = sites.get(id);
    if (site != null) {
      run(site, event);
    }
  }

  private static void run(Site site, Consumer<Host> event) {
    try {
      site.loop().execute(() -> event.accept(site.host()));
    } catch (RejectedExecutionException e) {
      // It is gone; what is sent to it gets lost.
    }
  }

  private synchronized @Nullable Site reach(String from, String to) {
    return isolated.contains(from) || isolated.contains(to) ? null : sites.get(to);
  }

  /** Takes packets from thread to thread; in order, whoever flushes. */
  private final class Courier implements Carrier {
    private record Outgoing(String to, Packet packet) {}

    private final String from;
    private final Queue<Outgoing> outbox = new ConcurrentLinkedQueue<>();
    private final ReentrantLock drain = new ReentrantLock();

    Courier(String from) {
      this.from = from;
    }

    @Override
    public void send(String to, Packet packet) {
      outbox.add(new Outgoing(to, packet));
    }

    @Override
    public void flush() {
      drain.lock();
      try {
        for (Outgoing next = outbox.poll(); next != null; next = outbox.poll()) {
          Packet packet = next.packet();
          Site site = reach(from, next.to());
          if (site != null) {
            run(site, host -> host.receive(from, packet));
          }
        }
      } finally {
        drain.unlock();
      }
    }

    @Override
    public void close() {}
  }

  /** The shared state, as one member sees it. */
  private final class SharedLog implements AgreedLog {
    private final String id;

    SharedLog(String id) {
      this.id = id;
    }

    @Override
    public void publish(ClusterState next) {
      synchronized (LocalNetwork.this) {
        if (id.equals(leader) && next.view().number() == state.view().number() + 1) {
          long itsTerm = term;
          state = next;
          tell(id, host -> host.committed(itsTerm, next));
        }
      }
    }

    @Override
    public void confirm(long asked, long batch) {
      synchronized (LocalNetwork.this) {
        if (id.equals(leader) && asked == term) {
          tell(id, host -> host.confirmed(asked, batch));
        }
      }
    }

    @Override
    public void close() {}
  }
}
