package io.baton.cluster;

import io.baton.cluster.raft.RatisLog;
import io.baton.member.ClusterState;
import io.baton.member.Settings;
import io.baton.member.View;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This member as a voter; and where it leads, the care for the others: there should be as many as
 * wished, an odd number, and all of them members. Who is to vote is asked to be ready, and then
 * added by the log's own means, once it has caught up (R3).
 */
final class Voters implements AgreedLog, RatisLog.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Voters.class);
  private static final Duration SHORTEST_ELECTION = Duration.ofMillis(300);
  private static final long HURRY = 3_000_000_000L; // for so long, unless it is said again
  private static final Duration HAND_OVER = Duration.ofSeconds(1);
  private static final long HURRIED_PATIENCE = 1_000_000_000L; // with a candidate, then

  /**
   * An entry that changes nothing, in no term. Where the answer of a voter to be got lost, Ratis
   * does not notice that it has caught up until the log grows; and that one is gone, not before the
   * log has not grown for the longest election.
   */
  private static final LogEntry NOTHING = new LogEntry(-1, null);

  private final NodeConfig config;
  private final String self;
  private final Host host;
  private final Transport transport;
  private final ClusterState founding;
  private final Runnable onRemoved;
  private final RatisLog log;
  private final long patience; // with a candidate, until the next one is asked
  private final long growth; // between entries that let a change end
  private final long silence; // after which the log of a voter is taken to have come to a stop
  private final long hurriedSilence; // the same, of one that is not connected, in a hurry

  private ClusterState state = ClusterState.NONE; // guarded by this
  private volatile long term; // in which this one leads, as far as it knows

  // On the loop.
  private final Map<String, Long> absentSince = new LinkedHashMap<>(); // voters, by id
  private final Set<String> invited = new LinkedHashSet<>(); // asked to be ready
  private final Map<String, Long> hurriedAt = new LinkedHashMap<>(); // voters, to be replaced soon
  private @Nullable String replaced; // the voter whose place one of them is to take
  private int target; // how many shall vote
  private long askedAt;
  private int asked;
  private volatile boolean changing;
  private long grownAt; // when it was last seen to, during a change
  private volatile boolean closing; // whatever it began now, it would not see the end of

  /**
   * Opens the log.
   *
   * @param fresh whether there must be none yet; else there must be one
   * @param alone whether this member is the first voter
   * @param founding the first state, should it be this member's to write it
   */
  Voters(
      NodeConfig config,
      Host host,
      Transport transport,
      Path folder,
      UUID cluster,
      boolean fresh,
      boolean alone,
      ClusterState founding,
      Runnable onRemoved)
      throws IOException {
    this.config = config;
    this.self = host.origin().id();
    this.host = host;
    this.transport = transport;
    this.founding = founding;
    this.onRemoved = onRemoved;
    Settings settings = host.origin().settings();
    this.patience = Math.max(2_000_000_000L, 2 * settings.lease());
    this.growth = RatisLog.growth(election(settings)).toNanos();
    this.silence = silence(settings);
    this.hurriedSilence = hurriedSilence(settings);
    host.deposed();
    host.committed(0, ClusterState.NONE); // it tells all from the beginning, maybe once more
    this.log =
        new RatisLog(
            new RatisLog.Setup(folder, self, cluster, fresh, alone, election(settings)),
            (to, message) -> transport.send(to, new Frame.Consensus(message)),
            this,
            this::state);
  }

  /** The shortest time without a leader before another is elected. */
  static Duration election(Settings settings) {
    return Duration.ofNanos(Math.max(SHORTEST_ELECTION.toNanos(), settings.renewal()));
  }

  /**
   * For how long a change of voters waits for one that is silent, in nanoseconds: as Ratis has it,
   * three of the longest elections, until it looks.
   */
  static long staging(Settings settings) {
    Duration election = election(settings);
    return election.multipliedBy(6).plus(RatisLog.growth(election)).toNanos();
  }

  /** For how long a sound voter may be silent, in nanoseconds: for several elections. */
  static long silence(Settings settings) {
    return 5_000_000_000L + 2 * settings.lease();
  }

  /** For how long one may be that is not connected either, in a hurry. */
  static long hurriedSilence(Settings settings) {
    return Math.max(3_000_000_000L, 3 * election(settings).toNanos());
  }

  /** Begins to vote. */
  void start() throws IOException {
    log.start();
  }

  boolean isOpen() {
    return log.isOpen();
  }

  void receive(String from, byte[] message) {
    log.receive(from, message);
  }

  /** Who votes, by the latest configuration of the log. */
  List<String> ids() {
    return log.voters();
  }

  /** Whether others are becoming voters. */
  boolean isChanging() {
    return changing || log.isChanging();
  }

  // What the log tells.

  @Override
  public void elected(long newTerm) {
    if (view().number() == 0) {
      propose(new LogEntry(LogEntry.FOUNDING, founding));
    }
    term = newTerm;
    host.elected(newTerm, host.clock().now());
    propose(new LogEntry(newTerm, null)); // once it is applied, this one knows all before it
  }

  @Override
  public void deposed() {
    host.deposed();
  }

  @Override
  public void applied(long index, long term, byte[] entry) {
    LogEntry mine = PacketCodec.entry(entry);
    ClusterState now;
    synchronized (this) {
      if (follows(mine, term)) {
        state = Objects.requireNonNull(mine.state());
      }
      now = state;
    }
    host.committed(term, now);
  }

  /** Whether the state of an entry is the next one. */
  private boolean follows(LogEntry entry, long term) {
    ClusterState next = entry.state();
    long number = state.view().number();
    return next != null
        && (entry.term() == LogEntry.FOUNDING ? number == 0 : entry.term() == term)
        && next.view().number() == number + 1;
  }

  @Override
  public void restored(long index, byte[] bytes) {
    ClusterState snapshot = Objects.requireNonNull(PacketCodec.entry(bytes).state());
    synchronized (this) {
      state = snapshot;
    }
    host.committed(0, snapshot);
  }

  private synchronized byte[] state() {
    return PacketCodec.bytesOf(new LogEntry(LogEntry.FOUNDING, state));
  }

  @Override
  public void confirmed(long term, long batch) {
    host.confirmed(term, batch);
  }

  @Override
  public void removed() {
    LOG.info("{} votes no more, since others do, until one of them asks it to", self);
    onRemoved.run();
  }

  @Override
  public void failed(String reason) {
    if (host.isLeaving()) { // and others vote in its place already
      LOG.info("{} votes no more: {}", self, reason);
    } else {
      LOG.error("{} votes no more: {}", self, reason);
    }
    host.deposed();
  }

  // What the member asks.

  @Override
  public void publish(ClusterState next) {
    propose(new LogEntry(term, next));
  }

  private void propose(LogEntry entry) {
    log.propose(PacketCodec.bytesOf(entry));
  }

  @Override
  public void confirm(long term, long batch) {
    log.confirm(term, batch);
  }

  // The care for the others, on the loop.

  /** Looks after the voters, where this member leads. */
  void keep(List<String> connected) {
    if (!log.isLeader() || closing) {
      absentSince.clear();
      invited.clear();
      return;
    }
    long now = System.nanoTime();
    if (changing) {
      if (now - grownAt > growth) {
        grownAt = now;
        propose(NOTHING);
      }
      return;
    }
    List<String> voters = log.voters();
    absentSince.keySet().retainAll(voters);
    for (String voter : voters) {
      if (isAbsent(voter)) {
        absentSince.putIfAbsent(voter, now);
      } else {
        absentSince.remove(voter);
      }
    }
    boolean hurried = hurriedAt.keySet().stream().anyMatch(id -> isHurried(id, now));
    if (!invited.isEmpty() && now - askedAt < (hurried ? HURRIED_PATIENCE : patience)) {
      return;
    }
    List<String> candidates =
        view().places().stream()
            .map(place -> place.peer().id())
            .filter(id -> !voters.contains(id) && connected.contains(id))
            .toList();
    target = target(config.voters(), voters.size(), candidates.size());
    String gone = missing(now);
    if (gone != null && isOneLeftOver(config.voters(), voters.size(), candidates.size())) {
      List<String> next = new ArrayList<>(voters);
      next.remove(gone);
      change(voters, next, next);
    } else if (!candidates.isEmpty() && (voters.size() < target || gone != null)) {
      String next = candidates.get(asked++ % candidates.size()); // one that cannot holds up nobody
      invited.add(next);
      replaced = gone; // before there are more: a voter that is gone counts against the majority
      askedAt = now;
      transport.send(next, new Frame.Promote());
    }
  }

  /** Whether nobody leads, though a majority of the voters is connected, this one among them. */
  boolean isLeaderless(List<String> connected) {
    List<String> voters = log.voters();
    long there = voters.stream().filter(id -> id.equals(self) || connected.contains(id)).count();
    return !log.hasLeader() && voters.contains(self) && there > voters.size() / 2;
  }

  /** Ends its log, which may be opened once more. */
  void stop(String reason) {
    log.stop(reason);
  }

  /** How many shall vote: an odd number, where so many do and so many more could. */
  static int target(int wished, int voters, int candidates) {
    return Math.min(wished, (voters + candidates - 1) / 2 * 2 + 1);
  }

  /** Whether one that is gone may go without another in its place; of two, one is half. */
  static boolean isOneLeftOver(int wished, int voters, int candidates) {
    return voters > 2 && voters > target(wished, voters, candidates);
  }

  /** The members, as the log has them: also where this one has left, and is told of no views. */
  synchronized View view() {
    return state.view();
  }

  private boolean isAbsent(String voter) {
    boolean cutOff = isHurried(voter, System.nanoTime()) && !transport.isConnected(voter);
    return isOut(voter) || (cutOff && log.silenceOf(voter) > hurriedSilence);
  }

  private boolean isOut(String voter) {
    return view().of(voter) == null || log.silenceOf(voter) > silence;
  }

  /**
   * Another voter that has been no member, or silent, for too long, rather one that is not even
   * connected; null: none.
   */
  private @Nullable String missing(long now) {
    return absentSince.keySet().stream()
        .filter(voter -> !voter.equals(self) && isMissing(voter, now))
        .min(Comparator.comparing(transport::isConnected))
        .orElse(null);
  }

  private boolean isMissing(String voter, long now) {
    Long since = absentSince.get(voter);
    return since != null
        && (now - since >= config.replaceVoterAfter().toNanos() || isHurried(voter, now));
  }

  /** A voter is about to leave: with these, which are away, too many would be. */
  void hurry(List<String> away) {
    long now = System.nanoTime();
    hurriedAt.keySet().retainAll(log.voters());
    away.forEach(id -> hurriedAt.put(id, now));
  }

  private boolean isHurried(String voter, long now) {
    Long hurried = hurriedAt.get(voter);
    return hurried != null && now - hurried < HURRY;
  }

  /**
   * One that was asked is ready to vote. Where it is to replace another, the voters change in two
   * steps. A voter that is gone goes first: of the others, no more are needed in between than
   * before. One that is leaving goes last, for it still votes, and others may leave meanwhile that
   * count on it.
   */
  void ready(String id) {
    if (!invited.contains(id) || changing || closing || !log.isLeader()) {
      return;
    }
    invited.clear();
    List<String> now = log.voters();
    List<String> next = new ArrayList<>(now);
    boolean goneFirst = false;
    if (replaced != null
        && now.size() > 2 // of two, one is half
        && isAbsent(replaced)
        && isMissing(replaced, System.nanoTime())) { // else it is back
      next.remove(replaced);
      goneFirst = !transport.isConnected(replaced) || log.silenceOf(replaced) > silence;
    }
    List<String> between = new ArrayList<>(goneFirst ? next : now);
    if (!next.contains(id) && view().of(id) != null && next.size() < target) {
      next.add(id);
      if (!goneFirst) {
        between.add(id);
      }
    }
    if (!next.equals(now)) {
      change(now, between, next);
    }
  }

  private void change(List<String> now, List<String> between, List<String> next) {
    LOG.info("{} asks that these vote: {}", self, next);
    changing = true;
    grownAt = System.nanoTime() - growth;
    var unused =
        step(now, between)
            .thenCompose(done -> step(between, next))
            .whenComplete(
                (done, failure) -> {
                  changing = false;
                  if (failure != null) {
                    LOG.warn("That came to nothing: {}. These vote: {}", failure, log.voters());
                  }
                });
  }

  private CompletableFuture<Void> step(List<String> from, List<String> to) {
    return from.equals(to) ? CompletableFuture.completedFuture(null) : log.changeVoters(from, to);
  }

  /** This voter is about to close its log: where it leads, another one shall. */
  CompletableFuture<Void> handOver() {
    closing = true;
    Optional<String> next =
        log.voters().stream()
            .filter(id -> !id.equals(self) && !isOut(id))
            .min(Comparator.comparingLong(log::silenceOf));
    return log.isLeader() && next.isPresent()
        ? log.handOver(next.get(), HAND_OVER)
        : CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {
    log.close();
  }
}
