package io.baton;

import io.baton.algorithms.Rule;
import io.baton.cluster.NodeConfig;
import io.baton.member.Rules;
import io.baton.member.Settings;
import io.baton.member.Shape;
import io.baton.member.View;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a member is told about itself: by {@link #load} from a file and the environment, or by a
 * {@link #builder}. Every key is explained in docs/CONFIGURATION.md.
 */
public final class BatonConfig {
  /** What a single lock has of its own. */
  private record OfLock(Optional<TokenRule> rule, Optional<Integer> passes) {}

  private static final int DEFAULT_PORT = 7420;
  private static final Address DEFAULT_BIND = new Address("127.0.0.1", DEFAULT_PORT);

  private final String cluster;
  private final String name;
  private final Path data;
  private final Address bind;
  private final Optional<Address> advertise;
  private final List<Address> peers;
  private final Optional<Address> dns;
  private final boolean found;
  private final int voters;
  private final Duration replaceVoterAfter;
  private final Duration lease;
  private final Duration joinTimeout;
  private final boolean shutdownHook;
  private final boolean leakDetection;
  private final Duration deadlockAfter;
  private final boolean restartProof;
  private final Shape tree;
  private final TokenRule rule;
  private final int passes;
  private final Map<String, OfLock> locks;

  private BatonConfig(Builder from) {
    this.cluster = from.cluster;
    this.name = from.name;
    this.data =
        from.data.orElseGet(
            () -> Path.of(System.getProperty("user.home", "."), ".baton", from.cluster));
    this.bind = from.bind.orElse(DEFAULT_BIND);
    this.advertise = from.advertise;
    this.peers = List.copyOf(from.peers);
    this.dns = from.dns;
    this.found = from.found;
    this.voters = from.voters;
    this.replaceVoterAfter = from.replaceVoterAfter;
    this.lease = from.lease;
    this.joinTimeout = from.joinTimeout;
    this.shutdownHook = from.shutdownHook;
    this.leakDetection = from.leakDetection;
    this.deadlockAfter = from.deadlockAfter;
    this.restartProof = from.restartProof;
    this.tree = from.tree;
    this.rule = from.rule;
    this.passes = from.passes;
    this.locks = new TreeMap<>(from.locks);
  }

  /**
   * From {@code baton.properties} (or the file named by {@code BATON_CONFIG}) where there is one,
   * and over it the environment: {@code BATON_JOIN_TIMEOUT} for {@code join-timeout}.
   *
   * @throws BatonException if they do not say how to find the others: a process that was started in
   *     the wrong folder is not to become a cluster of one without a word, as {@link Baton#join()}
   *     does
   */
  public static BatonConfig load() {
    return builder().load().build();
  }

  /** From this file and nothing else; it must say how to find the others. */
  public static BatonConfig load(Path file) {
    return builder().load(file).build();
  }

  /** Defaults, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  /** The name of the cluster. */
  public String cluster() {
    return cluster;
  }

  /** The name of this member, which its id begins with. */
  public String name() {
    return name;
  }

  /** Where this member keeps its identity, and its share of the agreed log. */
  public Path data() {
    return data;
  }

  /** How long a member may hold anything without renewing its lease. */
  public Duration lease() {
    return lease;
  }

  boolean leakDetection() {
    return leakDetection;
  }

  Duration deadlockAfter() {
    return deadlockAfter;
  }

  TokenRule ruleOf(String lock) {
    OfLock own = locks.get(lock);
    return own == null ? rule : own.rule().orElse(rule);
  }

  Rules rules() {
    return new Rules() {
      @Override
      public Rule of(String lock, int founders) {
        return ruleOf(lock).rules().of(lock, founders);
      }

      @Override
      public int passes(String lock, int usual) {
        OfLock own = locks.get(lock);
        return own == null ? passes : own.passes().orElse(passes);
      }
    };
  }

  /** All times follow the lease. */
  Settings memberSettings() {
    return Settings.ofSecond(lease.toNanos() / 5);
  }

  Shape tree() {
    return tree;
  }

  boolean isAlone() {
    return peers.isEmpty() && dns.isEmpty() && !found;
  }

  /** For how long a voter is away before another votes in its place. */
  Duration replaceVoterAfter() {
    return replaceVoterAfter;
  }

  NodeConfig nodeConfig() {
    return new NodeConfig(
        cluster,
        name,
        data,
        bind.socket(),
        advertise.map(Address::toString),
        peers.stream().map(Address::toString).toList(),
        dns.map(Address::toString),
        found || isAlone(),
        !isAlone(),
        voters,
        replaceVoterAfter,
        joinTimeout,
        shutdownHook,
        deadlockAfter,
        restartProof,
        tree,
        memberSettings(),
        rules());
  }

  /** Changes the defaults, by hand or from what others wrote. */
  public static final class Builder {
    private String cluster = "baton";
    private String name = "member";
    private Optional<Path> data = Optional.empty();
    private Optional<Address> bind = Optional.empty();
    private Optional<Address> advertise = Optional.empty();
    private List<Address> peers = List.of();
    private Optional<Address> dns = Optional.empty();
    private boolean found;
    private boolean insecure;
    private int voters = 3;
    private Duration replaceVoterAfter = Duration.ofMinutes(1);
    private Duration lease = Duration.ofSeconds(5);
    private Duration joinTimeout = Duration.ofMinutes(1);
    private boolean shutdownHook = true;
    private boolean leakDetection;
    private Duration deadlockAfter = Duration.ofSeconds(10);
    private boolean restartProof = true;
    private Shape tree = Shape.STAR;
    private TokenRule rule = TokenRule.NAIMI_TREHEL;
    private int passes = 16;
    private final Map<String, OfLock> locks = new TreeMap<>();
    private final List<String> read = new ArrayList<>(); // from where, for people to read

    private Builder() {}

    /** The name of the cluster; members of another are refused. Default: baton. */
    public Builder cluster(String newCluster) {
      cluster = Checks.name("cluster", newCluster);
      return this;
    }

    /** A name for this member, for people to read; its id begins with it. Default: member. */
    public Builder name(String newName) {
      name = Checks.name("name", newName);
      return this;
    }

    /** The folder of this member's identity. Default: .baton and the cluster's name, at home. */
    public Builder data(Path newData) {
      if (newData.toString().isBlank()) {
        throw new BatonException(
            "data is empty: name the folder where this member keeps its files");
      }
      data = Optional.of(newData);
      return this;
    }

    /** Where this member listens. Default: 127.0.0.1:7420. */
    public Builder bind(String newBind) {
      bind = Optional.of(Address.parse("bind", newBind, DEFAULT_PORT));
      return this;
    }

    /** Where others reach it. Default: where it listens. */
    public Builder advertise(String newAdvertise) {
      advertise = Optional.of(Address.parse("advertise", newAdvertise, DEFAULT_PORT));
      return this;
    }

    /** The members to begin with, this one among them; they found the cluster together. */
    public Builder peers(List<String> newPeers) {
      if (newPeers.isEmpty()) {
        throw new BatonException(
            "peers is empty: name the members, or leave it out where there are none");
      }
      peers = newPeers.stream().map(text -> Address.parse("peers", text, DEFAULT_PORT)).toList();
      Set<Address> seen = new HashSet<>();
      for (Address peer : peers) {
        if (!seen.add(peer)) {
          throw new BatonException("peers names " + peer + " twice");
        }
      }
      return this;
    }

    /** A name whose addresses are the members to begin with. */
    public Builder dns(String newDns) {
      dns = Optional.of(Address.parse("dns", newDns, DEFAULT_PORT));
      return this;
    }

    /** Whether this member founds a cluster alone, which others may join. Default: no. */
    public Builder found(boolean newFound) {
      found = newFound;
      return this;
    }

    /** Whether to listen beyond this machine although nothing is encrypted. Default: no. */
    public Builder insecure(boolean newInsecure) {
      insecure = newInsecure;
      return this;
    }

    /** How many members vote, where there are as many: 1, 3, 5 or 7. Default: 3. */
    public Builder voters(int newVoters) {
      voters = Checks.voters(newVoters);
      return this;
    }

    /** For how long a voter does not answer before another votes in its place. Default: 1m. */
    public Builder replaceVoterAfter(Duration limit) {
      replaceVoterAfter = Checks.positive("replace-voter-after", limit);
      return this;
    }

    /** How long a member may hold anything without renewing. Default: 5s; all members alike. */
    public Builder lease(Duration newLease) {
      lease = Checks.lease(newLease);
      return this;
    }

    /** For how long {@link Baton#join} tries. Default: 1m. */
    public Builder joinTimeout(Duration limit) {
      joinTimeout = Checks.positive("join-timeout", limit);
      return this;
    }

    /**
     * Whether this member leaves by itself when the process is told to end. Default: yes. Set it to
     * false where a container closes Baton in its own order, after what is done under locks has
     * been finished: hooks of a process run beside each other.
     */
    public Builder shutdownHook(boolean newShutdownHook) {
      shutdownHook = newShutdownHook;
      return this;
    }

    /**
     * Whether each hold notes where it was taken, so that one which nobody can close any more is
     * logged with that. Default: no, for it makes taking a lock slower.
     */
    public Builder leakDetection(boolean newLeakDetection) {
      leakDetection = newLeakDetection;
      return this;
    }

    /**
     * How long somebody waits for a lock before the members are asked whether it waits for itself.
     * Default: 10 s.
     */
    public Builder deadlockAfter(Duration newDeadlockAfter) {
      deadlockAfter = Checks.positive("deadlock-after", newDeadlockAfter);
      return this;
    }

    /**
     * Whether a process that starts again proves that the one before it has ended, so that its
     * locks are free at once instead of after a lease. To be switched off where machines or
     * processes are restored together with their memory.
     */
    public Builder restartProof(boolean proves) {
      restartProof = proves;
      return this;
    }

    /** The tree of a new cluster: star, binary or cube. Default: star. */
    public Builder tree(String newTree) {
      tree = Checks.choice("tree", newTree, Shape.class);
      return this;
    }

    /** The rule by which tokens move. Default: naimi-trehel. */
    public Builder rule(TokenRule newRule) {
      rule = Objects.requireNonNull(newRule);
      return this;
    }

    /** How many local callers in a row are served while another member waits. Default: 16. */
    public Builder passes(int newPasses) {
      passes = Checks.atLeast("passes", newPasses, 1);
      return this;
    }

    /** The rule of one lock. */
    public Builder rule(String lock, TokenRule newRule) {
      OfLock own = ofLock(lock);
      locks.put(lock, new OfLock(Optional.of(newRule), own.passes()));
      return this;
    }

    /** The bound on local passing of one lock. */
    public Builder passes(String lock, int newPasses) {
      int checked = Checks.atLeast("passes", newPasses, 1);
      locks.put(lock, new OfLock(ofLock(lock).rule(), Optional.of(checked)));
      return this;
    }

    private OfLock ofLock(String lock) {
      Checks.lockName(lock);
      return locks.getOrDefault(lock, new OfLock(Optional.empty(), Optional.empty()));
    }

    /** Takes what {@code baton.properties} and the environment say. */
    public Builder load() {
      return load(System.getenv());
    }

    Builder load(Map<String, String> environment) {
      ConfigSource.file(environment)
          .ifPresentOrElse(this::load, () -> read.add(ConfigSource.noFile()));
      return loadEnvironment(environment);
    }

    /** Takes what the environment says, over a file of one's own for example. */
    public Builder loadEnvironment() {
      return loadEnvironment(System.getenv());
    }

    Builder loadEnvironment(Map<String, String> environment) {
      Keys.setAll(this, ConfigSource.ofEnvironment(environment), "In the environment");
      read.add("the environment");
      return this;
    }

    /** Takes what a file says. */
    public Builder load(Path file) {
      Keys.setAll(this, ConfigSource.ofFile(file), "In " + file.toAbsolutePath());
      read.add(file.toAbsolutePath().toString());
      return this;
    }

    /** Sets one key, as in a file. */
    public Builder set(String key, String value) {
      Keys.set(this, key, value);
      return this;
    }

    /** Done; refused where it does not fit together. */
    public BatonConfig build() {
      boolean alone = peers.isEmpty() && dns.isEmpty() && !found;
      if (alone && !read.isEmpty()) {
        throw new BatonException(
            "Nothing says how to find the others, neither peers nor dns nor found = true: not in "
                + String.join(", not in ", read)
                + ". Each member would be a cluster of its own and hold every lock. Name the"
                + " members in peers, or BATON_PEERS; for a cluster of one, say found = true or call"
                + " Baton.join()");
      }
      if (alone && (bind.isPresent() || advertise.isPresent() || insecure)) {
        throw new BatonException(
            "It is said where this member is reached, yet neither peers nor dns nor found = true:"
                + " it would be a cluster of one that nobody can join. Name the members in peers,"
                + " or leave out bind, advertise and insecure");
      }
      Address at = bind.orElse(DEFAULT_BIND);
      if (!insecure && !at.resolved("bind").isLoopbackAddress()) {
        throw new BatonException(
            "bind = "
                + at
                + " is not on this machine alone, and connections are not encrypted yet:"
                + " say insecure = true where the network is trusted, or bind to 127.0.0.1");
      }
      if (!alone && advertise.isEmpty() && at.resolved("bind").isAnyLocalAddress()) {
        throw new BatonException(
            "bind = "
                + at
                + " is every address of this machine: say in advertise at which one the others"
                + " reach it");
      }
      String reached = advertise.orElse(at).toString();
      if (reached.getBytes(StandardCharsets.UTF_8).length > View.LONGEST_ADDRESS) {
        throw new BatonException(
            (advertise.isPresent() ? "advertise" : "bind")
                + " = "
                + reached
                + " is longer than "
                + View.LONGEST_ADDRESS
                + " bytes: use a shorter name, or the address in numbers");
      }
      if (!peers.isEmpty() && dns.isPresent()) {
        throw new BatonException("peers and dns are two ways to say the same: set one of them");
      }
      if (found && !peers.isEmpty()) {
        throw new BatonException(
            "found = true founds a cluster of one, yet peers are given, who found it together:"
                + " leave out one of them");
      }
      if (peers.equals(List.of(advertise.orElse(at)))) {
        throw new BatonException(
            "peers names nobody but this member, which would wait for others for ever: name them,"
                + " or say found = true instead, and they may join it");
      }
      if (peers.size() > View.MOST_MEMBERS) {
        throw new BatonException(
            "peers: a cluster has at most " + View.MOST_MEMBERS + " members, not " + peers.size());
      }
      if (found && joinTimeout.compareTo(lease.plusSeconds(2)) <= 0) {
        throw new BatonException(
            "join-timeout must be longer than the lease and two seconds: before a member founds a"
                + " cluster it listens for others");
      }
      return new BatonConfig(this);
    }
  }
}
