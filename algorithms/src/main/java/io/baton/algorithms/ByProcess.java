package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is known of some processes, by name: an immutable map that grows, because a node of [NET]
 * does not know how many processes there are.
 */
final class ByProcess<V> {
  private final SortedMap<Integer, V> map;

  private ByProcess(SortedMap<Integer, V> map) {
    this.map = map;
  }

  static <V> ByProcess<V> empty() {
    return new ByProcess<>(new TreeMap<>());
  }

  @Nullable V get(int process) {
    return map.get(process);
  }

  V get(int process, V otherwise) {
    V value = map.get(process);
    return value == null ? otherwise : value;
  }

  ByProcess<V> with(int process, V value) {
    if (value.equals(map.get(process))) {
      return this;
    }
    TreeMap<Integer, V> copy = new TreeMap<>(map);
    copy.put(process, value);
    return new ByProcess<>(copy);
  }

  /** The larger of both values for each process. */
  ByProcess<V> merge(ByProcess<V> other, Larger<V> larger) {
    TreeMap<Integer, V> merged = new TreeMap<>(map);
    other.map.forEach(
        (process, value) -> {
          V mine = merged.get(process);
          merged.put(process, mine == null ? value : larger.of(mine, value));
        });
    return merged.equals(map) ? this : new ByProcess<>(merged);
  }

  /** Which of two values is the larger one. */
  interface Larger<V> {
    V of(V a, V b);
  }

  /** The same processes with other values. */
  <W> ByProcess<W> map(Function<V, W> change) {
    TreeMap<Integer, W> changed = new TreeMap<>();
    map.forEach((process, value) -> changed.put(process, change.apply(value)));
    return new ByProcess<>(changed);
  }

  void forEach(BiConsumer<Integer, V> action) {
    map.forEach(action);
  }

  int size() {
    return map.size();
  }

  /** The entries as a reader would write them. */
  String text(Function<V, String> words) {
    List<String> entries = new ArrayList<>();
    map.forEach((process, value) -> entries.add(Names.of(process) + ":" + words.apply(value)));
    return "{" + String.join(",", entries) + "}";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ByProcess<?> that && map.equals(that.map);
  }

  @Override
  public int hashCode() {
    return map.hashCode();
  }

  @Override
  public String toString() {
    return text(String::valueOf);
  }
}
