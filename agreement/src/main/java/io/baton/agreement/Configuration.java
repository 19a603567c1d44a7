package io.baton.agreement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The voters by id, in order. A majority of them is a quorum.
 *
 * @param frozen whether an operator alone decides who votes: nobody is exchanged by itself
 */
public record Configuration(List<String> voters, boolean frozen) {
  /** The configuration of a voter that has not been told any. */
  public static final Configuration NONE = new Configuration(List.of());

  /** Sorts and copies the voters. */
  public Configuration {
    voters = List.copyOf(new TreeSet<>(voters));
  }

  /** The configuration with these voters. */
  public Configuration(List<String> voters) {
    this(voters, false);
  }

  /** The configuration with these voters. */
  public static Configuration of(String... voters) {
    return new Configuration(List.of(voters));
  }

  /** Whether a majority of these voters is among those who answered. */
  public boolean isQuorum(Collection<String> answered) {
    long votes = voters.stream().filter(answered::contains).count();
    return 2 * votes > voters.size();
  }

  /** Whether there is no voter yet. */
  public boolean isEmpty() {
    return voters.isEmpty();
  }

  /** The voters of this configuration and of another one. */
  public List<String> and(Configuration other) {
    List<String> both = new ArrayList<>(voters);
    other.voters.stream().filter(voter -> !voters.contains(voter)).forEach(both::add);
    return both;
  }

  /** The same, with one voter in the place of another. */
  Configuration exchanged(String gone, String newcomer) {
    List<String> next = new ArrayList<>(voters);
    next.remove(gone);
    next.add(newcomer);
    return new Configuration(next, frozen);
  }

  /** The same, to be changed by an operator alone or by itself. */
  Configuration freeze(boolean freeze) {
    return new Configuration(voters, freeze);
  }

  @Override
  public String toString() {
    return String.join("+", voters) + (frozen ? " (frozen)" : "");
  }
}
