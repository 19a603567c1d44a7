package io.baton.simulator.cluster;

import io.baton.agreement.Message;
import io.baton.member.Packet;
import io.baton.member.View;
import io.baton.simulator.cluster.Case.Mishap;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets the mishaps of a case happen, each to whom it hurts at that moment. */
final class Mishaps {
  private final World world;
  private final List<Site> sites;
  private final Wires wires;
  private final Ballot ballot;
  private @Nullable Mishap inChange; // waits for the next change of epoch
  private long stopAtGrant; // for how long whoever is granted a lock next is stopped; 0: nobody

  Mishaps(World world, List<Site> sites, Wires wires, Ballot ballot) {
    this.world = world;
    this.sites = sites;
    this.wires = wires;
    this.ballot = ballot;
  }

  void happen(Mishap mishap) {
    if (world.isHealed()) {
      return;
    }
    world.note(null, () -> "mishap: " + mishap);
    Site one = sites.get(mishap.a() % sites.size());
    Site other = sites.get(mishap.b() % sites.size());
    long length = mishap.length();
    switch (mishap.kind()) {
      case CRASH -> crash(one, length);
      case CRASH_HOLDER -> toHolder(mishap, site -> crash(site, length));
      case CRASH_LEADER -> crash(leader(one), length);
      case CRASH_IN_CHANGE, STOP_IN_CHANGE -> inChange = mishap;
      case CRASH_VOTERS -> toHolder(mishap, site -> crashVoters(mishap, site));
      case CRASH_ALL -> sites.forEach(site -> crash(site, length));
      case STOP -> stop(one, length);
      case STOP_HOLDER -> toHolder(mishap, site -> stop(site, length));
      case STOP_LEADER -> stop(leader(one), length);
      case STOP_AT_GRANT -> stopAtGrant = length;
      case BLOCK -> {
        block(one, other, length);
        block(other, one, length);
      }
      case BLOCK_ONE_WAY -> block(one, other, length);
      case SPLIT -> split(mishap, sites.size());
      case BRIDGE -> split(mishap, one.number);
      case ISOLATE_LEADER -> isolate(leader(one), length);
      case FLAP -> {
        for (int k = 0; k < 6; k++) {
          later(k * length / 6, () -> isolate(one, length / 12));
        }
      }
      case CUT -> wires.cut(one.number, other.number);
      case LEAVE -> leave(one, length, mishap.b() % 4 == 0);
      case LEAVE_MANY ->
          sites.stream()
              .filter(site -> (mishap.b() >> site.number % 20 & 1) == 0)
              .forEach(site -> leave(site, length, false));
      case DEPOSE -> depose(one);
      case FORCE -> force(one);
      case LOSE_DISK -> loseDisk(one, length);
      case SLOW_DISK -> one.disk.hang(length);
      case MAJORITY -> sites.stream().limit(1 + mishap.a() % 5).forEach(site -> stop(site, length));
    }
  }

  /**
   * Somebody has installed a new epoch: whom all must report to, or the root that may have to make
   * a token anew, is struck in the middle of it.
   */
  void epochBegins(View view) {
    Mishap mishap = inChange;
    if (mishap == null || world.isHealed() || view.founders() == 0) {
      return;
    }
    inChange = null;
    int position = mishap.b() % 2 == 0 ? 0 : view.root(world.locks.get(0));
    String id = view.at(position).id();
    sites.stream()
        .filter(site -> site.id.equals(id))
        .forEach(
            site ->
                later(
                    mishap.a() % 3_000,
                    () -> {
                      if (mishap.kind() == Case.Kind.CRASH_IN_CHANGE) {
                        crash(site, mishap.length());
                      } else {
                        stop(site, mishap.length());
                      }
                    }));
  }

  private Site leader(Site otherwise) {
    Site leader = ballot.leader();
    return leader == null ? otherwise : leader;
  }

  /** Somebody is asked to lead in place of the leader. */
  private void depose(Site other) {
    Site leader = ballot.leader();
    if (leader != null && other.isUp()) {
      long term = leader.process().agreement().term();
      Packet ask = new Packet.Vote(new Message.TakeOver(term));
      other.perform(() -> other.process().receive(leader.id, ask, other.clock()));
    }
  }

  /** A machine crashes, and comes back with an empty disk: as somebody else. */
  private void loseDisk(Site site, long length) {
    if (ballot.canDoWithout(site)) {
      world.crash(site);
      world.note(site, () -> "loses its disk");
      ballot.lost(site);
      site.loseDisk();
      later(length, () -> world.start(site));
    }
  }

  /** Strikes somebody who holds a lock, as soon as there is one. */
  private void toHolder(Mishap mishap, Consumer<Site> blow) {
    List<Site> holders =
        world.users().stream().filter(user -> user.hold() != null).map(User::site).toList();
    if (holders.isEmpty()) {
      later(Case.SECOND / 100, () -> happen(mishap));
    } else {
      blow.accept(holders.get(mishap.a() % holders.size()));
    }
  }

  private void later(long delay, Runnable action) {
    world.schedule.after(
        delay,
        () -> {
          if (!world.isHealed()) {
            action.run();
          }
        });
  }

  private void crash(Site site, long length) {
    world.crash(site);
    later(length, () -> world.start(site));
  }

  /** All voters crash and are back at once, and a holder that does not vote hears nobody. */
  private void crashVoters(Mishap mishap, Site holder) {
    if (ballot.votes(holder)) {
      later(Case.SECOND / 100, () -> happen(mishap));
      return;
    }
    isolate(holder, mishap.length());
    sites.stream()
        .filter(site -> site.isUp() && ballot.votes(site))
        .forEach(site -> crash(site, 1 + mishap.length() / 64));
  }

  private void stop(Site site, long length) {
    if (site.isRunning()) {
      world.note(site, () -> "is stopped");
      site.stop();
      resumeLater(site, length);
    }
  }

  private void resumeLater(Site site, long length) {
    int start = site.starts();
    later(
        length,
        () -> {
          if (site.starts() == start && site.isStopped()) {
            world.note(site, () -> "goes on");
            site.resume();
          }
        });
  }

  /** Whether a site is stopped just before it tells of a grant. */
  boolean stopsAtGrant(Site site) {
    if (stopAtGrant == 0 || world.isHealed()) {
      return false;
    }
    world.note(site, () -> "is stopped before it tells of a grant");
    resumeLater(site, stopAtGrant);
    stopAtGrant = 0;
    return true;
  }

  private void block(Site from, Site to, long length) {
    wires.block(from.number, to.number, true);
    later(length, () -> wires.block(from.number, to.number, false));
  }

  private void isolate(Site site, long length) {
    for (Site other : sites) {
      block(site, other, length);
      block(other, site, length);
    }
  }

  /** Two halves that do not hear each other; a bridge hears both. */
  private void split(Mishap mishap, int bridge) {
    for (Site from : sites) {
      for (Site to : sites) {
        boolean across = side(mishap, from) != side(mishap, to);
        if (across && from.number != bridge && to.number != bridge) {
          block(from, to, mishap.length());
        }
      }
    }
  }

  private static int side(Mishap mishap, Site site) {
    return (mishap.b() >> (site.number % 20)) & 1;
  }

  private void leave(Site site, long length, boolean forGood) {
    if (site.isUp()) {
      world.note(site, () -> "is told to leave");
      site.leaves(forGood);
      site.perform(() -> site.process().leave(site.clock()));
      later(length, () -> world.start(site));
    }
  }

  /** Somebody ends the hold of somebody. */
  private void force(Site site) {
    world.users().stream()
        .map(User::hold)
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(
            hold ->
                site.perform(
                    () -> {
                      world.forcing(hold, site);
                      site.live().forceRelease(hold.lock, hold.fence, site.clock());
                    }));
  }
}
