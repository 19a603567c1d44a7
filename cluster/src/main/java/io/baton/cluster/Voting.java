package io.baton.cluster;

import io.baton.cluster.raft.RatisLog;
import io.baton.member.ClusterState;
import io.baton.member.Newcomer;
import io.baton.member.View;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether this member votes: opens its log when it is time, in the background since the disk may
 * take its time; once more where the log came to a stop; and closes it.
 */
final class Voting implements AutoCloseable {
  private static final long RESUME_EVERY = 5_000_000_000L;

  /** How a member comes to vote. */
  private enum Start {
    /** It founds a cluster, alone at first. */
    FOUNDING,
    /** The leader asked it. */
    PROMOTED,
    /** It did before it was started again, or before its log came to a stop. */
    AGAIN
  }

  private final NodeConfig config;
  private final Identity identity;
  private final Host host;
  private final Transport transport;
  private final Executor loop;
  private final Executor background;
  private final Consumer<IOException> onFailure;

  private @Nullable Voters latest; // to be closed with this; guarded by this
  private boolean closed; // guarded by this
  private volatile boolean leaving;

  // On the loop.
  private final Set<String> readyFor = new LinkedHashSet<>(); // who waits for this one to vote
  private volatile @Nullable Voters voters; // where this member votes
  private boolean opening;
  private volatile boolean dismissed; // it opens its log again once another counts on it
  private @Nullable Long readyAt; // when it last said that it can vote
  private long resumedAt = System.nanoTime();
  private final Leaderless leaderless;

  Voting(
      NodeConfig config,
      Identity identity,
      Host host,
      Transport transport,
      Executor loop,
      Executor background,
      Consumer<IOException> onFailure) {
    this.config = config;
    this.identity = identity;
    this.host = host;
    this.transport = transport;
    this.loop = loop;
    this.background = background;
    this.onFailure = onFailure;
    this.leaderless = new Leaderless(Voters.silence(config.settings()));
  }

  /** Where this member votes, by its log, and that log works. */
  private @Nullable Voters active() {
    Voters mine = voters;
    return mine != null && mine.isOpen() && mine.ids().contains(identity.id()) ? mine : null;
  }

  /** Who votes, by this member's log; empty where it does not vote. */
  List<String> ids() {
    Voters mine = active();
    return mine == null ? List.of() : mine.ids();
  }

  /** Whether others are becoming voters, by this member's log, or this one may be. */
  boolean isChanging() {
    Voters mine = voters;
    if (mine == null || !mine.isOpen()) {
      return false;
    }
    if (active() != null) {
      return mine.isChanging();
    }
    Long said = readyAt;
    return said != null
        && (System.nanoTime() - said < Voters.staging(config.settings()) || mine.isChanging());
  }

  /** The members, by this member's log; none where it does not vote. */
  View view() {
    Voters mine = active();
    return mine == null ? View.NONE : mine.view();
  }

  /** From now on it does not begin to vote. */
  void leave() {
    leaving = true;
  }

  /** Has another voter lead, where this one does; done when that is so, or cannot be. */
  CompletableFuture<Void> handOver() {
    Voters mine = active();
    return mine == null ? CompletableFuture.completedFuture(null) : mine.handOver();
  }

  // On the loop.

  /** Votes from the beginning, as the founder of a cluster. */
  void found(List<Newcomer> founders, Runnable onOpen) {
    open(Start.FOUNDING, founders, onOpen);
  }

  /**
   * Votes by the log that it left behind.
   *
   * @param onOpen what is to be done on the loop once that log has turned out to be sound
   */
  void goOn(List<Newcomer> founders, Runnable onOpen) {
    open(Start.AGAIN, founders, onOpen);
  }

  /** The leader asks this member to be ready to vote. */
  void promote(String leader, Newcomer me) {
    if (leaving || isClosed() || host.isBroken()) {
      return;
    }
    Voters mine = voters;
    if (mine != null && mine.isOpen()) {
      sayReady(leader);
      return;
    }
    dismissed = false;
    readyFor.add(leader);
    if (mine == null && !opening) {
      open(Start.PROMOTED, List.of(me), () -> {});
    }
  }

  private void sayReady(String leader) {
    readyAt = System.nanoTime();
    transport.send(leader, new Frame.Ready());
  }

  /** Another member is ready to vote. */
  void ready(String id) {
    Voters mine = voters;
    if (mine != null) {
      mine.ready(id);
    }
  }

  /** Another voter, or this one, is about to leave, while these are away. */
  void hurry(List<String> away) {
    Voters mine = voters;
    if (mine != null) {
      mine.hurry(away);
    }
  }

  void receive(String from, byte[] message) {
    Voters mine = voters;
    if (mine != null && mine.isOpen()) {
      mine.receive(from, message);
    } else if (RatisLog.isForAVoter(message)) {
      dismissed = false; // it may be needed
    }
  }

  /** Looks after the voters, and after this one. */
  void keep(List<String> connected, Newcomer me) {
    Voters mine = voters;
    if (mine == null || isClosed() || host.isBroken()) {
      return;
    }
    if (mine.isOpen()) {
      if (!leaving && leaderless.isDue(mine.isLeaderless(connected), System.nanoTime())) {
        mine.stop("nobody is elected, though a majority is connected; it opens its log again");
      }
      mine.keep(connected);
    } else if (!leaving
        && !opening
        && !dismissed
        && System.nanoTime() - resumedAt >= RESUME_EVERY) {
      resume(me);
    }
  }

  /** Opens a log that came to a stop once more, where there is room on the disk. */
  private void resume(Newcomer me) {
    opening = true;
    try {
      background.execute(
          () -> {
            boolean room = RatisLog.hasRoom(identity.log());
            loop.execute(() -> resume(me, room));
          });
    } catch (OutOfMemoryError e) {
      failed(noThread(e), () -> {});
    }
  }

  private void resume(Newcomer me, boolean room) {
    opening = false;
    if (room && !leaving && !isClosed()) {
      resumedAt = System.nanoTime();
      open(Start.AGAIN, List.of(me), () -> {});
    }
  }

  /** Step by step, for the disk may take its time, and what is done in between is for the loop. */
  private void open(Start start, List<Newcomer> founders, Runnable onOpen) {
    opening = true;
    attempt(
        () -> openLog(start, founders),
        mine -> {
          onOpen.run();
          attempt(
              () -> begin(mine, start),
              begun -> {
                opening = false;
                voters = mine;
                readyAt = null;
                if (!leaving) {
                  readyFor.forEach(this::sayReady);
                }
                readyFor.clear();
              },
              () -> voters = identity.votes() ? mine : voters); // to be opened once more
        },
        () -> {});
  }

  private interface Step {
    /** Null: this member has left meanwhile. */
    @Nullable Voters take() throws IOException;
  }

  /** Does something in the background, and then something on the loop. */
  private void attempt(Step step, Consumer<Voters> next, Runnable onFail) {
    try {
      background.execute(() -> doStep(step, next, onFail));
    } catch (OutOfMemoryError e) {
      failed(noThread(e), onFail);
    }
  }

  private static IOException noThread(OutOfMemoryError e) {
    return new IOException("There is no thread to open its log: " + e.getMessage(), e);
  }

  private void doStep(Step step, Consumer<Voters> next, Runnable onFail) {
    try {
      Voters mine = step.take();
      if (mine != null) {
        loop.execute(() -> next.accept(mine));
      }
    } catch (IOException e) {
      failed(e, onFail);
    } catch (RuntimeException | Error e) {
      failed(new IOException("A defect: " + e, e), onFail);
    }
  }

  private void failed(IOException failure, Runnable onFail) {
    loop.execute(
        () -> {
          opening = false;
          readyFor.clear();
          onFail.run();
        });
    onFailure.accept(failure);
  }

  // In the background.

  private @Nullable Voters openLog(Start start, List<Newcomer> founders) throws IOException {
    if (isClosed()) {
      return null;
    }
    Voters former = take(null);
    if (former != null) {
      former.close();
    }
    boolean fresh = start != Start.AGAIN;
    if (fresh) {
      identity.clearLog();
    }
    Voters mine =
        new Voters(
            config,
            host,
            transport,
            identity.log(),
            identity.clusterId(),
            fresh,
            start == Start.FOUNDING,
            ClusterState.founded(config.tree(), founders, !config.listens()),
            () -> dismissed = true);
    if (take(mine) == mine) {
      mine.close();
      return null;
    }
    return mine;
  }

  private Voters begin(Voters mine, Start start) throws IOException {
    if (start != Start.AGAIN) {
      identity.vote(); // before it says anything to anybody
    }
    host.votesBy(mine);
    mine.start();
    if (host.isBroken()) { // it must not lead
      mine.close();
      throw new IOException("This member came to a stop by a defect");
    }
    return mine;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Takes a log to be closed at the end; gives back the one to be closed now. */
  private synchronized @Nullable Voters take(@Nullable Voters next) {
    if (closed) {
      return next;
    }
    Voters former = latest;
    latest = next;
    return former;
  }

  /** Votes no more. */
  @Override
  public void close() {
    Voters mine;
    synchronized (this) {
      closed = true;
      mine = latest;
    }
    if (mine != null) {
      mine.close();
    }
  }
}
