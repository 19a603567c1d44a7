package io.baton.member;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When holds end by themselves, one at most for each lock: a hold that may last no longer, and one
 * whose holder is done and that is kept from others for a while yet.
 */
final class Limits {
  /**
   * The end of a hold.
   *
   * @param rests whether its holder has given it back
   */
  record Limit(String lock, long fence, long at, boolean rests) {}

  private final Map<String, Limit> byLock = new LinkedHashMap<>();
  private final TreeSet<Limit> byTime =
      new TreeSet<>(Comparator.comparingLong(Limit::at).thenComparing(Limit::lock));

  void set(Limit limit) {
    remove(limit.lock());
    byLock.put(limit.lock(), limit);
    byTime.add(limit);
  }

  void remove(String lock) {
    Limit former = byLock.remove(lock);
    if (former != null) {
      byTime.remove(former);
    }
  }

  void clear() {
    byLock.clear();
    byTime.clear();
  }

  /** One that is due, taken out; null: none is. */
  @Nullable Limit takeDue(long now) {
    if (byTime.isEmpty() || byTime.first().at() > now) {
      return null;
    }
    Limit due = byTime.first();
    remove(due.lock());
    return due;
  }

  long next() {
    return byTime.isEmpty() ? Link.NEVER : byTime.first().at();
  }
}
