package io.baton.algorithms;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A process of the arbitrary network of [NET]: §4 on any connected graph, and §7. It knows its
 * neighbours and learns names as they come by; how many processes there are it uses for one purpose
 * only, to be sure that the token is lost (§7.1.2).
 *
 * <p>Without failures the messages are those of §4: a request floods the network, and the token
 * goes back along its path. The invariant is ME3: there is at most one token. It is made anew only
 * by {@link #conclude}, when every process has said, all of them knowing of each other's crashes,
 * that the last trace of the token leads to a life that is over.
 *
 * <p>After a failure (§7) three things differ, argued in docs/PAPERS.md. Whoever sees a channel
 * change tells everybody all it knows ({@link NetworkNews}), because the knowledge that rides on
 * requests was wrong (A5). The token tries the father, the uncles, then every other neighbour, and
 * goes back where there is no way on, so that it finds its addressee wherever a path leads there
 * (A7). Processes count their lives, so that nothing of a former life is taken for news.
 */
public class Network implements Algorithm {
  /** The life of a process that never comes back. */
  private static final int GONE = Integer.MAX_VALUE;

  private final int i;
  private final int processes; // "the number of processes", for §7.1.2 alone
  private final TreeSet<Integer> neighbours = new TreeSet<>();

  private int life;
  private boolean leaving; // to be removed
  private long clock; // "C_i"
  private @Nullable NetworkToken token; // "token_here_i"
  private boolean inside; // "in_CS_i"
  private boolean waiting; // at "wait in_CS_i"
  private ByProcess<Entry> requests = ByProcess.empty(); // "req_array_i"
  private ByProcess<Stamp> served = ByProcess.empty(); // lud, as last seen
  private ByProcess<Integer> lives = ByProcess.empty();
  private ByProcess<Stamp> changes = ByProcess.empty();
  private @Nullable NetworkCensus census;
  private int lastConcluded; // the number of the last census of i's that is over
  private long hop = -1; // the last hop of the token that i had to do with…
  private int hopTo = NIL; // …and where it went
  private int hopToLife;
  private long cargo; // the last that i saw

  /**
   * The youngest request of a process.
   *
   * @param via the neighbour it came from, the father in the spanning tree; i for its own
   * @param brothers the father's other children
   * @param uncles the father's brothers
   */
  record Entry(Stamp stamp, int via, List<Integer> brothers, List<Integer> uncles) {
    @Override
    public String toString() {
      return stamp + ">" + Names.of(via);
    }
  }

  /** Process i, initially without requests. */
  public Network(int i, List<Integer> neighbours, boolean owner, int processes) {
    this.i = i;
    this.processes = processes;
    this.neighbours.addAll(neighbours);
    if (owner) {
      token = NetworkToken.FIRST;
      trace(NetworkToken.FIRST, i);
    }
  }

  // §4.3

  @Override
  public void enter(Effects out) { // procedure enter_CS
    if (token != null) {
      inside = true;
      out.grant(cargo);
    } else {
      Stamp stamp = new Stamp(life, clock);
      List<Integer> all = List.copyOf(neighbours);
      waiting = true;
      requests = requests.with(i, new Entry(stamp, i, List.of(), List.of()));
      for (int k : all) {
        out.send(k, new NetworkRequest(i, stamp, union(all, List.of(i)), all, List.of()));
      }
    }
  }

  @Override
  public void exit(long newCargo, Effects out) { // procedure exit_CS
    inside = false;
    cargo = newCargo;
    transmit(out);
  }

  private void onRequest(int from, NetworkRequest req, Effects out) { // procedure receive_request
    if (isNews(req.origin(), req.stamp())) { // A3: also where the last one has been served
      clock = Math.max(clock, req.stamp().time()) + 1;
      requests =
          requests.with(req.origin(), new Entry(req.stamp(), from, req.brothers(), req.uncles()));
      List<Integer> others = minus(neighbours, req.alreadySeen());
      List<Integer> seen = union(req.alreadySeen(), List.copyOf(neighbours));
      for (int k : others) {
        out.send(k, new NetworkRequest(req.origin(), req.stamp(), seen, others, req.brothers()));
      }
      if (token != null && !inside) {
        transmit(out);
      }
    }
  }

  private boolean isNews(int origin, Stamp stamp) {
    Entry known = requests.get(origin);
    return (known == null || known.stamp().before(stamp)) && lives.get(origin, 0) <= stamp.life();
  }

  private void onToken(NetworkToken here, Effects out) { // procedure receive_token
    served = served.merge(here.lud(), Stamp::max);
    cargo = Math.max(cargo, here.cargo());
    trace(here, i);
    if (here.elec() != i) { // "The token is following the path"
      route(here.seenBy(i), out);
    } else if (waiting) {
      keep(here, out);
    } else { // asked for in a former life, or given to i by one who left
      Stamp last = Stamp.max(here.lud().get(i, Stamp.NEVER), here.stamp());
      token = here.withLud(here.lud().with(i, last)).atRest();
      transmit(out);
    }
  }

  private ByProcess<Stamp> merged(ByProcess<Stamp> seen) {
    return changes.merge(seen, Stamp::max);
  }

  private void keep(NetworkToken here, Effects out) {
    token = here.atRest();
    waiting = false;
    inside = true;
    out.grant(cargo);
  }

  private void transmit(Effects out) { // procedure transmit_token
    NetworkToken here = token;
    if (here == null) {
      return;
    }
    here = here.after(merged(here.asOf()));
    int elec = oldest(here);
    if (elec == NIL) {
      token = here;
      handOver(out);
      return;
    }
    here = given(here);
    token = null;
    route(here.withCargo(cargo).addressed(elec, stamp(elec)).seenBy(i), out);
  }

  /** The token leaves, and whatever i asked for has been served. */
  private NetworkToken given(NetworkToken here) {
    if (waiting) { // A6: who asks itself has not given the privilege away
      return here;
    }
    Stamp now = new Stamp(life, clock);
    served = served.with(i, now);
    clock++; // line (A)
    return here.withLud(here.lud().with(i, now));
  }

  /** §7.2: a node that is to be removed forces the token to leave it. */
  private void handOver(Effects out) {
    NetworkToken here = token;
    if (leaving && here != null && !neighbours.isEmpty()) {
      token = null;
      send(
          neighbours.first(),
          given(here).withCargo(cargo).addressed(neighbours.first(), Stamp.NEVER).sentBy(i),
          out);
    }
  }

  private Stamp stamp(int process) {
    Entry entry = requests.get(process);
    return entry == null ? Stamp.NEVER : entry.stamp();
  }

  /** A1: the oldest pending request, by time and then by name. */
  private int oldest(NetworkToken here) {
    int[] best = {NIL};
    requests.forEach(
        (origin, entry) -> {
          boolean pending =
              (origin != i || waiting)
                  && here.lud().get(origin, Stamp.NEVER).before(entry.stamp())
                  && lives.get(origin, 0) <= entry.stamp().life()
                  && here.stranded().get(origin, Stamp.NEVER).before(entry.stamp());
          if (pending && (best[0] == NIL || entry.stamp().time() < stamp(best[0]).time())) {
            best[0] = origin;
          }
        });
    return best[0];
  }

  /** §7.1.1: the token leaves by the first exit there is. */
  private void route(NetworkToken here, Effects out) {
    if (here.elec() == i) { // i chose itself
      keep(here, out);
      return;
    }
    int exit = exit(here);
    if (exit != NIL) {
      send(exit, here.sentBy(i), out);
    } else if (here.path().isEmpty()) { // "no exit": everybody whom a path leads to was asked
      token = here.gaveUp();
      transmit(out);
    } else if (neighbours.contains(here.path().get(here.path().size() - 1))) {
      send(here.path().get(here.path().size() - 1), here.sentBack(), out);
    } else { // the way back is gone: from here on, anew
      route(here.addressed(here.elec(), here.stamp()).seenBy(i), out);
    }
  }

  /** Father, uncles, then whoever has not had the token yet. */
  private int exit(NetworkToken here) {
    Entry entry = requests.get(here.elec());
    if (entry != null && isExit(entry.via(), here)) {
      return entry.via();
    }
    if (entry != null) {
      for (int uncle : entry.uncles()) {
        if (isExit(uncle, here)) {
          return uncle;
        }
      }
    }
    for (int k : neighbours) {
      if (isExit(k, here)) {
        return k;
      }
    }
    return NIL;
  }

  private boolean isExit(int k, NetworkToken here) {
    return neighbours.contains(k) && !here.visited().contains(k);
  }

  private void send(int to, NetworkToken leaving, Effects out) {
    trace(leaving, to);
    out.send(to, leaving);
  }

  /** Remembers where the token was last. */
  private void trace(NetworkToken seen, int to) {
    hop = seen.hop();
    hopTo = to;
    hopToLife = to == i ? life : lives.get(to, 0);
  }

  // §7

  @Override
  public void disconnected(int neighbour, boolean forGood, List<Message> unsent, Effects out) {
    neighbours.remove(neighbour);
    if (forGood) {
      lives = lives.with(neighbour, GONE);
    }
    NetworkToken back = null;
    for (Message message : unsent) { // "considered not to be sent"
      if (message instanceof NetworkToken mine) {
        back = mine.returnedTo(i);
        trace(back, i);
      }
    }
    changed(out);
    channelLost(out);
    if (back != null) {
      route(back.seenBy(i), out);
    }
  }

  @Override
  public void connected(Revival.Neighbour neighbour, Effects out) {
    meet(neighbour);
    changed(out);
    if (neighbour.life() > 0) {
      lookForToken(out);
    }
  }

  /** A channel is lost: a reason to look for the token only to who trusts a majority. */
  void channelLost(Effects out) {
    if (lives.size() > 0) {
      lookForToken(out);
    }
  }

  private void meet(Revival.Neighbour neighbour) {
    neighbours.add(neighbour.node());
    if (neighbour.life() > 0) {
      lives = lives.with(neighbour.node(), neighbour.life());
    }
  }

  @Override
  public void leave(Effects out) {
    leaving = true;
    wake(out);
  }

  @Override
  public void recover(Revival revival, Effects out) {
    life = revival.life();
    lives = lives.with(i, life);
    token = null;
    hop = -1;
    hopTo = NIL;
    neighbours.clear();
    revival.neighbours().forEach(this::meet);
    changed(out);
    lookForToken(out);
  }

  private void changed(Effects out) {
    Stamp last = changes.get(i, Stamp.NEVER);
    changes = changes.with(i, new Stamp(life, last.life() == life ? last.time() + 1 : 0));
    answer();
    tell(out);
    conclude(out);
    wake(out);
  }

  /** "Every neighbour … sends … every pending request": and all else that it knows. */
  private void tell(Effects out) {
    NetworkNews news =
        new NetworkNews(lives, changes, clock, requests.map(Entry::stamp), served, census);
    for (int k : neighbours) {
      out.send(k, news);
    }
  }

  private void onNews(int from, NetworkNews news, Effects out) {
    List<Object> before = known();
    lives = lives.merge(news.lives(), Math::max);
    changes = merged(news.changes());
    served = served.merge(news.served(), Stamp::max);
    census = NetworkCensus.merge(census, news.census());
    news.requests()
        .forEach(
            (origin, stamp) -> {
              if (origin != i && isNews(origin, stamp)) {
                clock = Math.max(clock, stamp.time()) + 1;
                requests = requests.with(origin, new Entry(stamp, from, List.of(), List.of()));
              }
            });
    clock = Math.max(clock, news.clock());
    answer();
    boolean learnt = !before.equals(known());
    if (learnt) {
      tell(out);
    }
    if (!before.get(0).equals(lives)) {
      lookForToken(out);
    }
    conclude(out);
    wake(out);
  }

  private List<Object> known() {
    List<Object> all = new ArrayList<>(List.of(lives, changes, requests));
    if (census != null) {
      all.add(census);
    }
    return all;
  }

  /** An idle owner looks whether somebody waits whom it can reach now. */
  private void wake(Effects out) {
    if (token != null && !inside) {
      transmit(out);
    }
  }

  /** §7.1.2: the smallest process asks for the token whenever it learns of a crash. */
  final void lookForToken(Effects out) {
    if (mayAsk()) {
      int number = census == null || census.life() != life ? 1 : census.number() + 1;
      census = new NetworkCensus(i, life, number, lives, ByProcess.empty());
      answer();
      tell(out);
      conclude(out);
    }
  }

  /**
   * One process asks, to save messages. (Two would not make two tokens: who answers a later
   * question has given up its own.)
   */
  boolean mayAsk() {
    boolean smallest = true;
    for (int smaller = 0; smaller < i; smaller++) {
      smallest &= lives.get(smaller, 0) == GONE;
    }
    return smallest;
  }

  /**
   * Answers, unless what i sent to a dead neighbour may still be given back: then the token may be
   * among it.
   */
  private void answer() {
    NetworkCensus open = census;
    boolean untold = neighbours.stream().anyMatch(k -> lives.get(k, 0) == GONE);
    if (open != null && open.answers().get(i) == null && !untold) {
      Stamp last = served.get(i, Stamp.NEVER);
      census = open.with(i, new NetworkCensus.Answer(hop, hopTo, hopToLife, last, cargo));
    }
  }

  /**
   * §7.1.2, A8: makes a new token if it is lost for sure. All have answered, and each knew of all
   * crashes that i knows of: they came with the question, and whenever i learns of another it asks
   * anew. So when the first one answered, all former lives were over. A token that was alive then
   * is where the youngest of these traces leads, or was sent on from there. If that is a life that
   * is over, it was not.
   */
  private void conclude(Effects out) {
    NetworkCensus open = census;
    if (open == null
        || open.asker() != i
        || open.life() != life
        || open.number() <= lastConcluded
        || !open.lives().equals(lives) // a question about it is about to be asked
        || !isEnough(open.answers(), processes)) {
      return;
    }
    lastConcluded = open.number();
    if (isLost(open.answers())) {
      makeToken(open, out);
    }
  }

  /** Whether nobody is missing: who did not answer is known to be dead. */
  boolean isEnough(ByProcess<NetworkCensus.Answer> answers, int all) {
    int[] accounted = {answers.size()};
    lives.forEach(
        (process, times) -> accounted[0] += times == GONE && answers.get(process) == null ? 1 : 0);
    return accounted[0] >= all && 2 * answers.size() > all - gone();
  }

  private int gone() {
    int[] count = {0};
    lives.forEach((process, times) -> count[0] += times == GONE ? 1 : 0);
    return count[0];
  }

  /** Whether the last trace of the token leads to a life that is over. */
  boolean isLost(ByProcess<NetworkCensus.Answer> answers) {
    NetworkCensus.Answer last = youngest(answers);
    return last.to() == NIL || lives.get(last.to(), 0) > last.toLife();
  }

  private static NetworkCensus.Answer youngest(ByProcess<NetworkCensus.Answer> answers) {
    NetworkCensus.Answer[] last = {NetworkCensus.Answer.NONE};
    answers.forEach((process, answer) -> last[0] = answer.hop() > last[0].hop() ? answer : last[0]);
    return last[0];
  }

  private void makeToken(NetworkCensus open, Effects out) {
    open.answers().forEach((process, answer) -> cargo = Math.max(cargo, answer.cargo()));
    NetworkToken anew =
        new NetworkToken(
            open.answers().map(NetworkCensus.Answer::served),
            i,
            Stamp.NEVER,
            List.of(),
            List.of(),
            ByProcess.empty(),
            changes,
            youngest(open.answers()).hop() + 1,
            cargo);
    onToken(anew, out);
  }

  @Override
  public void receive(int from, Message message, Effects out) {
    if (message instanceof NetworkRequest request) {
      onRequest(from, request, out);
    } else if (message instanceof NetworkToken arrived) {
      onToken(arrived, out);
    } else if (message instanceof NetworkNews news) {
      onNews(from, news, out);
    } else {
      throw new IllegalArgumentException("A network knows no " + message);
    }
  }

  private static List<Integer> union(List<Integer> a, List<Integer> b) {
    TreeSet<Integer> all = new TreeSet<>(a);
    all.addAll(b);
    return List.copyOf(all);
  }

  private static List<Integer> minus(Collection<Integer> a, List<Integer> b) {
    return a.stream().filter(k -> !b.contains(k)).toList();
  }

  /** The variables of a process. */
  record Memory(
      List<Integer> neighbours,
      int life,
      boolean leaving,
      long clock,
      @Nullable NetworkToken token,
      boolean inside,
      boolean waiting,
      ByProcess<Entry> requests,
      ByProcess<Stamp> served,
      ByProcess<Integer> lives,
      ByProcess<Stamp> changes,
      @Nullable NetworkCensus census,
      int lastConcluded,
      long hop,
      int hopTo,
      int hopToLife,
      long cargo)
      implements HasToken {
    @Override
    public boolean tokenHere() {
      return token != null;
    }

    @Override
    public List<Variable> variables() {
      return List.of(
          new Variable("C", Long.toString(clock)),
          Variable.of("token_here", tokenHere()),
          Variable.of("in_CS", inside),
          new Variable("req_array", requests.toString()),
          new Variable("neighbours", neighbours.stream().map(Names::of).toList().toString()));
    }
  }

  @Override
  public State capture() {
    return new Memory(
        List.copyOf(neighbours),
        life,
        leaving,
        clock,
        token,
        inside,
        waiting,
        requests,
        served,
        lives,
        changes,
        census,
        lastConcluded,
        hop,
        hopTo,
        hopToLife,
        cargo);
  }

  @Override
  public void restore(State state) {
    Memory m = (Memory) state;
    neighbours.clear();
    neighbours.addAll(m.neighbours());
    life = m.life();
    leaving = m.leaving();
    clock = m.clock();
    token = m.token();
    inside = m.inside();
    waiting = m.waiting();
    requests = m.requests();
    served = m.served();
    lives = m.lives();
    changes = m.changes();
    census = m.census();
    lastConcluded = m.lastConcluded();
    hop = m.hop();
    hopTo = m.hopTo();
    hopToLife = m.hopToLife();
    cargo = m.cargo();
  }
}
