package io.baton;

import io.baton.cluster.Clock;
import io.baton.cluster.LocalNetwork;
import io.baton.cluster.LocalShell;
import io.baton.member.VotingMember;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Several members in one process, for tests and first steps: the real members, which agree among
 * themselves as always; no ports and no files.
 *
 * <pre>{@code
 * try (BatonCluster cluster = BatonCluster.local(3)) {
 *   Hold hold = cluster.member(0).lock("x").acquire();
 *   cluster.isolate(0); // and see what your program does when it loses the lock
 * }
 * }</pre>
 */
public final class BatonCluster implements AutoCloseable {
  private static final Random SEEDS = new SecureRandom();

  private final LocalNetwork network = new LocalNetwork();
  private final List<Baton> members = new ArrayList<>();

  private BatonCluster(int size, BatonConfig config) {
    if (size < 1) {
      throw new IllegalArgumentException("A cluster has at least one member, not " + size);
    }
    Clock clock = Clock.ofThisMachine();
    for (int k = 0; k < size; k++) {
      String id = config.name() + "-" + k;
      VotingMember.Origin origin =
          new VotingMember.Origin(
              id,
              "local",
              1,
              1,
              config.memberSettings(),
              config.rules(),
              LocalNetwork.voters(size),
              config.replaceVoterAfter().toNanos(),
              SEEDS.nextLong());
      members.add(
          new Baton(new LocalShell(origin, clock, network, config.deadlockAfter()), config));
    }
    network.start(config.tree());
    members.forEach(member -> member.host().joined().join());
  }

  /** So many members with defaults. */
  public static BatonCluster local(int size) {
    return local(size, BatonConfig.builder().name("member").build());
  }

  /** So many members; of the configuration, what is about addresses and files is not looked at. */
  public static BatonCluster local(int size, BatonConfig config) {
    return new BatonCluster(size, config);
  }

  /** A member, from 0. */
  public Baton member(int number) {
    return members.get(number);
  }

  /** All members. */
  public List<Baton> members() {
    return List.copyOf(members);
  }

  /** Cuts a member off: it loses what it holds when its lease runs out, and may hold nothing. */
  public void isolate(int number) {
    network.isolate(members.get(number).id());
  }

  /** Connects a member again. */
  public void reconnect(int number) {
    network.reconnect(members.get(number).id());
  }

  /** All members leave. */
  @Override
  public void close() {
    network.end();
    members.forEach(Baton::close);
  }
}
