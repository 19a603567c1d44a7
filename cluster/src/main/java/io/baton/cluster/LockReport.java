package io.baton.cluster;

import io.baton.member.LockState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one member tells of one lock.
 *
 * @param member who tells it
 * @param holder who holds it there; null: nobody
 * @param waiting who waits there, in order: names of threads, or of owners that were named
 * @param members whose requests wait there, in order
 * @param token whether its token is there: then it is held nowhere else
 * @param towards the member that is asked for the token from there; empty: none is known
 * @param obstacle why nothing is granted there at present; empty: nothing is in the way
 * @param permits of the semaphore whose lock it is, as it was opened there; 0: it was not
 * @param fence of the last grant, where the token is there; 0 elsewhere
 */
public record LockReport(
    String member,
    String lock,
    @Nullable Holder holder,
    List<String> waiting,
    List<String> members,
    boolean token,
    String towards,
    String obstacle,
    int permits,
    long fence) {
  private static final int MOST = 100; // of those who wait, the first
  private static final int LONGEST = 64; // letters of a name

  /**
   * Who holds it.
   *
   * @param name of the thread, or of the owner that was named
   * @param owner names it among all of its member; empty: nobody is known to wait for it alone
   * @param since when it was granted, in milliseconds of the wall clock
   * @param keptUntil it was given back and is kept from others until then, in milliseconds of the
   *     wall clock; 0: it is in use
   * @param note what it wants others to read
   * @param waitsFor what the same owner waits for meanwhile
   */
  public record Holder(
      String name, String owner, long since, long keptUntil, String note, List<Wait> waitsFor) {
    /** The list is copied. */
    public Holder {
      waitsFor = List.copyOf(waitsFor);
    }
  }

  /**
   * An owner waits for a lock.
   *
   * @param wish names this wish among all of its owner
   */
  public record Wait(String lock, long wish) {}

  /** The lists are copied. */
  public LockReport {
    waiting = List.copyOf(waiting);
    members = List.copyOf(members);
  }

  /** What a member itself knows, of all locks in use. */
  public static List<LockReport> of(Host host) {
    List<LockReport> reports = new ArrayList<>();
    for (LockState state : host.locks()) {
      LockReport report = of(host, state, List.of());
      boolean used = report.holder() != null || !report.waiting().isEmpty();
      if (used || !report.members().isEmpty()) { // else it is only kept there
        reports.add(report);
      }
    }
    return reports;
  }

  /** What a member itself knows of one lock. */
  public static LockReport of(Host host, String lock) {
    LockState state = host.lock(lock);
    Claim claim = (Claim) state.holder();
    Grip grip = claim == null ? null : claim.inUse();
    return of(host, state, grip != null && isWorkedUnder(claim) ? host.waitsOf(grip) : List.of());
  }

  private static LockReport of(Host host, LockState state, List<Wait> waits) {
    Claim claim = (Claim) state.holder();
    Grip grip = claim == null ? null : claim.inUse();
    Holder holder =
        grip == null
            ? null
            : new Holder(
                nameOf(grip.thread(), grip.terms()),
                isWorkedUnder(claim) ? ownerOf(grip) : "", // else it will be free by itself
                grip.since().toEpochMilli(),
                isWorkedUnder(claim) ? 0 : grip.keptUntil().toEpochMilli(),
                grip.terms().note(),
                waits);
    return new LockReport(
        host.origin().id(),
        state.lock(),
        holder,
        state.callers().stream().limit(MOST).map(caller -> nameOf((Claim) caller)).toList(),
        state.members().stream().limit(MOST).toList(),
        state.hasToken(),
        state.towards(),
        host.obstacle(),
        host.permits(state.lock()),
        grip != null ? grip.fence() : state.hasToken() ? state.fence() : 0);
  }

  private static boolean isWorkedUnder(@Nullable Claim claim) {
    return claim != null && claim.isWorkedUnder();
  }

  static String nameOf(Claim claim) {
    return nameOf(claim.thread(), claim.terms());
  }

  /** Who can do nothing else while it waits, and gives back what it holds itself; empty: nobody. */
  static String ownerOf(Claim claim) {
    return ownerOf(claim.thread(), claim.terms(), claim.isOfThread());
  }

  static String ownerOf(Grip grip) {
    return ownerOf(grip.thread(), grip.terms(), grip.isOfThread());
  }

  private static String ownerOf(Thread thread, Terms terms, boolean isOfThread) {
    return !terms.owner().isEmpty()
        ? "owner " + terms.owner()
        : isOfThread ? "thread " + thread.getId() : "";
  }

  private static String nameOf(Thread thread, Terms terms) {
    String name = terms.owner().isEmpty() ? thread.getName() : terms.owner();
    return name.isEmpty()
        ? "thread " + thread.getId()
        : name.substring(0, Math.min(name.length(), LONGEST));
  }
}
