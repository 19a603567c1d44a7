package io.baton.simulator.run;

import io.baton.algorithms.Message;
import io.baton.simulator.system.LockSystem;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a run is measured by. A message is charged to the request it serves. */
public final class Measures {
  private static final int NOBODY = -1;

  private final LockSystem system;
  private final long[] since; // by seat, when the user came whose request is current
  private final int[] number; // of the current request, in order of making
  private final int[] charged; // messages so far for the current request
  private final int[] served; // critical sections of each node
  private final long[] load; // messages that each node sent or received
  private final Bypasses bypasses;

  private final Accounts accounts = new Accounts();
  private final BitSet hasAccount = new BitSet(); // seats whose current request has one
  private final Samples messagesPerCs = new Samples();
  private final Samples waiting = new Samples();
  private final Samples synchronisation = new Samples();
  private final Tally kinds = new Tally();
  private int requests;
  private int sections; // that ended
  private int grants;
  private int abandoned;
  private long messages;
  private long hops;
  private long bytes;
  private int largest; // bytes of one message
  private long worst; // the most messages of one request, since told to forget
  private int longestBypass;
  private long lastExit = NOBODY; // of a critical section that left somebody waiting

  /**
   * Nothing has been measured yet.
   *
   * @param maxRequests how many users may come
   */
  public Measures(LockSystem system, int maxRequests) {
    this.system = system;
    since = new long[system.seats()];
    number = new int[system.seats()];
    charged = new int[system.seats()];
    served = new int[system.size()];
    load = new long[system.size()];
    bypasses = new Bypasses(maxRequests);
  }

  /**
   * A user who wants to enter.
   *
   * @param number in order of coming, from 0
   */
  public record Request(long since, int number) {}

  /** A user comes. */
  public Request arrived(long now) {
    return new Request(now, requests++);
  }

  /** A user is the next of its seat. */
  public void requested(int seat, Request request) {
    since[seat] = request.since();
    number[seat] = request.number();
    charged[seat] = 0;
  }

  /** A message sets out. */
  public void sent(Step.Delivery delivery, int physicalHops) {
    Message message = delivery.message();
    messages++;
    hops += physicalHops;
    load[delivery.from()]++;
    load[delivery.to()]++;
    kinds.count(message);
    int size = message.bytes();
    bytes += size;
    largest = Math.max(largest, size);
    if (message.ticket() != 0) {
      accounts.sent(message);
    } else if (message.sink() >= 0) {
      charged[system.seat(message.sink(), message.resource())]++;
    }
  }

  /** A message has been handled by who got it. */
  public void handled(Message message) {
    Accounts.Account closed = message.ticket() == 0 ? null : accounts.handled(message);
    if (closed != null) {
      messagesPerCs.add(closed.messages());
    }
  }

  /** The next user of a seat enters. */
  public void granted(int seat, long now) {
    hasAccount.set(seat, accounts.granted(seat));
    grants++;
    waiting.add(now - since[seat]);
    longestBypass = Math.max(longestBypass, bypasses.granted(number[seat]));
    if (lastExit != NOBODY) {
      synchronisation.add(now - lastExit);
      lastExit = NOBODY;
    }
  }

  /** Requests whose node crashed before they were granted. */
  public void abandoned(int count) {
    abandoned += count;
  }

  /** The user of a seat has left, and what its node sends at that has set out. */
  public void left(int seat, long now) {
    served[system.node(seat)]++;
    sections++;
    if (!hasAccount.get(seat)) {
      messagesPerCs.add(charged[seat]);
    }
    worst = Math.max(worst, charged[seat]);
    charged[seat] = 0;
    lastExit = unserved() > 0 ? now : NOBODY;
  }

  /** Critical sections that ended. */
  public long criticalSections() {
    return sections;
  }

  /** Requests that were made, those of users who wait at a busy node included. */
  public long requests() {
    return requests;
  }

  /** Requests that were made, neither granted so far nor lost with their node. */
  public long unserved() {
    return (long) requests - grants - abandoned;
  }

  void forgetWorst() {
    worst = 0;
  }

  long worst() {
    return worst;
  }

  /** Messages sent. */
  public long messages() {
    return messages;
  }

  /** Messages sent, times the physical links each went over. */
  public long hops() {
    return hops;
  }

  /** Bytes of all messages sent. */
  public long bytes() {
    return bytes;
  }

  /** Bytes of the largest message. */
  public int largest() {
    return largest;
  }

  /** Messages by kind. */
  public SortedMap<String, Long> messagesByKind() {
    return kinds.byName();
  }

  /** Messages charged to each request whose critical section ended. */
  public Samples messagesPerCs() {
    return messagesPerCs;
  }

  /** Ticks from a user's coming to the grant. */
  public Samples waiting() {
    return waiting;
  }

  /** Ticks from an exit that left somebody waiting to the next entry. */
  public Samples synchronisation() {
    return synchronisation;
  }

  /** The most requests made later that were granted before one. */
  public int longestBypass() {
    return longestBypass;
  }

  /** Jain's index of the nodes' shares of critical sections: 1 all alike, 1/N one has all. */
  public double fairness() {
    double sum = 0;
    double squares = 0;
    for (int count : served) {
      sum += count;
      squares += (double) count * count;
    }
    return squares == 0 ? 1 : sum * sum / (served.length * squares);
  }

  /** The messages that the busiest node sent or received. */
  public long maxLoad() {
    return Arrays.stream(load).max().orElse(0);
  }

  /** The messages that a node sent or received, on average. */
  public double meanLoad() {
    return Arrays.stream(load).average().orElse(0);
  }

  /** Counts by the class of a message; there are few, so a list will do. */
  private static final class Tally {
    private @Nullable Class<?>[] classes = new Class<?>[4];
    private long[] counts = new long[4];

    void count(Message message) {
      Class<?> kind = message.getClass();
      int k = 0;
      while (k < classes.length && classes[k] != kind && classes[k] != null) {
        k++;
      }
      if (k == classes.length) {
        classes = Arrays.copyOf(classes, 2 * k);
        counts = Arrays.copyOf(counts, 2 * k);
      }
      classes[k] = kind;
      counts[k]++;
    }

    /** RingToken is a token. */
    private static String name(Class<?> kind) {
      String name = kind.getSimpleName().replaceFirst("^(Ring|Network)(?=[A-Z])", "");
      return name.toLowerCase(Locale.ROOT);
    }

    SortedMap<String, Long> byName() {
      SortedMap<String, Long> result = new TreeMap<>();
      for (int k = 0; k < classes.length; k++) {
        Class<?> kind = classes[k];
        if (kind != null) {
          result.put(name(kind), counts[k]);
        }
      }
      return result;
    }
  }
}
