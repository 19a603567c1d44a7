package io.baton.member;

import io.baton.agreement.Agreement;
import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Pace;
import io.baton.agreement.Publication;
import io.baton.agreement.Value;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One process of a cluster: a member with its locks, and its share in what the cluster agrees on.
 * What callers want goes to the member itself; all other events come here, each with the instant of
 * this machine's monotonic clock.
 */
public final class VotingMember {
  /** What a process asks of its host. */
  public interface Outside extends Output {
    /** The state has to be on disk for good; then {@link VotingMember#stored} is called. */
    void store(Durable state, long ticket);

    /** Somebody lost what it had agreed to: its disk was set back, or it is of another cluster. */
    void contradicted(String from, Publication publication);

    /** A member has a later view than any that the voters agreed on: they were set back. */
    void ahead(Peer member, long view);

    /** The wall clock: minutes since the beginning of 2025. */
    long minutes();
  }

  /**
   * Who this is, and what it is told.
   *
   * @param run greater with every start of a process with this id, by more than it may have lives
   * @param deadSince all earlier runs from this one on were those of processes that have ended for
   *     certain (R27)
   * @param voters how many are to vote, if there are as many
   * @param replaceAfter for how long a voter is away before another votes in its place
   * @param seed for what is left to chance
   */
  public record Origin(
      String id,
      String address,
      long run,
      long deadSince,
      Settings settings,
      Rules rules,
      int voters,
      long replaceAfter,
      long seed) {}

  /** So many leases it takes at most to leave, until others vote. */
  public static final int LEASES_TO_LEAVE = 2;

  private final Settings settings;
  private final Outside out;
  private final Member member;
  private final Agreement agreement;
  private final ArrayDeque<Runnable> later = new ArrayDeque<>(); // once both are done
  private long now;
  private boolean leftAsStranger; // who was no member just then

  /**
   * A process that begins.
   *
   * @param found what is on its disk
   * @param contacts whom to ask for its admission, until told otherwise
   */
  public VotingMember(
      Origin origin, Durable found, List<String> contacts, Outside out, long instant) {
    this.settings = origin.settings();
    this.out = out;
    this.now = instant;
    Inside inside = new Inside();
    this.member =
        new Member(
            origin.id(),
            origin.address(),
            origin.run(),
            origin.deadSince(),
            settings,
            origin.rules(),
            contacts,
            inside,
            inside,
            instant);
    this.agreement =
        new Agreement(
            origin.id(),
            found,
            pace(settings, origin.replaceAfter()),
            origin.voters(),
            origin.seed(),
            inside,
            instant);
  }

  private static Pace pace(Settings settings, long replaceAfter) {
    long lease = settings.lease();
    return new Pace(lease / 10, lease / 4, lease / 2, replaceAfter);
  }

  /** The member, for what callers want of it. */
  public Member member() {
    return member;
  }

  /** What the cluster agrees on, as far as this process knows. */
  public Agreement agreement() {
    return agreement;
  }

  /** This process founds a cluster with these voters. */
  public void found(String cluster, ClusterState state, Configuration voters, long instant) {
    now = instant;
    agreement.found(cluster, state, voters, now);
    goOn();
  }

  /** This process belongs to a cluster that others have founded, unless it does to another. */
  public void adopt(String cluster, long instant) {
    now = instant;
    agreement.adopt(cluster, now);
    goOn();
  }

  /** An operator has a member vote in the place of a voter; why not, or null: it is under way. */
  public @Nullable String exchange(String voter, String newcomer, long instant) {
    now = instant;
    String why = agreement.exchange(voter, newcomer, now);
    goOn();
    return why;
  }

  /** An operator decides alone who votes, or no longer does; why not, or null: it is under way. */
  public @Nullable String freeze(boolean freeze, long instant) {
    now = instant;
    String why = agreement.freeze(freeze, now);
    goOn();
    return why;
  }

  /** A packet comes from a process. */
  public void receive(String from, Packet packet, long instant) {
    now = instant;
    if (packet instanceof Packet.Vote vote) {
      agreement.receive(from, vote.message(), now);
    } else {
      agreement.heard(from, now);
      member.receive(from, packet, now);
    }
    goOn();
  }

  /** What was to be stored with this ticket is on disk for good. */
  public void stored(long ticket, long instant) {
    now = instant;
    agreement.stored(ticket, now);
    goOn();
  }

  /** There is a connection to a process; these can be asked for admission. */
  public void connected(String peer, List<String> everybody, long instant) {
    now = instant;
    member.voters(everybody);
    member.connected(peer, now);
  }

  /** There is none any more; what was under way may be lost. */
  public void disconnected(String peer, List<String> everybody, long instant) {
    now = instant;
    member.voters(everybody);
    member.disconnected(peer, now);
    agreement.disconnected(peer, now);
  }

  /** The clock stood still until just now, as while the machine was suspended (R13). */
  public void resumed(long instant) {
    now = instant;
    agreement.resumed(now);
    member.resumed(now);
    goOn();
  }

  /** An instant of the clock. */
  public void tick(long instant) {
    now = instant;
    agreement.tick(now);
    member.tick(now);
    goOn();
  }

  /** When this process wants to be told the time at the latest. */
  public long nextWake() {
    return later.isEmpty() ? Math.min(member.nextWake(), agreement.nextWake()) : now;
  }

  /**
   * Gives up all that is held here, and leaves (R6); then it has others vote in its place. Whoever
   * leads does that as long as its own leave is not agreed on.
   */
  public void leave(long instant) {
    now = instant;
    leftAsStranger = member.self().incarnation() == Peer.NONE;
    member.leave(now);
    goOn();
  }

  /** Nothing of the one is done in the middle of the other. */
  private void goOn() {
    while (!later.isEmpty()) {
      later.remove().run();
    }
  }

  /** Between the two, and to the host. */
  private final class Inside implements Output, Register, Agreement.Effects {
    @Override
    public void send(String id, Packet packet) {
      out.send(id, packet);
    }

    @Override
    public void send(String to, io.baton.agreement.Message message) {
      out.send(to, new Packet.Vote(message));
    }

    @Override
    public void handedOver(String lock) {
      out.handedOver(lock);
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      out.forced(lock, fence, ended);
    }

    @Override
    public void inUse() {
      out.inUse();
    }

    @Override
    public void left() {
      boolean isHeard = member.isLetGo() || leftAsStranger; // else nobody answers it
      later.add(() -> agreement.leave(now, isHeard ? LEASES_TO_LEAVE * settings.lease() : 0));
    }

    @Override
    public void released() {
      out.left();
    }

    @Override
    public void publish(ClusterState next) {
      later.add(() -> agreement.publish(next, now));
    }

    @Override
    public void ahead(Peer peer, long view) {
      out.ahead(peer, view);
    }

    @Override
    public long votersClock() {
      return agreement.minutes();
    }

    @Override
    public void confirm(long term, long batch) {
      later.add(() -> agreement.confirm(batch, now));
    }

    @Override
    public void store(Durable state, long ticket) {
      out.store(state, ticket);
    }

    @Override
    public void elected(long term, long until) {
      member.elected(term, until, now);
    }

    @Override
    public void deposed() {
      member.deposed(now);
    }

    @Override
    public void committed(long term, Value value) {
      if (!(value instanceof ClusterState state)) {
        throw new IllegalArgumentException("Not the state of a cluster: " + value);
      }
      agreement.members(
          state.view().places().stream()
              .map(place -> place.peer().id())
              .collect(Collectors.toList()));
      member.committed(term, state, now);
    }

    @Override
    public void confirmed(long term, long batch) {
      member.confirmed(term, batch, now);
    }

    @Override
    public void contradicted(String from, Publication publication) {
      out.contradicted(from, publication);
    }

    @Override
    public long minutes() {
      return out.minutes();
    }
  }
}
