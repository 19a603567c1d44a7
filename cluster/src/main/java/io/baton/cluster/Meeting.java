package io.baton.cluster;

import io.baton.cluster.Frame.Hello;
import io.baton.member.Newcomer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How members that know nothing but some addresses find each other. A cluster is founded when all
 * that are expected have answered and none belongs to one; the least of them by id does it, and the
 * others follow. It begins once all have: so nobody can be part of two (R5).
 */
final class Meeting {
  private static final long NAMES_EVERY = 5_000_000_000L;

  private final NodeConfig config;
  private final String self;
  private final Map<String, Hello> met = new ConcurrentHashMap<>(); // who answered, by address
  private final Map<String, String> problems = new ConcurrentHashMap<>(); // by address
  private volatile List<String> seeds;
  private volatile @Nullable String nameProblem;
  private volatile long nextNames = System.nanoTime();
  private volatile @Nullable Long inUseAt; // when somebody said so last
  private final AtomicBoolean resolving = new AtomicBoolean();

  Meeting(NodeConfig config, String self) {
    this.config = config;
    this.self = self;
    this.seeds = config.peers();
  }

  /** Whether it is time to look up names. */
  boolean wantsNames() {
    return config.dns().isPresent() && System.nanoTime() - nextNames >= 0;
  }

  /** Looks up the name whose addresses are the members; may take long. */
  void resolve() {
    if (!wantsNames() || !resolving.compareAndSet(false, true)) {
      return;
    }
    try {
      lookUp();
    } finally {
      nextNames = System.nanoTime() + NAMES_EVERY;
      resolving.set(false);
    }
  }

  private void lookUp() {
    String name = config.dns().orElseThrow();
    int colon = name.lastIndexOf(':');
    try {
      List<String> found = new ArrayList<>();
      for (InetAddress address : InetAddress.getAllByName(name.substring(0, colon))) {
        found.add(address.getHostAddress() + name.substring(colon));
      }
      seeds = found;
      nameProblem = null;
    } catch (UnknownHostException e) {
      nameProblem = "no such name: " + name.substring(0, colon);
    }
  }

  /** The addresses where nobody is known to be connected. */
  List<String> toLookFor(Predicate<String> connected) {
    return seeds.stream().filter(seed -> !isSettled(seed, connected)).toList();
  }

  /** Whether who answered at an address is connected, or is this very process. */
  boolean isSettled(String address, Predicate<String> connected) {
    Hello hello = met.get(address);
    return hello != null && (hello.id().equals(self) || connected.test(hello.id()));
  }

  void met(String address, Hello hello) {
    met.put(address, hello);
    problems.remove(address);
  }

  void unreachable(String address, String why) {
    problems.put(address, why);
  }

  /** Somebody with this member's id may still hold locks. */
  void inUse() {
    inUseAt = System.nanoTime();
  }

  /** Those who found a cluster, if it is for this member to do so now; else nobody. */
  List<Newcomer> founders(Map<String, Hello> greetings, Newcomer me) {
    if (config.foundsAlone()) { // and should somebody else be about to, the least of them does
      boolean isFirst =
          greetings.values().stream()
              .noneMatch(other -> other.founds() && other.id().compareTo(self) < 0);
      return isFirst ? List.of(me) : List.of();
    }
    List<String> expected = config.peers(); // a name may have other addresses for others
    Map<String, Newcomer> founders = new LinkedHashMap<>();
    for (String seed : expected) {
      Hello answer = met.get(seed);
      Hello now = answer == null ? null : greetings.get(answer.id());
      if (answer != null && answer.id().equals(self)) {
        founders.put(self, me);
      } else if (now != null && !now.belongs()) {
        founders.put(now.id(), newcomer(now));
      } else {
        return List.of();
      }
    }
    if (founders.size() < Math.max(2, expected.size())) {
      return List.of(); // some of them are the same, or it would be alone
    }
    boolean isFirst = founders.keySet().stream().min(String::compareTo).orElse("").equals(self);
    return isFirst ? List.copyOf(founders.values()) : List.of();
  }

  static Newcomer newcomer(Hello hello) {
    return new Newcomer(hello.id(), hello.address(), hello.run());
  }

  /** Why this member has not been admitted, in words. */
  String explain() {
    List<String> reasons = new ArrayList<>();
    Long inUse = inUseAt;
    if (inUse != null && System.nanoTime() - inUse < config.settings().lease()) {
      reasons.add(
          "its identity is in use: another process with this id, or its former life,"
              + " may still hold locks");
    }
    String names = nameProblem;
    if (names != null) {
      reasons.add(names);
    }
    List<String> expected = seeds;
    List<String> silent = expected.stream().filter(seed -> !met.containsKey(seed)).toList();
    if (!silent.isEmpty()) {
      reasons.add(
          "%d of %d expected members are ready; not %s"
              .formatted(
                  expected.size() - silent.size(),
                  expected.size(),
                  silent.stream()
                      .map(seed -> seed + " (" + problems.getOrDefault(seed, "silence") + ")")
                      .collect(Collectors.joining(", "))));
    } else if (!expected.isEmpty()
        && met.values().stream().noneMatch(h -> h.id().equals(self) || h.belongs())) {
      reasons.add("this member is not among peers, and those have not founded a cluster");
    }
    if (config.dns().isPresent() && met.values().stream().noneMatch(Hello::belongs)) {
      reasons.add("nobody there belongs to a cluster: found = true at one member founds it");
    } else if (isAnyTwice(expected)) {
      reasons.add("some of peers are the same member");
    }
    if (reasons.isEmpty()) {
      reasons.add("no majority of the voters answers");
    }
    return String.join("; ", reasons);
  }

  private boolean isAnyTwice(List<String> addresses) {
    List<String> ids =
        addresses.stream().map(met::get).filter(Objects::nonNull).map(Hello::id).toList();
    return Set.copyOf(ids).size() < ids.size();
  }
}
