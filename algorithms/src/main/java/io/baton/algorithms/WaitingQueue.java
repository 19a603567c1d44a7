package io.baton.algorithms;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests that wait at a node until it is free, in order of arrival. */
public final class WaitingQueue {
  private static final @Nullable Request[] NONE = {};
  private static final int SMALL = 64;

  /** A ring of a power of two: the request at place p is at (head + p) modulo its length. */
  private @Nullable Request[] ring = NONE;

  private int head;
  private int size;

  WaitingQueue() {}

  /** How many wait. */
  public int size() {
    return size;
  }

  /** The request at a place; 0 has waited longest. */
  public Request get(int place) {
    Request request = place >= 0 && place < size ? ring[index(place)] : null;
    if (request == null) {
      throw new IndexOutOfBoundsException("place " + place + " of " + size);
    }
    return request;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(Request request) {
    if (size == ring.length) {
      Request[] larger = new Request[Math.max(4, 2 * size)];
      for (int place = 0; place < size; place++) {
        larger[place] = get(place);
      }
      ring = larger;
      head = 0;
    }
    ring[index(size++)] = request;
  }

  Request remove(int place) {
    Request request = get(place);
    if (place == 0) {
      ring[head] = null;
      head = index(1);
    } else {
      for (int later = place + 1; later < size; later++) {
        ring[index(later - 1)] = ring[index(later)];
      }
      ring[index(size - 1)] = null;
    }
    size--;
    if (size == 0 && ring.length > SMALL) {
      ring = NONE; // a crowd that has gone leaves no memory behind
    }
    return request;
  }

  private int index(int place) {
    return (head + place) & (ring.length - 1);
  }

  List<Request> capture() {
    Request[] copy = new Request[size];
    for (int place = 0; place < size; place++) {
      copy[place] = get(place);
    }
    return List.of(copy);
  }

  void restore(List<Request> requests) {
    ring = NONE;
    head = 0;
    size = 0;
    requests.forEach(this::add);
  }
}
