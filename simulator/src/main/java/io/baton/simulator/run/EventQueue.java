package io.baton.simulator.run;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Steps in order of time, and in order of arrival where times are equal.
 *
 * <p>A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990): time never goes back, so a step waits in a
 * bucket named by the highest bit in which its time differs from the present, and moves to a lower
 * bucket only when the present reaches its stretch. Buckets are read and written in order, which
 * caches like; a million steps cost no more each than a hundred. Order of arrival is kept because
 * steps of equal time always share a bucket and every move keeps their order.
 */
final class EventQueue {
  private final Bucket[] buckets = new Bucket[Long.SIZE + 1];
  private long present;
  private int size;

  EventQueue() {
    Arrays.setAll(buckets, k -> new Bucket());
  }

  /** The time of the step last taken. */
  long present() {
    return present;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(long time, Step step) {
    if (time < present) {
      throw new IllegalArgumentException("time " + time + " is before the present " + present);
    }
    bucket(time).add(time, step);
    size++;
  }

  private Bucket bucket(long time) {
    return buckets[Long.SIZE - Long.numberOfLeadingZeros(time ^ present)];
  }

  /** Takes the next step and makes its time the present. */
  Step take() {
    Bucket now = buckets[0];
    if (now.isEmpty()) {
      Bucket next = buckets[1];
      for (int k = 2; next.isEmpty(); k++) {
        next = buckets[k]; // ends, or the queue is empty and this fails
      }
      present = next.earliest();
      next.moveAll(this);
    }
    size--;
    return now.takeFirst();
  }

  /** Takes out every step of a kind. */
  void removeIf(Predicate<Step> unwanted) {
    for (Bucket bucket : buckets) {
      size -= bucket.removeIf(unwanted);
    }
  }

  void forEach(Consumer<Step> action) {
    for (Bucket bucket : buckets) {
      bucket.forEach(action);
    }
  }

  /** Times and steps side by side, in order of arrival. */
  private static final class Bucket {
    private long[] times = new long[4];
    private @Nullable Step[] steps = new Step[4];
    private int first;
    private int end;

    boolean isEmpty() {
      return first == end;
    }

    void add(long time, Step step) {
      if (end == times.length) {
        times = Arrays.copyOf(times, 2 * end);
        steps = Arrays.copyOf(steps, 2 * end);
      }
      times[end] = time;
      steps[end++] = step;
    }

    long earliest() {
      long earliest = times[first];
      for (int k = first + 1; k < end; k++) {
        earliest = Math.min(earliest, times[k]);
      }
      return earliest;
    }

    Step takeFirst() {
      Step step = steps[first];
      if (step == null) {
        throw new IllegalStateException("nothing left to take");
      }
      steps[first++] = null;
      if (first == end) {
        first = 0;
        end = 0;
      }
      return step;
    }

    /** Sorts what is here into the lower buckets. */
    void moveAll(EventQueue queue) {
      for (int k = first; k < end; k++) {
        Step step = steps[k];
        if (step != null) {
          queue.bucket(times[k]).add(times[k], step);
          steps[k] = null;
        }
      }
      first = 0;
      end = 0;
    }

    int removeIf(Predicate<Step> unwanted) {
      int kept = first;
      for (int k = first; k < end; k++) {
        Step step = steps[k];
        if (step != null && !unwanted.test(step)) {
          times[kept] = times[k];
          steps[kept++] = step;
        }
      }
      int removed = end - kept;
      Arrays.fill(steps, kept, end, null);
      end = kept;
      return removed;
    }

    void forEach(Consumer<Step> action) {
      for (int k = first; k < end; k++) {
        Step step = steps[k];
        if (step != null) {
          action.accept(step);
        }
      }
    }
  }
}
