package io.baton.simulator.cluster;

import java.util.HashMap;
import java.util.Map;

/**
 * Who has which lock in use or waits for it, and until when somebody did: for those who only try.
 */
final class Usage {
  private record Use(String lock, Site site) {}

  private final Map<Object, Use> uses = new HashMap<>(); // by call
  private final Map<String, Long> lastUsed = new HashMap<>();

  void begins(Object call, String lock, Site site) {
    uses.put(call, new Use(lock, site));
  }

  void ends(Object call, long now) {
    Use use = uses.remove(call);
    if (use != null) {
      usedUntil(use.lock(), now);
    }
  }

  /** The lock is kept from others until then, without anybody being told when that is over. */
  void usedUntil(String lock, long time) {
    lastUsed.merge(lock, time, Math::max);
  }

  /** All that its processes wanted or had is over. */
  void crashed(Site site, long now) {
    uses.forEach(
        (call, use) -> {
          if (use.site() == site) {
            usedUntil(use.lock(), now);
          }
        });
    uses.values().removeIf(use -> use.site() == site);
  }

  /** Whether somebody has had the lock in use, or waited for it, at some moment since. */
  boolean wasUsedSince(String lock, long since) {
    return lastUsed.getOrDefault(lock, -1L) >= since
        || uses.values().stream().anyMatch(use -> use.lock().equals(lock));
  }
}
