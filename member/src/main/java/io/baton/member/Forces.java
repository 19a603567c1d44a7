package io.baton.member;

import io.baton.member.Letter.Force;
import io.baton.member.Letter.Forced;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Forced releases (R24): everybody is asked, and whoever holds the lock with that fence ends the
 * hold and tells its holder. Where a member cannot be reached, the answer waits until it can, or is
 * none any more.
 */
final class Forces {
  private final Locks locks;
  private final Locks.Host host;
  private final Output out;
  private final Map<Force, TreeSet<Integer>> awaited = new LinkedHashMap<>(); // by position

  private int known; // how many members have been asked

  Forces(Locks locks, Locks.Host host, Output out) {
    this.locks = locks;
    this.host = host;
    this.out = out;
  }

  /** Asks everybody, this member first; without a view, once there is one. */
  void force(Force force, View view, int self) {
    if (onForce(force).ended()) {
      out.forced(force.lock(), force.fence(), true);
      return;
    }
    TreeSet<Integer> asked = new TreeSet<>();
    for (int position = 0; position < view.places().size(); position++) {
      asked.add(position);
    }
    asked.remove(self);
    awaited.put(force, asked);
    asked.forEach(position -> host.send(position, force));
    if (self != View.ABSENT && asked.isEmpty()) {
      awaited.remove(force);
      out.forced(force.lock(), force.fence(), false);
    }
  }

  /** In a new epoch everybody is asked again: answers and questions of the former are gone. */
  void begin(View view, int self) {
    known = view.places().size();
    List<Force> open = List.copyOf(awaited.keySet());
    awaited.clear();
    open.forEach(force -> force(force, view, self));
  }

  /** Who joins within the epoch is asked as well: the lock may have gone there. */
  void extend(View view, int self) {
    awaited.forEach(
        (force, asked) -> {
          for (int position = known; position < view.places().size(); position++) {
            if (position != self) {
              asked.add(position);
              host.send(position, force);
            }
          }
        });
    known = view.places().size();
  }

  /** This member is gone, and will not hear of them. */
  void end() {
    awaited.keySet().forEach(force -> out.forced(force.lock(), force.fence(), false));
    awaited.clear();
  }

  Forced onForce(Force force) {
    LockShare share = locks.find(force.lock());
    boolean ended = share != null && share.end(force.fence(), Loss.FORCED);
    return new Forced(force.lock(), force.fence(), ended);
  }

  void onForced(int from, Forced answer) {
    Force force = new Force(answer.lock(), answer.fence());
    TreeSet<Integer> asked = awaited.get(force);
    if (asked != null) {
      asked.remove(from);
      if (answer.ended() || asked.isEmpty()) {
        awaited.remove(force);
        out.forced(force.lock(), force.fence(), answer.ended());
      }
    }
  }
}
