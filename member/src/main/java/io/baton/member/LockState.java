package io.baton.member;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one member knows of one lock.
 *
 * @param holder who holds it here; null: nobody
 * @param callers who waits here, in order
 * @param members whose requests wait at this member, in order
 * @param hasToken whether the token is here
 * @param towards the member to which the token was lent, or that is asked for it; empty where the
 *     token is here, or nothing is known of it
 * @param fence the last one given, where the token is here
 */
public record LockState(
    String lock,
    @Nullable Caller holder,
    List<Caller> callers,
    List<String> members,
    boolean hasToken,
    String towards,
    long fence) {
  /** The lists are copied. */
  public LockState {
    callers = List.copyOf(callers);
    members = List.copyOf(members);
  }

  /** Nothing is known of it. */
  public static LockState unknown(String lock) {
    return new LockState(lock, null, List.of(), List.of(), false, "", 0);
  }
}
