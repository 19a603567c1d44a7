package io.baton.cluster;

import io.baton.member.View;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a member leaves such that the others can go on: what it holds is given up at once; where it
 * votes and others are away, these are replaced as voters then; where it leads, another leads then.
 *
 * <p>Members may leave at the same moment. That they do is in the log: who has read there that it
 * has left itself knows of all that left before or with it, and looks then.
 */
final class Succession {
  /** The others, as this member is connected to them. */
  interface Others {
    /** Who is there, member or not, by id; on the loop. */
    Set<String> there();

    /** Asks that others vote instead of these soon, on the loop. */
    void hurry(List<String> away);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Succession.class);
  private static final long PAUSE_MILLIS = 50;
  private static final long LONGEST_WAIT = 60_000_000_000L; // for other voters
  private static final int LOOK_SECONDS = 5;
  private static final int HAND_OVER_SECONDS = 5;

  private final NodeConfig config;
  private final Host host;
  private final String self;
  private final Voting voting;
  private final Executor loop;
  private final Others others;

  Succession(NodeConfig config, Host host, Voting voting, Executor loop, Others others) {
    this.config = config;
    this.host = host;
    this.self = host.origin().id();
    this.voting = voting;
    this.loop = loop;
    this.others = others;
  }

  /** Leaves. */
  void leave() {
    voting.leave();
    unlessBroken(host::giveUp);
    if (self.equals(host.leader())) { // the others need their leases meanwhile
      awaitOthers(false);
    }
    unlessBroken(() -> Leaving.await(host));
    awaitOthers(true);
    handOver();
  }

  /** The others are to go on even where this member cannot. */
  private void unlessBroken(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error("{} leaves without a word, by a defect", self, e);
    }
  }

  /** Waits until the others have a majority without this one, for as long as a change takes. */
  private void awaitOthers(boolean left) {
    long patience = Math.min(10_000_000_000L + Voters.staging(config.settings()), LONGEST_WAIT);
    long end = System.nanoTime() + patience;
    try {
      while (needsMore(left) && System.nanoTime() - end < 0) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean needsMore(boolean left) throws InterruptedException {
    FutureTask<Boolean> look = new FutureTask<>(() -> replaceWhoIsAway(left));
    loop.execute(look);
    try {
      return look.get(LOOK_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("{} cannot see who votes", self, e);
      return true;
    }
  }

  /**
   * A voter that is away may come back, and keeps its vote for a while. Where this one votes and
   * leaves too, that may be one too many: then others are to vote instead first, if there are any,
   * or one voter less; and where there are too few yet, one more. On the loop; false: there is no
   * need, or no more that can be done.
   */
  private boolean replaceWhoIsAway(boolean left) {
    List<String> voters = voting.ids();
    View view = voting.view();
    Set<String> there = others.there();
    List<String> away =
        voters.stream()
            .filter(id -> !id.equals(self))
            .filter(id -> view.of(id) == null || !there.contains(id))
            .toList();
    // No members now? They may be again soon.
    int candidates = (int) there.stream().filter(id -> !voters.contains(id)).count();
    boolean lost = voters.size() - away.size() <= voters.size() / 2; // with this one even
    if (lost && candidates == 0) {
      return false;
    }
    if (voting.isChanging() || (left && view.of(self) != null)) {
      return true; // what its log says is not the last word
    }
    boolean tooMany = voters.size() - away.size() - 1 <= voters.size() / 2;
    if (!voters.contains(self) || !tooMany) {
      return false;
    }
    if (away.isEmpty()) {
      return voters.size() < Voters.target(config.voters(), voters.size(), candidates);
    }
    if (candidates == 0 && !Voters.isOneLeftOver(config.voters(), voters.size(), candidates)) {
      return false;
    }
    others.hurry(away);
    return true;
  }

  private void handOver() {
    try {
      voting.handOver().get(HAND_OVER_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("{} leaves, and nobody leads", self, e);
    }
  }
}
