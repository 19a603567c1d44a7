package io.baton.cluster;

import io.baton.cluster.Frame.Hello;
import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.baton.member.Newcomer;
import io.baton.member.View;
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
  private final Identity identity;
  private final long process = new SecureRandom().nextLong();
  private final String address;
  private final Transport transport;
  private final EventLoop loop;
  private final ExecutorService callbacks;
  private final ExecutorService background;
  private final Host host;
  private final Meeting meeting;
  private final Voting voting;
  private final Succession succession;
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
  private boolean beginning;
  private boolean begun;

  private Node(NodeConfig config, Identity identity) throws IOException {
    this.config = config;
    this.identity = identity;
    this.transport =
        new Transport(
            "baton-" + identity.id(), this::hello, config.listens(), config.settings().lease());
    this.loop = transport.loop();
    this.callbacks = Threads.forCallbacks(identity.id());
    this.background = Executors.newCachedThreadPool(Threads.named("baton-work-" + identity.id()));
    Host made = null;
    try {
      this.address = bind();
      made =
          new Host(
              new Host.Origin(
                  identity.id(), address, identity.run(), config.settings(), config.rules()),
              Clock.ofThisMachine(),
              loop,
              callbacks);
      this.host = made;
      this.meeting = new Meeting(config, identity.id());
      this.voting =
          new Voting(
              config, identity, host, transport, this::onLoop, this::inBackground, this::fail);
      this.succession = new Succession(config, host, voting, this::onLoop, new Others());
      this.gathering = new Gathering(host, transport);
      Deadlocks deadlocks =
          new Deadlocks(host, gathering::of, config.deadlockAfter(), host::deadlocked);
      host.everySecond(
          () -> {
            lookForTheLoop();
            deadlocks.look();
          });
      this.outage = new Outage(identity.id(), config.settings().lease());
      this.missingVoters = new MissingVoters(identity.id(), config.settings().lease());
      addresses.putAll(identity.addresses());
      host.whenBroken(this::end);
      transport.onFailure(host::fail);
      transport.listenWith(new Ears()); // last: others may be at the door
    } catch (IOException | RuntimeException | Error e) {
      closed.set(true);
      transport.close();
      if (made != null) {
        made.close();
      }
      throw e;
    }
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
    Identity identity = Identity.open(config.data(), config.cluster(), config.name());
    Node node;
    try {
      node = new Node(config, identity);
    } catch (IOException | RuntimeException | Error e) {
      identity.close();
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
    LOG.info("{} of cluster \"{}\" begins at {}", identity.id(), config.cluster(), address);
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
                  identity.id(),
                  config.cluster(),
                  TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                  meeting.explain()),
          e);
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(failure(e).getMessage()), e);
    }
    if (config.shutdownHook()) {
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  private static Throwable failure(ExecutionException e) {
    return e.getCause() == null ? e : e.getCause();
  }

  private Hello hello() {
    return new Hello(
        FrameCodec.OLDEST,
        FrameCodec.VERSION,
        config.cluster(),
        identity.clusterId(),
        identity.id(),
        host.self().incarnation(),
        identity.run(),
        process,
        config.settings().lease(),
        config.foundsAlone() && config.listens() && !identity.belongs(),
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
      outage = new Outage(identity.id(), config.settings().lease());
    }
    outage.look(
        now < host.heldUntil() || host.isLeaving(),
        now,
        () ->
            admitted
                ? Outage.lacking(host.view(), voting.ids(), identity.id(), greetings.keySet())
                : meeting.explain());
  }

  /** Nothing that fails ends this: a timer that fails is not started again. */
  private void roundWhenDue() {
    try {
      if (System.nanoTime() - roundAt >= 0) {
        roundAt = System.nanoTime() + (begun && host.admitted().isDone() ? CALM_NANOS : 0);
        round();
      }
    } catch (Throwable e) {
      sayThatItGoesOn(e);
    }
  }

  private void sayThatItGoesOn(Throwable failure) {
    try {
      LOG.error("{}: not all was done that is due", identity.id(), failure);
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
      missingVoters.look(voting.ids(), greetings.keySet(), host.clock().now());
      if (!begun) {
        belong();
      } else {
        keepVoters();
      }
    } catch (IOException e) {
      fail(e);
    } catch (RuntimeException e) {
      LOG.error("{}: a defect, it goes on", identity.id(), e);
    }
  }

  private void keepVoters() {
    try {
      voting.keep(List.copyOf(greetings.keySet()), me());
    } catch (RuntimeException e) {
      LOG.error("{}: a defect, it goes on", identity.id(), e);
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

  /** Belongs to the cluster that others belong to, or founds one with them (R5). */
  private void belong() throws IOException {
    if (!identity.belongs()) {
      if (config.foundsAlone() && config.listens() && System.nanoTime() - waitsSince < patience()) {
        return; // those of a cluster that it founded before may call
      }
      List<Newcomer> founders = meeting.founders(greetings, me());
      if (founders.isEmpty()) {
        return;
      }
      UUID fresh = UUID.randomUUID();
      LOG.info("{} founds cluster \"{}\" with the id {}", identity.id(), config.cluster(), fresh);
      identity.found(fresh, founders.stream().map(Newcomer::id).toList());
      tellEverybody(new Frame.Founded(fresh));
    }
    if (beginning) {
      return;
    }
    if (identity.votes() || identity.founding().stream().allMatch(this::belongsWithUs)) {
      begin();
    }
  }

  private boolean belongsWithUs(String id) {
    Hello hello = greetings.get(id);
    return id.equals(identity.id())
        || (hello != null && hello.clusterId().equals(identity.clusterId()));
  }

  private long patience() {
    return Math.max(2_000_000_000L, config.settings().lease());
  }

  private Newcomer me() {
    return new Newcomer(identity.id(), address, identity.run());
  }

  /** Asks for its admission; where it votes, not before its log has turned out to be sound. */
  private void begin() throws IOException {
    beginning = true;
    List<Newcomer> founders = new ArrayList<>();
    for (String id : identity.founding()) {
      Hello hello = greetings.get(id);
      if (id.equals(identity.id())) {
        founders.add(me());
      } else if (hello != null) { // who is not there now joins later
        founders.add(Meeting.newcomer(hello));
      }
    }
    if (identity.isStillToFound()) {
      voting.found(founders, this::beginNow);
    } else if (identity.votes()) {
      voting.goOn(founders.isEmpty() ? List.of(me()) : founders, this::beginNow);
    } else {
      beginNow();
    }
  }

  private void beginNow() {
    begun = true;
    host.start(transport, this::installed, meeting::inUse);
    greetings.keySet().forEach(id -> host.connected(id, everybody()));
  }

  /** Every process that there is a connection to may turn out to lead. */
  private List<String> everybody() {
    List<String> all = new ArrayList<>(greetings.keySet());
    all.add(identity.id());
    return all;
  }

  private void installed(View view) {
    onLoop(
        () -> {
          addresses.clear();
          for (View.Place place : view.places()) {
            addresses.put(place.peer().id(), place.address());
          }
          addresses.remove(identity.id());
          Map<String, String> known = Map.copyOf(addresses);
          greetings.forEach(
              (id, hello) -> {
                if (!known.containsKey(id)) {
                  transport.send(id, new Frame.Known(known));
                }
                addresses.put(id, hello.address());
              });
          inBackground(
              () -> {
                try {
                  identity.founded();
                  identity.remember(view.number(), known);
                } catch (IOException e) {
                  LOG.warn("Cannot note the addresses of other members: {}", e.getMessage());
                }
              });
        });
  }

  private void adopt(UUID cluster) throws IOException {
    if (!identity.belongs()) {
      LOG.info("{} belongs to cluster {} now", identity.id(), cluster);
      identity.adopt(cluster);
      tellEverybody(new Frame.Founded(cluster));
    }
  }

  private void tellEverybody(Frame frame) {
    greetings.keySet().forEach(id -> transport.send(id, frame));
  }

  private void fail(IOException e) {
    if (closed.get()) {
      LOG.debug("{} is leaving", identity.id(), e);
      return;
    }
    LOG.error(
        "{} cannot {}: {}",
        identity.id(),
        host.admitted().isDone() ? "vote" : "go on",
        e.getMessage());
    failed.completeExceptionally(e);
  }

  private void onLoop(Runnable action) {
    try {
      loop.execute(() -> transport.perform(action));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is closed", identity.id(), e);
    }
  }

  private void inBackground(Runnable action) {
    try {
      background.execute(action);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is closed", identity.id(), e);
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
        identity.clusterId().toString(),
        host.view(),
        voting.ids(),
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
        new IOException(identity.id() + " came to an end by an error: " + defect, defect));
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
    try (identity) {
      try (transport;
          gathering;
          voting) {
        if (host.admitted().isDone() && !host.isBroken()) {
          succession.leave();
        }
      } finally {
        endThreads();
        host.close();
      }
    }
    LOG.info("{} has left", identity.id());
  }

  private void endThreads() {
    callbacks.shutdown();
    background.shutdown();
    try {
      if (!background.awaitTermination(ENDING_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("{} has left while something was under way", identity.id());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hurry(List<String> away) {
    voting.hurry(away);
    if (!voting.isChanging()) {
      keepVoters();
    }
  }

  /** Whom it leaves behind. */
  private final class Others implements Succession.Others {
    @Override
    public Set<String> there() {
      return greetings.keySet();
    }

    @Override
    public void hurry(List<String> away) {
      Node.this.hurry(away);
      tellEverybody(new Frame.Hurry(away));
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
      try {
        if (peer.belongs()) {
          adopt(peer.clusterId());
        } else if (identity.belongs()) {
          transport.send(peer.id(), new Frame.Founded(identity.clusterId()));
        }
        if (!begun) {
          belong();
        }
      } catch (IOException e) {
        fail(e);
      }
      if (begun) {
        if (peer.incarnation() == 0 || !isMember(peer.id())) {
          transport.send(peer.id(), new Frame.Known(placesInView()));
        }
        host.connected(peer.id(), everybody());
      }
    }

    private Map<String, String> placesInView() {
      Map<String, String> places = new LinkedHashMap<>();
      host.view().places().forEach(place -> places.put(place.peer().id(), place.address()));
      return places;
    }

    @Override
    public void disconnected(String id) {
      Hello gone = greetings.remove(id);
      if (gone != null && gone.founds() && gone.id().compareTo(identity.id()) < 0) {
        waitsSince = System.nanoTime(); // it may have founded, and come back
      }
      if (begun) {
        host.disconnected(id, everybody());
      }
    }

    @Override
    public void received(String from, Frame frame) {
      if (frame instanceof Frame.Carried carried) {
        if (begun) {
          host.receive(from, carried.packet());
        }
      } else if (frame instanceof Frame.Consensus consensus) {
        voting.receive(from, consensus.message());
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
          addresses.remove(identity.id());
        }
      } else if (frame instanceof Frame.Promote) {
        if (begun) {
          voting.promote(from, me());
        }
      } else if (frame instanceof Frame.Hurry hurry) {
        hurry(hurry.away());
      } else if (frame instanceof Frame.Ready) {
        voting.ready(from);
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
      if (known == null) {
        return;
      }
      Hello now = known.in(cluster);
      greetings.put(from, now);
      if (identity.belongs() && !cluster.equals(identity.clusterId())) {
        transport.putOut(from, Transport.otherCluster(hello(), now));
        return;
      }
      try {
        if (!identity.belongs()) {
          adopt(cluster);
        }
        if (!begun) {
          belong();
        }
      } catch (IOException e) {
        fail(e);
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
