package io.baton.cluster;

import io.baton.agreement.Configuration;
import io.baton.member.ClusterState;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Shape;
import io.baton.member.View;
import io.baton.member.VotingMember;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Members of one process: packets go from thread to thread, and what they agree on is kept in
 * memory. All of them vote, or all but one where they are an even number.
 */
public final class LocalNetwork {
  private static final String CLUSTER = "local";

  private record Site(Host host, ScheduledExecutorService loop, Gathering gathering) {}

  private final Map<String, Site> sites = new LinkedHashMap<>(); // guarded by this
  private final Set<String> isolated = ConcurrentHashMap.newKeySet();
  private volatile boolean ending;

  /** How many of so many members vote. */
  public static int voters(int members) {
    return members - 1 + members % 2;
  }

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
      VotingMember.Origin origin = site.host().origin();
      places.add(new View.Place(new Peer(origin.id(), 1), origin.address(), origin.run()));
    }
    View view = new View(1, 1, places.size(), tree, places);
    List<String> all = List.copyOf(sites.keySet());
    Configuration voters = new Configuration(all.subList(0, voters(all.size())));
    for (String id : all) {
      for (String other : all) {
        if (!other.equals(id)) {
          tell(id, host -> host.connected(other, all)); // whom to ask for its admission
        }
      }
      Courier courier = new Courier(id, site(id).loop());
      tell(id, host -> host.start(courier, installed -> {}, () -> {}));
    }
    String first = voters.voters().get(0);
    tell(first, host -> host.found(CLUSTER, new ClusterState(view, true, false, 0), voters));
  }

  /** All members are about to leave: none of them has others go on without it. */
  public void end() {
    ending = true;
  }

  boolean isEnding() {
    return ending;
  }

  /** Cuts a member off from all others. */
  public void isolate(String id) {
    isolated.add(id);
    tell(id, host -> host.isolate(true));
  }

  /** Connects it again. */
  public void reconnect(String id) {
    isolated.remove(id);
    tell(id, host -> host.isolate(false));
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

  static Standing standing(Host host) {
    return new Standing(
        CLUSTER, CLUSTER, host.view(), host.voters(), host.areVotersFrozen(), host.leader());
  }

  /** A member is gone. */
  synchronized void remove(String id) {
    sites.remove(id);
  }

  private Site site(String id) {
    return Objects.requireNonNull(sites.get(id));
  }

  private synchronized void tell(String id, Consumer<Host> event) {
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

  /**
   * Takes packets from thread to thread, in order: on the loop of who sends. A caller, which may be
   * a virtual thread that loses its carrier wherever it waits, only wakes that.
   */
  private final class Courier implements Carrier {
    private record Outgoing(String to, Packet packet) {}

    private final String from;
    private final ScheduledExecutorService loop;
    private final Queue<Outgoing> outbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drains = new AtomicBoolean();

    Courier(String from, ScheduledExecutorService loop) {
      this.from = from;
      this.loop = loop;
    }

    @Override
    public void send(String to, Packet packet) {
      outbox.add(new Outgoing(to, packet));
    }

    @Override
    public void flush() {
      if (!outbox.isEmpty() && drains.compareAndSet(false, true)) {
        try {
          loop.execute(this::drain);
        } catch (RejectedExecutionException e) {
          // It is gone, and says nothing any more.
        }
      }
    }

    private void drain() {
      drains.set(false);
      for (Outgoing next = outbox.poll(); next != null; next = outbox.poll()) {
        Packet packet = next.packet();
        Site site = reach(from, next.to());
        if (site != null) {
          run(site, host -> host.receive(from, packet));
        }
      }
    }

    @Override
    public void close() {}
  }
}
