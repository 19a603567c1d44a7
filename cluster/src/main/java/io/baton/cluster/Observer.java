package io.baton.cluster;

import io.baton.member.Loss;
import java.util.List;

/** Hears what happens to a member; never under its guard, and in the order in which it happens. */
public interface Observer {
  /** Locks can be held, from now on. */
  void ready();

  /** None can be held any more, or for now. */
  void suspended(String why);

  /** This member has left, or was ended by an error. */
  void left();

  /** The cluster has so many members. */
  void members(int count);

  /** The lease lasts for so many nanoseconds from now. */
  void lease(long remaining);

  /** A hold was lost. */
  void lost(String lock, long fence, Loss reason);

  /** Nobody can close a hold any more, which goes on. */
  void dropped(String lock, long fence);

  /** The token of a lock went to another member. */
  void handedOver(String lock);

  /** Each of these waits for a lock that the next one holds, the last for one of the first. */
  void deadlocked(List<Blocked> cycle);
}
