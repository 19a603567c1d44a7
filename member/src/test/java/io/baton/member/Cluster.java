package io.baton.member;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Members in a world where everything arrives at once and in order, and one voter leads; time
 * passes when a test says so.
 */
final class Cluster {
  static final long SECOND = 1_000;

  final Map<String, Member> members = new LinkedHashMap<>();
  final List<String> letters = new ArrayList<>(); // of locks, as sent
  final List<String> forced = new ArrayList<>();
  private final ArrayDeque<Runnable> todo = new ArrayDeque<>();
  private final Settings settings;
  private final Rules rules;
  private ClusterState state = ClusterState.NONE;
  long now;

  /** A caller that notes what it is told. */
  static final class Told implements Caller {
    final List<String> told = new ArrayList<>();
    long fence;

    @Override
    public void granted(long newFence) {
      fence = newFence;
      told.add("granted");
    }

    @Override
    public void refused() {
      told.add("refused");
    }

    @Override
    public void lost(Loss reason) {
      told.add(reason.toString());
    }
  }

  Cluster(int size, Settings settings, Rules rules, Shape shape) {
    this.settings = settings;
    this.rules = rules;
    List<Newcomer> founders = new ArrayList<>();
    for (int k = 1; k <= size; k++) {
      founders.add(new Newcomer("m" + k, "a" + k, 1));
    }
    founders.forEach(founder -> start(founder.id()));
    member(1).elected(1, now, now);
    change(nothing -> ClusterState.founded(shape, founders, false));
    pass(2 * settings.lease());
  }

  /** With defaults, a star, and Naimi and Trehel. */
  static Cluster of(int size) {
    return new Cluster(size, Settings.ofSecond(SECOND), Rules.NAIMI_TREHEL, Shape.STAR);
  }

  void start(String id) {
    Member member =
        new Member(
            id, "a", 1, 1, settings, rules, List.of("m1"), new Outside(id), new Voters(), now);
    for (Map.Entry<String, Member> other : members.entrySet()) {
      other.getValue().connected(id, now);
      member.connected(other.getKey(), now);
    }
    members.put(id, member);
  }

  Member member(int number) {
    Member member = members.get("m" + number);
    if (member == null) {
      throw new IllegalStateException("There is no m" + number);
    }
    return member;
  }

  /** The voters agree on another state. */
  void change(UnaryOperator<ClusterState> change) {
    state = change.apply(state);
    member(1).committed(1, state, now);
  }

  /** Everything that is under way arrives. */
  void settle() {
    while (!todo.isEmpty()) {
      todo.remove().run();
    }
  }

  /** Time passes, in steps that miss nothing. */
  void pass(long time) {
    settle();
    long end = now + time;
    while (now < end) {
      long next = end;
      for (Member member : members.values()) {
        next = Math.min(next, Math.max(now + 1, member.nextWake()));
      }
      now = next;
      members.values().forEach(member -> member.tick(now));
      settle();
    }
  }

  Told acquire(int number, String lock) {
    Told caller = new Told();
    member(number).acquire(lock, caller, now);
    settle();
    return caller;
  }

  Told attempt(int number, String lock) {
    Told caller = new Told();
    member(number).attempt(lock, caller, now);
    settle();
    return caller;
  }

  void release(int number, String lock, Told caller) {
    member(number).release(lock, caller, now);
    settle();
  }

  /** A lock that has its root at a member. */
  String lockAt(int number) {
    int k = 0;
    while (member(1).view().root("lock" + k) != number - 1) {
      k++;
    }
    return "lock" + k;
  }

  /** An output that only notes the answers to forced releases. */
  Output outside(String id, List<String> answers) {
    return new Outside(id) {
      @Override
      public void forced(String lock, long fence, boolean ended) {
        answers.add("" + ended);
      }
    };
  }

  private class Outside implements Output {
    private final String id;

    Outside(String id) {
      this.id = id;
    }

    @Override
    public void send(String to, Packet packet) {
      if (packet instanceof Packet.Mail mail
          && mail.letter() != null
          && !(mail.letter().body() instanceof Letter.Report
              || mail.letter().body() instanceof Letter.Settled)) {
        letters.add(id + ">" + to + " " + mail.letter().body());
      }
      todo.add(
          () -> {
            Member member = members.get(to);
            if (member != null) {
              member.receive(id, packet, now);
            }
          });
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      forced.add(id + " " + ended);
    }

    @Override
    public void inUse() {
      forced.add(id + " in use");
    }

    @Override
    public void left() {
      todo.add(() -> members.remove(id));
    }
  }

  private final class Voters implements Register {
    @Override
    public void ahead(Peer member, long view) {
      throw new IllegalStateException(member + " is ahead");
    }

    @Override
    public void publish(ClusterState next) {
      todo.add(() -> change(former -> next));
    }

    @Override
    public void confirm(long term, long batch) {
      todo.add(() -> member(1).confirmed(term, batch, now));
    }
  }
}
