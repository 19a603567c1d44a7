package io.baton.simulator.system;

import static io.baton.algorithms.SchemeInvariants.PROPERTY_2;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Invariant;
import io.baton.algorithms.NaimiTrehelAnnex;
import io.baton.algorithms.Network;
import io.baton.algorithms.NetworkLiteral;
import io.baton.algorithms.NetworkMajority;
import io.baton.algorithms.OpenCube;
import io.baton.algorithms.OpenCubeFt;
import io.baton.algorithms.OpenCubeListing;
import io.baton.algorithms.OpenCubeLiteral;
import io.baton.algorithms.Policy;
import io.baton.algorithms.RaymondAnnex;
import io.baton.algorithms.Ring;
import io.baton.algorithms.RingInvariants;
import io.baton.algorithms.RingLiteral;
import io.baton.algorithms.RingSetup;
import io.baton.algorithms.Rule;
import io.baton.algorithms.SchemeInvariants;
import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Ticks;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The algorithms that Baton knows by name. */
public final class Catalogue {
  private static final List<Invariant> WITHOUT_LENDER =
      SchemeInvariants.ALL.stream().filter(invariant -> !invariant.equals(PROPERTY_2)).toList();

  private static final int PATIENT = 100;

  private static final List<Invariant> NETWORK =
      List.of(
          SchemeInvariants.MUTUAL_EXCLUSION,
          SchemeInvariants.INSIDE_WITH_TOKEN,
          SchemeInvariants.AT_MOST_ONE_TOKEN,
          SchemeInvariants.EXACTLY_ONE_TOKEN);

  private static final LockSystem.Healing HEALING =
      new LockSystem.Healing(SchemeInvariants.ONE_TREE, SchemeInvariants.OPEN_CUBE_OF_THE_LIVING);

  private static final List<Entry> ENTRIES =
      List.of(
          new Entry(
              "general",
              "the general scheme of [GS], with --rule: " + NamedRules.FORMS,
              "at most 2N - 1",
              "binary",
              "any",
              Set.of(Trait.TAKES_RULE),
              Catalogue::general,
              SchemeInvariants.ALL),
          new Entry(
              "centralized",
              "general, always proxy: the root lends the token, the tree never changes",
              "at most 2·height + 1; on the star 3",
              "star",
              "proxy",
              Set.of(),
              Catalogue::general,
              SchemeInvariants.ALL),
          new Entry(
              "naimi-trehel",
              "general, always transit: the requester becomes the root and keeps the token",
              "O(log N) on average, at most N",
              "star",
              "transit",
              Set.of(),
              Catalogue::general,
              SchemeInvariants.ALL),
          new Entry(
              "raymond",
              "general, transit iff the token is here: the edges turn round, the tree stays",
              "at most 2·diameter",
              "binary",
              "raymond",
              Set.of(),
              Catalogue::general,
              SchemeInvariants.ALL),
          new Entry(
              "open-cube",
              "[OC] without failures: general, transit for the last son; the tree stays an open cube",
              "at most ⌈log2 N⌉ + 2",
              "cube",
              "last-son",
              Set.of(),
              Catalogue::general,
              SchemeInvariants.ALL),
          new Entry(
              "naimi-trehel-annex",
              "[GS] Annex 2 as printed; sends the same messages as naimi-trehel",
              "O(log N) on average, at most N",
              "star",
              "transit",
              Set.of(),
              (i, spec, rule, policy) -> new NaimiTrehelAnnex(i, spec.tree().father(i), policy),
              WITHOUT_LENDER),
          new Entry(
              "raymond-annex",
              "[GS] Annex 3 as printed; sends the same messages as raymond",
              "at most 2·diameter",
              "binary",
              "raymond",
              Set.of(),
              (i, spec, rule, policy) -> new RaymondAnnex(i, spec.tree().father(i), policy),
              WITHOUT_LENDER),
          new Entry(
              "open-cube-listing",
              "[OC] §3.3 as printed, for breaking: it forgets a lender, and fails from N = 6 on",
              "as open-cube, while it works",
              "cube",
              "last-son",
              Set.of(Trait.FLAWED),
              (i, spec, rule, policy) ->
                  new OpenCubeListing(
                      i, spec.tree().father(i), OpenCube.pmax(spec.nodes()), policy),
              WITHOUT_LENDER),
          new Entry(
              "open-cube-ft",
              "[OC] §5 repaired: safe and live while nodes crash and come back; counts in δ",
              "as open-cube without failures",
              "cube",
              "last-son",
              Set.of(Trait.TIMED),
              (i, spec, rule, policy) ->
                  new OpenCubeFt(
                      i,
                      spec.tree().father(i),
                      spec.nodes(),
                      Ticks.PER_UNIT,
                      Ticks.PER_UNIT,
                      policy),
              SchemeInvariants.SAFETY),
          new Entry(
              "open-cube-literal",
              "[OC] §5 as written, node failures included, for breaking; time is counted in δ",
              "O(log N) more per failure, it says",
              "cube",
              "last-son",
              Set.of(Trait.FLAWED, Trait.TIMED),
              (i, spec, rule, policy) ->
                  new OpenCubeLiteral(
                      i,
                      spec.tree().father(i),
                      spec.nodes(),
                      Ticks.PER_UNIT,
                      Ticks.PER_UNIT,
                      policy),
              SchemeInvariants.SAFETY),
          new Entry(
              "ring",
              "[RING] whole: a token per request goes round a ring; several resources at once",
              "exactly N",
              "line",
              "none",
              Set.of(Trait.RING),
              (i, spec, rule, policy) -> new Ring(i, spec.ring()),
              RingInvariants.SAFETY),
          new Entry(
              "ring-literal",
              "[RING] with rule 2 as printed, for breaking: two nodes may wait for each other",
              "exactly N, while it works",
              "line",
              "none",
              Set.of(Trait.RING, Trait.FLAWED),
              (i, spec, rule, policy) -> new RingLiteral(i, spec.ring()),
              List.of(SchemeInvariants.MUTUAL_EXCLUSION)),
          new Entry(
              "network",
              "[NET] whole, on any connected --graph: requests flood it, the token goes back",
              "at most 2·edges + N - 1",
              "line",
              "none",
              Set.of(Trait.NETWORK, Trait.SURVIVES),
              (i, spec, rule, policy) ->
                  new Network(i, graph(spec).neighbours(i), spec.tree().root() == i, spec.nodes()),
              NETWORK),
          new Entry(
              "network-literal",
              "[NET] §4 as printed, for breaking: serves by name, so the last ones starve",
              "as network",
              "line",
              "none",
              Set.of(Trait.NETWORK, Trait.FLAWED),
              (i, spec, rule, policy) ->
                  new NetworkLiteral(i, graph(spec).neighbours(i), spec.tree().root() == i),
              NETWORK),
          new Entry(
              "network-majority",
              "[NET] §7 with a new token whenever a majority misses it, for breaking: two tokens",
              "as network",
              "line",
              "none",
              Set.of(Trait.NETWORK, Trait.FLAWED, Trait.SURVIVES),
              (i, spec, rule, policy) ->
                  new NetworkMajority(
                      i, graph(spec).neighbours(i), spec.tree().root() == i, spec.nodes()),
              NETWORK));

  private Catalogue() {}

  private static PhysicalGraph graph(SystemSpec spec) {
    PhysicalGraph graph = spec.graph();
    if (graph == null) {
      throw new BadInputException(spec.algorithm() + " needs a network: add --graph");
    }
    return graph;
  }

  private static Algorithm general(int i, SystemSpec spec, Rule rule, Policy policy) {
    return new GeneralScheme(i, spec.tree().father(i), rule, policy);
  }

  /**
   * One algorithm.
   *
   * @param summary one line for a person who chooses
   * @param cost messages per critical section, in theory
   * @param rule the behaviour rule it runs, or runs by default
   * @param invariants what holds of it under every rule
   */
  public record Entry(
      String name,
      String summary,
      String cost,
      String defaultTree,
      String rule,
      Set<Trait> traits,
      NodeMaker maker,
      List<Invariant> invariants) {
    /** Whether the rule may be chosen. */
    public boolean takesRule() {
      return traits.contains(Trait.TAKES_RULE);
    }

    /** Whether it is here to be read and broken. */
    public boolean flawed() {
      return traits.contains(Trait.FLAWED);
    }

    /** Whether its nodes form a ring, and no tree. */
    public boolean ring() {
      return traits.contains(Trait.RING);
    }

    /** Whether it runs on a graph, and no tree. */
    public boolean network() {
      return traits.contains(Trait.NETWORK);
    }

    /** Whether its nodes are told when a channel or a neighbour fails. */
    public boolean survives() {
      return traits.contains(Trait.SURVIVES);
    }

    /** Whether its nodes are arranged in a tree. */
    public boolean tree() {
      return !ring() && !network();
    }

    /** Whether it counts time in δ and brings nodes back that crashed. */
    public boolean timed() {
      return traits.contains(Trait.TIMED);
    }
  }

  /** What sets an algorithm apart. */
  public enum Trait {
    /** Its rule may be chosen. */
    TAKES_RULE,
    /** It is here to be read and broken; theory's bounds are not held against it. */
    FLAWED,
    /**
     * It sets alarms, knows a bound on delays (δ, one unit of time), and brings nodes back that
     * crashed.
     */
    TIMED,
    /** Its nodes form a ring: it takes resources and a direction, and no tree, rule or policy. */
    RING,
    /** It runs on any connected graph, and takes no tree, rule or policy. */
    NETWORK,
    /** Its nodes are told when a channel or a neighbour fails, and come back after a crash. */
    SURVIVES
  }

  /** Builds systems; {@link Catalogue#build(SystemSpec, Chooser)} unless a test plants a bug. */
  @FunctionalInterface
  public interface Builder {
    LockSystem build(SystemSpec spec, Chooser chooser);
  }

  /** Makes a node of an algorithm, in its initial state. */
  @FunctionalInterface
  public interface NodeMaker {
    Algorithm make(int node, SystemSpec spec, Rule rule, Policy policy);
  }

  /** Every algorithm, in the order in which one would read about them. */
  public static List<Entry> entries() {
    return ENTRIES;
  }

  /** The algorithm of a name. */
  public static Entry find(String name) {
    return ENTRIES.stream()
        .filter(entry -> entry.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException(
                    "There is no algorithm \"" + name + "\": take one of " + names()));
  }

  private static String names() {
    return ENTRIES.stream().map(Entry::name).collect(Collectors.joining(", "));
  }

  /** Builds a system; what its rule leaves open is decided by the chooser. */
  public static LockSystem build(SystemSpec spec, Chooser chooser) {
    Entry entry = find(spec.algorithm());
    return build(spec, chooser, entry.maker());
  }

  /** Builds a system whose nodes are made otherwise than the catalogue says. */
  public static LockSystem build(SystemSpec spec, Chooser chooser, NodeMaker maker) {
    Theory theory = theory(spec, chooser);
    Policy policy = policy(spec.policy(), chooser);
    Entry entry = find(spec.algorithm());
    List<Invariant> invariants = new ArrayList<>(entry.invariants());
    boolean heldToTheory = !entry.flawed() && !entry.timed();
    if (heldToTheory) {
      invariants.addAll(theory.invariants());
    }
    return new LockSystem(
        spec.nodes(),
        spec.ring().resources(),
        node -> maker.make(node, spec, theory.rule(), policy),
        List.copyOf(invariants),
        entry.ring() ? entry.invariants() : SchemeInvariants.SAFETY,
        heldToTheory ? theory.cost() : LockSystem.Cost.OPEN,
        heldToTheory ? theory.flood() : null,
        theory.freshCost(),
        entry.timed() ? HEALING : null,
        entry.survives()
            ? graph(spec).adjacency()
            : entry.ring() && spec.ring().acks() ? everybody(spec.nodes()) : null,
        patience(entry, spec));
  }

  /** News take many events, and so do tokens that are sent again far too soon. */
  private static int patience(Entry entry, SystemSpec spec) {
    long timeout = spec.ring().timeout();
    return timeout > 0
        ? PATIENT + (int) (1000L * spec.nodes() * Ticks.PER_UNIT / timeout)
        : entry.network() ? PATIENT : 1;
  }

  /** Rule 5 "requires that the network is fully connected". */
  private static List<List<Integer>> everybody(int nodes) {
    return IntStream.range(0, nodes)
        .mapToObj(i -> IntStream.range(0, nodes).filter(other -> other != i).boxed().toList())
        .toList();
  }

  private static Theory theory(SystemSpec spec, Chooser chooser) {
    Entry entry = find(spec.algorithm());
    return entry.ring()
        ? ring(spec.ring())
        : entry.network() ? network(graph(spec)) : NamedRules.find(spec, chooser);
  }

  /** [NET] §6 for tree, ring, complete and general graphs. */
  private static Theory network(PhysicalGraph graph) {
    long n = graph.nodes();
    long e = graph.links();
    boolean tree = e == n - 1;
    boolean complete = e == n * (n - 1) / 2;
    boolean ring = e == n && graph.maxDegree() == 2;
    long most = tree || complete ? n - 1 : ring ? n + 1 : 2 * e;
    long hops = complete ? 1 : tree ? graph.diameter() : n - 1;
    LockSystem.Flood flood = new LockSystem.Flood(n - 1, most, Math.max(1, hops));
    return new Theory(Theory.NO_RULE, List.of(), LockSystem.Cost.OPEN, flood, null);
  }

  /** T4: a token goes over every link of the ring once, so it is N messages, not N - 1. */
  private static Theory ring(RingSetup setup) {
    long hops = setup.nodes() == 1 ? 0 : setup.nodes();
    long cost = setup.acks() ? 2 * hops : hops;
    boolean mayResend = setup.timeout() > 0;
    return new Theory(
        Theory.NO_RULE,
        mayResend ? List.of() : List.of(RingInvariants.ONE_PLACE),
        mayResend ? LockSystem.Cost.OPEN : LockSystem.Cost.exactly(cost),
        null,
        i -> cost);
  }

  private static Policy policy(String name, Chooser chooser) {
    return switch (name) {
      case "fifo" -> Policy.FIFO;
      case "lift" -> Policy.LIFT;
      case "any" -> chooser.anyPolicy();
      default ->
          throw new BadInputException(
              "There is no policy \"" + name + "\": take fifo, lift or any");
    };
  }
}
