package io.baton.simulator.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Gives equal values one small number. */
public final class Interner<T> {
  private final Map<T, Integer> numbers = new HashMap<>(); // looked up, never iterated
  private final List<T> values = new ArrayList<>();

  public int number(T value) {
    Integer known = numbers.putIfAbsent(value, values.size());
    if (known == null) {
      values.add(value);
      return values.size() - 1;
    }
    return known;
  }

  public T value(int number) {
    return values.get(number);
  }
}
