package io.baton.cluster;

import io.baton.agreement.Configuration;
import io.baton.cluster.Frame.Hello;
import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.baton.member.ClusterState;
import io.baton.member.Newcomer;
import io.baton.member.View;
import io.baton.member.VotingMember;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member on a machine of its own: finds the others, belongs to a cluster or founds one with them,
 * votes where it is asked to, and leaves.
 */
public final class Node implements Shell {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final long ROUND_MILLIS = 200; // between two rounds, until it has joined
  private static final long CALM_NANOS = 1_000_000_000L; // later
  private static final int ENDING_SECONDS = 5; // for what is under way; a name may take longer

  private final NodeConfig config;
  private final DataFolder folder;
  private final DiskWriter disk;
  private final long process = new SecureRandom().nextLong();
  private final String address;
  private final Transport transport;
  private final EventLoop loop;
  private final ExecutorService callbacks;
  private final ExecutorService background;
  private final Host host;
  private final Meeting meeting;
  private final Thread hook = new Thread(this::close, "baton-shutdown");
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Runnable beforeClosing = () -> {};
  private boolean ending; // by a defect; on the thread that sees to it
  private final CompletableFuture<Void> failed = new CompletableFuture<>();
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final Gathering gathering;
  private Outage outage;
  private final MissingVoters missingVoters;
  private boolean admitted;

  // On the loop.
  private final Map<String, String> addresses = new LinkedHashMap<>(); // of members, by id
  private final Map<String, Hello> greetings = new LinkedHashMap<>(); // of those connected, by id
  private final Set<String> dialing = new LinkedHashSet<>(); // addresses whose names are looked up
  private long waitsSince = System.nanoTime(); // for others, before it founds a cluster alone
  private long roundAt = System.nanoTime(); // when the next one is due
  private boolean saidWhere; // to which cluster it belongs

  private Node(NodeConfig config, DataFolder folder) throws IOException {
    this.config = config;
    this.folder = folder;
    this.disk = new DiskWriter(folder);
    this.transport =
        new Transport(
            "baton-" + folder.id(), this::hello, config.listens(), config.settings().lease());
    this.loop = transport.loop();
    this.callbacks = Threads.forCallbacks(folder.id());
    this.background = Executors.newCachedThreadPool(Threads.named("baton-work-" + folder.id()));
    Host made = null;
    try {
      this.address = bind();
      made =
          new Host(
              origin(),
              folder.register(),
              (state, ticket, done) -> disk.write(state, ticket, () -> written(done)),
              Clock.ofThisMachine(),
              loop,
              callbacks);
      this.host = made;
      this.meeting = new Meeting(config, folder.id());
      this.gathering = new Gathering(host, transport);
      Deadlocks deadlocks =
          new Deadlocks(host, gathering::of, config.deadlockAfter(), host::deadlocked);
      host.everySecond(
          () -> {
            lookForTheLoop();
            deadlocks.look();
          });
      this.outage = new Outage(folder.id(), config.settings().lease());
      this.missingVoters = new MissingVoters(folder.id(), config.settings().lease());
      addresses.putAll(folder.addresses());
      host.whenBroken(this::end);
      transport.onFailure(host::fail);
      saidWhere = folder.belongs();
      host.start(transport, this::installed, meeting::inUse);
      transport.listenWith(new Ears()); // last: others may be at the door
    } catch (IOException | RuntimeException | Error e) {
      closed.set(true);
      transport.close();
      disk.close();
      callbacks.shutdown();
      background.shutdown();
      if (made != null) {
        made.close();
      }
      throw e;
    }
  }

  private VotingMember.Origin origin() {
    return new VotingMember.Origin(
        folder.id(),
        address,
        folder.run(),
        folder.deadSince(),
        config.settings(),
        config.rules(),
        config.voters(),
        config.replaceVoterAfter().toNanos(),
        process);
  }

  private String bind() throws IOException {
    if (!config.listens()) {
      return "nowhere";
    }
    InetSocketAddress bound;
    try {
      bound = transport.bind(config.bind());
    } catch (IOException e) {
      throw new IOException(
          "Cannot listen at %s: %s. Set bind to an address of this machine, and a port of its own"
              .formatted(config.bind(), e.getMessage()),
          e);
    }
    InetAddress at = bound.getAddress();
    return config.advertise().orElse(at.getHostAddress() + ":" + bound.getPort());
  }

  /** Starts a member, and waits until it is one. */
  public static Node start(NodeConfig config) throws IOException, InterruptedException {
    DataFolder folder =
        DataFolder.open(config.data(), config.cluster(), config.name(), config.restartProof());
    Node node;
    try {
      node = new Node(config, folder);
    } catch (IOException | RuntimeException | Error e) {
      folder.close();
      throw e;
    }
    try {
      node.join();
      return node;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      node.close();
      throw e;
    }
  }

  private void join() throws IOException, InterruptedException {
    LOG.info("{} of cluster \"{}\" begins at {}", folder.id(), config.cluster(), address);
    var unused =
        loop.scheduleWithFixedDelay(this::roundWhenDue, 0, ROUND_MILLIS, TimeUnit.MILLISECONDS);
    long start = System.nanoTime();
    try {
      CompletableFuture.anyOf(host.admitted(), failed)
          .get(config.joinTimeout().toNanos(), TimeUnit.NANOSECONDS);
      long rest = 2 * config.settings().lease(); // of a cluster that was just founded
      CompletableFuture.anyOf(host.joined(), failed)
          .get(
              start + config.joinTimeout().toNanos() + rest - System.nanoTime(),
              TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException(
          "%s could not join cluster \"%s\" within %d s: %s"
              .formatted(
                  folder.id(),
                  config.cluster(),
                  TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                  explain()),
          e);
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(failure(e).getMessage()), e);
    }
    if (config.shutdownHook()) {
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  /** Why this member has not been admitted, in words. */
  private String explain() {
    List<String> lacking = host.lackingFounders();
    return lacking.isEmpty()
        ? meeting.explain()
        : "the cluster is being founded, and waits for "
            + String.join(", ", lacking)
            + ": if one of them lost its data folder, give all of them empty ones";
  }

  private static Throwable failure(ExecutionException e) {
    return e.getCause() == null ? e : e.getCause();
  }

  private Hello hello() {
    return new Hello(
        FrameCodec.OLDEST,
        FrameCodec.VERSION,
        config.cluster(),
        folder.clusterId(),
        folder.id(),
        host.self().incarnation(),
        folder.run(),
        process,
        config.settings().lease(),
        config.foundsAlone() && config.listens() && !folder.belongs(),
        address);
  }

  // What is done again and again, on the loop.

  /** Not on the loop: that it has ended is told (by Transport) only where there is memory to. */
  private void lookForTheLoop() {
    if (loop.isShutdown() && !closed.get()) {
      host.fail(new IllegalStateException("The event loop has ended"));
    }
  }

  private void sayWhetherItCanHold() {
    long now = host.clock().now();
    if (!admitted && host.admitted().isDone()) { // how long it waited for that is another matter
      admitted = true;
      outage = new Outage(folder.id(), config.settings().lease());
    }
    outage.look(
        now < host.heldUntil() || host.isLeaving(),
        now,
        () ->
            admitted
                ? Outage.lacking(host.view(), host.voters(), folder.id(), greetings.keySet())
                : explain());
  }

  /** Nothing that fails ends this: a timer that fails is not started again. */
  private void roundWhenDue() {
    try {
      if (System.nanoTime() - roundAt >= 0) {
        roundAt = System.nanoTime() + (host.admitted().isDone() ? CALM_NANOS : 0);
        round();
      }
    } catch (Throwable e) {
      sayThatItGoesOn(e);
    }
  }

  private void sayThatItGoesOn(Throwable failure) {
    try {
      LOG.error("{}: not all was done that is due", folder.id(), failure);
      if (failure instanceof Error error) {
        transport.failed(error);
      }
    } catch (Throwable e) {
      // There is not even memory to say so; the next round is soon.
    }
  }

  private void round() {
    try {
      dial();
      sayWhetherItCanHold();
      missingVoters.look(host.voters(), greetings.keySet(), host.clock().now());
      if (host.cluster().isEmpty()) {
        found();
      }
    } catch (RuntimeException e) {
      LOG.error("{}: a defect, it goes on", folder.id(), e);
    }
  }

  private void dial() {
    List<String> wanted = new ArrayList<>();
    addresses.forEach(
        (id, where) -> {
          boolean there = transport.isConnected(id);
          if (!there && !meeting.isSettled(where, transport::isConnected)) {
            wanted.add(where);
          }
        });
    for (String seed : meeting.toLookFor(transport::isConnected)) {
      if (!wanted.contains(seed)) {
        wanted.add(seed);
      }
    }
    if (meeting.wantsNames()) {
      inBackground(meeting::resolve);
    }
    wanted.stream().filter(dialing::add).forEach(this::dialInBackground);
  }

  private void dialInBackground(String where) {
    try {
      inBackground(
          () -> {
            try {
              dialOne(where);
            } finally {
              onLoop(() -> dialing.remove(where));
            }
          });
    } catch (OutOfMemoryError e) { // no thread to be had: the next round tries again
      dialing.remove(where);
      throw e;
    }
  }

  /** Away from the loop: names may take long to be resolved. */
  private void dialOne(String where) {
    int colon = Math.max(where.lastIndexOf(':'), 0); // others may tell what they like
    String name = where.substring(0, colon).replaceAll("[\\[\\]]", "");
    try {
      InetAddress at = InetAddress.getByName(name);
      InetSocketAddress socket =
          new InetSocketAddress(at, Integer.parseInt(where.substring(colon + 1)));
      onLoop(() -> transport.dial(where, socket));
    } catch (UnknownHostException e) {
      onLoop(() -> meeting.unreachable(where, "no such host: " + name));
    } catch (IllegalArgumentException e) {
      onLoop(() -> meeting.unreachable(where, "no address"));
    }
  }

  /** Founds a cluster with those that are expected, where it is for this one to do so (R5). */
  private void found() {
    if (config.foundsAlone() && config.listens() && System.nanoTime() - waitsSince < patience()) {
      return; // those of a cluster that it founded before may call
    }
    List<Newcomer> founders = meeting.founders(greetings, me());
    if (!founders.isEmpty()) {
      UUID fresh = UUID.randomUUID();
      LOG.info("{} founds cluster \"{}\" with the id {}", folder.id(), config.cluster(), fresh);
      int voters = Math.min(config.voters(), founders.size());
      host.found(
          fresh.toString(),
          ClusterState.founded(config.tree(), founders, !config.listens(), Host.minutes())
              .withLease(config.settings().lease()),
          new Configuration(
              founders.stream()
                  .map(Newcomer::id)
                  .sorted() // this one is the first of them, and stands for election at once
                  .limit(LocalNetwork.voters(voters))
                  .toList()));
    }
  }

  private long patience() {
    return Math.max(2_000_000_000L, config.settings().lease());
  }

  private Newcomer me() {
    return new Newcomer(folder.id(), address, folder.run());
  }

  /** Something was written that this member must not forget; off the loop. */
  private void written(Runnable done) {
    done.run();
    onLoop(this::sayWhere);
  }

  /** Tells others to which cluster it belongs, once that is certain to be on the disk. */
  private void sayWhere() {
    if (!saidWhere && folder.belongs()) {
      saidWhere = true;
      LOG.info("{} belongs to cluster {}", folder.id(), folder.clusterId());
      greetings.keySet().forEach(id -> transport.send(id, new Frame.Founded(folder.clusterId())));
    }
  }

  /** Every process that there is a connection to may turn out to lead. */
  private List<String> everybody() {
    List<String> all = new ArrayList<>(greetings.keySet());
    all.add(folder.id());
    return all;
  }

  private void installed(View view) {
    onLoop(
        () -> {
          addresses.clear();
          for (View.Place place : view.places()) {
            addresses.put(place.peer().id(), place.address());
          }
          addresses.remove(folder.id());
          Map<String, String> known = Map.copyOf(addresses);
          greetings.forEach(
              (id, hello) -> {
                if (!known.containsKey(id)) {
                  transport.send(id, new Frame.Known(known));
                }
                addresses.put(id, hello.address());
              });
          disk.execute(
              () -> {
                try {
                  folder.remember(view.number(), known);
                } catch (IOException e) {
                  LOG.warn("Cannot note the addresses of other members: {}", e.getMessage());
                }
              });
        });
  }

  /** A process belongs to a cluster: so does this one, if it belongs to none. */
  private void adopt(Hello peer) {
    String cluster = peer.clusterId().toString();
    if (host.cluster().isEmpty()) {
      host.adopt(cluster);
    } else if (!host.cluster().equals(cluster)) {
      transport.putOut(peer.id(), Transport.otherCluster(hello(), peer));
    }
  }

  /** The thread of its connections and timers. */
  EventLoop loop() {
    return loop;
  }

  void onLoop(Runnable action) {
    try {
      loop.execute(() -> transport.perform(action));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is closed", folder.id(), e);
    }
  }

  private void inBackground(Runnable action) {
    try {
      background.execute(action);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is closed", folder.id(), e);
    }
  }

  // What a member tells its user.

  @Override
  public Host host() {
    return host;
  }

  @Override
  public CompletableFuture<LockReports> locks() {
    return gathering.ofAll();
  }

  @Override
  public CompletableFuture<LockReports> lock(String name) {
    return gathering.of(name);
  }

  @Override
  public CompletableFuture<LockReports> lockAtAll(String name) {
    return gathering.ofAllAbout(name);
  }

  @Override
  public Standing standing() {
    return new Standing(
        config.cluster(),
        host.cluster(),
        host.view(),
        host.voters(),
        host.areVotersFrozen(),
        host.leader());
  }

  @Override
  public void whenClosing(Runnable action) {
    beforeClosing = action;
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      left.join(); // a process that is ending must not end before this member has left
      return;
    }
    try {
      beforeClosing.run();
      leave();
    } finally {
      left.complete(null);
      forgetHook();
    }
  }

  private void forgetHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook); // not before: a process may end at any time
    } catch (IllegalStateException e) {
      LOG.debug("The process is ending", e);
    }
  }

  /** A defect has ended the member. */
  private void end() {
    Throwable defect = host.brokenBy();
    failed.completeExceptionally(
        new IOException(folder.id() + " came to an end by an error: " + defect, defect));
    if (!ending && !closed.compareAndSet(false, true)) {
      left.join();
      return;
    }
    ending = true; // whatever of it fails is tried again
    leave();
    left.complete(null);
    forgetHook();
  }

  /** Whatever fails on the way, the rest is closed too: its folder last, to be alone in it. */
  private void leave() {
    try (folder;
        disk) {
      try (transport;
          gathering) {
        if (host.admitted().isDone() && !host.isBroken()) {
          Leaving.await(host);
        }
      } finally {
        endThreads();
        host.close();
      }
    }
    LOG.info("{} has left", folder.id());
  }

  private void endThreads() {
    callbacks.shutdown();
    background.shutdown();
    try {
      if (!background.awaitTermination(ENDING_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("{} has left while something was under way", folder.id());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What connections tell. */
  private final class Ears implements Transport.Listener {
    @Override
    public boolean isMember(String id) {
      return host.view().of(id) != null;
    }

    @Override
    public void met(String where, Hello peer) {
      meeting.met(where, peer);
    }

    @Override
    public void connected(Hello peer) {
      greetings.put(peer.id(), peer);
      addresses.put(peer.id(), peer.address());
      if (peer.belongs()) {
        adopt(peer);
      } else if (folder.belongs()) {
        transport.send(peer.id(), new Frame.Founded(folder.clusterId()));
      }
      if (host.cluster().isEmpty()) {
        found();
      }
      if (peer.incarnation() == 0 || !isMember(peer.id())) {
        transport.send(peer.id(), new Frame.Known(placesInView()));
      }
      host.connected(peer.id(), everybody());
    }

    private Map<String, String> placesInView() {
      Map<String, String> places = new LinkedHashMap<>();
      host.view().places().forEach(place -> places.put(place.peer().id(), place.address()));
      return places;
    }

    @Override
    public void disconnected(String id) {
      Hello gone = greetings.remove(id);
      if (gone != null && gone.founds() && gone.id().compareTo(folder.id()) < 0) {
        waitsSince = System.nanoTime(); // it may have founded, and come back
      }
      host.disconnected(id, everybody());
    }

    @Override
    public void received(String from, Frame frame) {
      if (frame instanceof Frame.Carried carried) {
        host.receive(from, carried.packet());
      } else if (frame instanceof Frame.Founded founded) {
        onFounded(from, founded.clusterId());
      } else if (frame instanceof Frame.Known known) {
        if (known.addresses().size() <= View.MOST_MEMBERS) {
          known
              .addresses()
              .forEach(
                  (id, where) -> {
                    if (!transport.isConnected(id)) {
                      addresses.put(id, where);
                    }
                  });
          addresses.remove(folder.id());
        }
      } else if (frame instanceof Frame.Ask ask) {
        inBackground(() -> gathering.answer(from, ask));
      } else if (frame instanceof Frame.Answer answer) {
        gathering.answered(from, answer);
      } else if (frame instanceof Frame.Ping
          || frame instanceof Hello
          || frame instanceof Refusal) {
        LOG.debug("{} says {}", from, frame); // it is there: that is all that there is to it
      } else {
        throw new IllegalArgumentException("A frame of unknown kind: " + frame);
      }
    }

    private void onFounded(String from, UUID cluster) {
      Hello known = greetings.get(from);
      if (known != null) {
        Hello now = known.in(cluster);
        greetings.put(from, now);
        adopt(now);
      }
    }

    @Override
    public void refused(String where, Refusal refusal) {
      if (refusal.reason() == Reason.SELF) {
        meeting.met(where, hello());
      } else {
        meeting.unreachable(where, refusal.text());
      }
    }

    @Override
    public void unreachable(String where, String why) {
      meeting.unreachable(where, why);
    }
  }
}
