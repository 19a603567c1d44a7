package io.baton.agreement;

import java.util.Map;
import java.util.TreeMap;

/** Who has been heard of, and for how long without a gap. */
final class Hearing {
  static final long NEVER = Long.MIN_VALUE;

  private record Span(long since, long last) {}

  private final long silence; // that makes a gap
  private final Map<String, Span> spans = new TreeMap<>();

  Hearing(long silence) {
    this.silence = silence;
  }

  void heard(String id, long now) {
    Span former = spans.get(id);
    long since = former == null || now - former.last > silence ? now : former.since;
    spans.put(id, new Span(since, now));
  }

  /** Whether somebody was heard of no longer ago than that. */
  boolean isHeard(String id, long within, long now) {
    Span span = spans.get(id);
    return span != null && now - span.last <= within;
  }

  /** Since when somebody has been heard of without a gap until now; NEVER: there is one. */
  long since(String id, long now) {
    Span span = spans.get(id);
    return span == null || now - span.last > silence ? NEVER : span.since;
  }

  /** When somebody was last heard of, but not before an instant. */
  long last(String id, long earliest) {
    Span span = spans.get(id);
    return span == null ? earliest : Math.max(earliest, span.last);
  }
}
