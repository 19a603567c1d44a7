package io.baton.cluster;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is said once a minute, however often it happens; for one thread. */
final class Seldom {
  private static final long PAUSE = 60_000_000_000L;
  private static final int MOST = 100; // texts remembered: others may send what they like

  private final Map<String, Long> saidAt =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST;
        }
      };

  /** Whether this is to be said now. */
  boolean isDue(String text, long now) {
    Long before = saidAt.get(text);
    if (before != null && now - before < PAUSE) {
      return false;
    }
    saidAt.remove(text);
    saidAt.put(text, now);
    return true;
  }
}
