package io.baton.simulator.agreement;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Message;
import io.baton.agreement.Output;
import io.baton.agreement.Publication;
import io.baton.agreement.Value;
import io.baton.agreement.Voter;
import io.baton.simulator.explore.Interner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A few voters and their network, of the very class that runs. Each message comes as often, as late
 * and in whatever order, or never; each voter is asked for any vote in any term at any time; voters
 * restart after a write and in the middle of one.
 *
 * <p>A state has, for each voter, what it knows and what is on its disk; then what has happened for
 * good; then the messages that may still have an effect. A message stays once it was sent: so it
 * may be doubled, overtaken and lost. What one voter does with one event is worked out once.
 */
final class VoterSystem {
  /** One of a few states, told apart by name. */
  private record Named(String name) implements Value {
    @Override
    public long epoch() {
      return 1;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private record Sent(String from, String to, Message message) {}

  /** What one voter made of one event. */
  private static final class Reaction {
    private final int state;
    private final int disk; // what it wrote; -1: nothing
    private final int[] before; // what it sent before it wrote
    private final int[] sent;
    private final List<Fact> facts;

    Reaction(int state, int disk, int[] before, int[] sent, List<Fact> facts) {
      this.state = state;
      this.disk = disk;
      this.before = before;
      this.sent = sent;
      this.facts = List.copyOf(facts);
    }

    boolean stored() {
      return disk >= 0;
    }
  }

  /** What can come of an event. */
  enum Kind {
    /** It happens. */
    HAPPENS,
    /** The voter crashes in the middle of it, before anything is on its disk. */
    CRASHES,
    /** The voter restarts with what is surely on its disk. */
    RESTARTS,
    /** The voter restarts with all that it has written, synced or not. */
    RESTARTS_WITH_ALL
  }

  /** Told of what may come next. */
  interface Visitor {
    void step(int node, int event, Kind kind);
  }

  private static final int FIRST = 1; // the version on which all have agreed to begin with
  private static final int ANYBODY = -1;
  private static final long SPREAD = 0x9E3779B97F4A7C15L; // odd: keys stay different
  private static final int[] NOTHING = {};

  private final Bounds bounds;
  private final List<String> nodes;
  private final Interner<Voter.State> states = new Interner<>();
  private final Interner<Durable> disks = new Interner<>();
  private final Interner<Event> events = new Interner<>();
  private final Interner<Sent> messages = new Interner<>();
  private final Interner<Fact> facts = new Interner<>();
  private final Interner<BitSet> histories = new Interner<>();
  private final Map<Long, Reaction> reactions = new HashMap<>();
  private final Map<Long, int[]> choices = new HashMap<>(); // events that need no message
  private final int head; // where in a state the messages begin
  private long[] terms = new long[64]; // of messages, by their numbers
  private int[] receivers = new int[64];
  private int[] deliveries = new int[64];
  private @Nullable String broken;

  VoterSystem(Bounds bounds) {
    this.bounds = bounds;
    this.nodes = bounds.nodes();
    this.head = 2 * nodes.size() + 1;
  }

  /** The promise that some step has broken; null: none has. */
  @Nullable String broken() {
    return broken;
  }

  void forgetBroken() {
    broken = null;
  }

  boolean mayRestart() {
    return bounds.restarts();
  }

  int nodeCount() {
    return nodes.size();
  }

  int[] initial() {
    Configuration voting = bounds.founding();
    Publication first = new Publication(0, FIRST, new Named("founding"), voting);
    Durable founding = new Durable("cluster", 0, first, voting, FIRST, 1);
    int[] state = new int[head];
    for (int node = 0; node < nodes.size(); node++) {
      boolean votes = bounds.founding().voters().contains(nodes.get(node));
      Durable disk = votes ? founding : Durable.NONE;
      state[2 * node] = restarted(node, disk);
      state[2 * node + 1] = disks.number(disk);
    }
    state[head - 1] = histories.number(new BitSet());
    return state;
  }

  private int restarted(int node, Durable disk) {
    return states.number(new Voter(nodes.get(node), disk, Event.NOW).capture());
  }

  // Steps.

  /** Visits all that may happen in a state. */
  void visit(int[] state, Visitor visitor) {
    for (int node = 0; node < nodes.size(); node++) {
      visitMessages(state, node, visitor);
      for (int event : choicesAt(node, state[2 * node])) {
        visitor.step(node, event, Kind.HAPPENS);
      }
      if (bounds.restarts()) {
        visitor.step(node, -1, Kind.RESTARTS);
        visitor.step(node, -1, Kind.RESTARTS_WITH_ALL);
      }
    }
  }

  /** Visits the messages that may arrive at a voter. */
  void visitMessages(int[] state, int node, Visitor visitor) {
    for (int word = head; word < state.length; word++) {
      for (int bits = state[word]; bits != 0; bits &= bits - 1) {
        int message = 32 * (word - head) + Integer.numberOfTrailingZeros(bits);
        if (receivers[message] == node || receivers[message] == ANYBODY) {
          visitor.step(node, deliveries[message], Kind.HAPPENS);
        }
      }
    }
  }

  /** What may happen at a voter without a message under way. */
  int[] choicesAt(int node, int voter) {
    return choices.computeIfAbsent(
        key(node, voter),
        unknown ->
            choices(states.value(voter)).stream().mapToInt(events::number).distinct().toArray());
  }

  private List<Event> choices(Voter.State mine) {
    List<Event> all = new ArrayList<>();
    for (long term = 1; term <= bounds.terms(); term++) {
      for (String candidate : bounds.candidates()) {
        all.add(new Event.Delivery(candidate, new Message.StartTerm(term)));
      }
    }
    if (mine.won() && mine.publishedVersion() < FIRST + bounds.versions()) {
      for (int value = 0; value < bounds.values(); value++) {
        Named chosen = new Named("s" + value);
        all.add(new Event.Publishing(chosen, mine.durable().accepted().configuration()));
        for (Configuration other : bounds.others()) {
          all.add(new Event.Publishing(chosen, other));
        }
      }
    }
    if (mine.inOffice() && mine.batch() < bounds.questions()) {
      all.add(new Event.Asking(mine.batch() + 1));
    }
    return all;
  }

  /** Whether an event is a call for a vote. */
  boolean isCall(int event) {
    return events.value(event) instanceof Event.Delivery delivery
        && delivery.message() instanceof Message.StartTerm;
  }

  /** The state after a step; null: it changes nothing. */
  int @Nullable [] after(int[] state, int node, int event, Kind kind) {
    return switch (kind) {
      case HAPPENS -> afterEvent(state, node, event);
      case CRASHES -> afterCrash(state, node, event);
      case RESTARTS -> afterRestart(state, node, disks.value(state[2 * node + 1]));
      case RESTARTS_WITH_ALL -> afterRestart(state, node, states.value(state[2 * node]).durable());
    };
  }

  private int @Nullable [] afterEvent(int[] state, int node, int event) {
    Reaction reaction = reaction(node, state[2 * node], event);
    if (reaction.state == state[2 * node] && reaction.sent.length == 0) {
      return null;
    }
    int disk = reaction.stored() ? reaction.disk : state[2 * node + 1];
    int[] next = with(state, node, reaction.state, disk, reaction.sent);
    note(next, reaction.facts);
    return next;
  }

  /** Whether a voter writes when an event happens, and may crash before it has. */
  boolean mayCrash(int[] state, int node, int event) {
    return bounds.restarts() && reaction(node, state[2 * node], event).stored();
  }

  private int[] afterCrash(int[] state, int node, int event) {
    Reaction reaction = reaction(node, state[2 * node], event);
    int disk = state[2 * node + 1];
    return with(state, node, restarted(node, disks.value(disk)), disk, reaction.before);
  }

  private int[] afterRestart(int[] state, int node, Durable disk) {
    return with(state, node, restarted(node, disk), disks.number(disk), NOTHING);
  }

  String text(int node, int event, Kind kind) {
    String who = nodes.get(node) + " ";
    return switch (kind) {
      case HAPPENS -> who + events.value(event);
      case CRASHES -> who + events.value(event) + ", and crashes before that is on its disk";
      case RESTARTS -> who + "restarts";
      case RESTARTS_WITH_ALL -> who + "restarts with all that it has written";
    };
  }

  private long key(int node, int state) {
    return ((long) state * nodes.size() + node) * SPREAD;
  }

  private Reaction reaction(int node, int state, int event) {
    long key = (((long) state * nodes.size() + node) << 24 | event) * SPREAD;
    Reaction known = reactions.get(key);
    if (known == null) {
      known = workOut(node, states.value(state), events.value(event));
      reactions.put(key, known);
    }
    return known;
  }

  private Reaction workOut(int node, Voter.State state, Event event) {
    Voter voter = new Voter(nodes.get(node), state.durable(), Event.NOW);
    voter.restore(state);
    Recorder recorder = new Recorder(nodes.get(node), state.durable().accepted());
    event.perform(voter, recorder);
    Durable written = recorder.written;
    return new Reaction(
        states.number(voter.capture()),
        written == null ? -1 : disks.number(written),
        numbers(recorder.sent.subList(0, recorder.before)),
        numbers(recorder.sent),
        recorder.facts);
  }

  private int[] numbers(List<Sent> sent) {
    return sent.stream()
        .filter(each -> !(each.message() instanceof Message.StartTerm)) // anybody hears any
        .mapToInt(this::number)
        .toArray();
  }

  private int number(Sent sent) {
    int number = messages.number(sent);
    if (number == terms.length) {
      terms = Arrays.copyOf(terms, 2 * number);
      receivers = Arrays.copyOf(receivers, 2 * number);
      deliveries = Arrays.copyOf(deliveries, 2 * number);
    }
    boolean strays = bounds.stray() && sent.message() instanceof Message.Vote;
    terms[number] = sent.message().term();
    receivers[number] = strays ? ANYBODY : nodes.indexOf(sent.to());
    deliveries[number] = events.number(new Event.Delivery(sent.from(), sent.message()));
    return number;
  }

  /** Hears what a voter does with one event. */
  private static final class Recorder implements Output {
    private final String id;
    private final Publication accepted; // before the event
    private final List<Sent> sent = new ArrayList<>();
    private final List<Fact> facts = new ArrayList<>();
    private @Nullable Durable written;
    private int before; // how much was sent before anything was written

    Recorder(String id, Publication accepted) {
      this.id = id;
      this.accepted = accepted;
    }

    @Override
    public void store(Durable state) {
      if (written == null) {
        before = sent.size();
      }
      written = state;
    }

    @Override
    public void note(Durable state) {}

    @Override
    public void send(String to, Message message) {
      if (message instanceof Message.Standing answer && answer.batch() == 0) {
        return; // it answers no question, and changes nothing at a voter
      }
      sent.add(new Sent(id, to, message));
      if (message instanceof Message.Publish publish) {
        facts.add(
            new Fact.Published(publish.publication(), id, accepted.term(), accepted.version()));
      } else if (message instanceof Message.Commit commit) {
        facts.add(new Fact.Committed(commit.term(), commit.version()));
      } else if (message instanceof Message.Question question) {
        facts.add(new Fact.Asked(question.term(), question.batch(), 0));
      }
    }

    @Override
    public void elected(long term, long until) {
      facts.add(new Fact.Won(term, id));
    }

    @Override
    public void deposed() {}

    @Override
    public long minutes() {
      return 0;
    }

    @Override
    public void committed(Publication publication) {}

    @Override
    public void confirmed(long term, long batch) {
      facts.add(new Fact.Confirmed(term, batch, id));
    }

    @Override
    public void contradicted(String from, Publication publication) {
      facts.add(new Fact.Contradicted(id, publication));
    }
  }

  // States.

  /** A state in which one voter is another, and some messages have been sent. */
  private int[] with(int[] state, int node, int voter, int disk, int[] sent) {
    int length = state.length;
    for (int message : sent) {
      length = Math.max(length, head + message / 32 + 1);
    }
    int[] next = Arrays.copyOf(state, length);
    next[2 * node] = voter;
    next[2 * node + 1] = disk;
    for (int message : sent) {
      next[head + message / 32] |= 1 << (message % 32);
    }
    int used = head;
    for (int word = head; word < length; word++) {
      for (int bits = next[word]; bits != 0; bits &= bits - 1) {
        int bit = Integer.numberOfTrailingZeros(bits);
        if (isVoid(32 * (word - head) + bit, next)) {
          next[word] &= ~(1 << bit);
        }
      }
      used = next[word] == 0 ? used : word + 1;
    }
    return used == length ? next : Arrays.copyOf(next, used);
  }

  /** Whether a message can change nothing any more, whatever happens. */
  private boolean isVoid(int message, int[] state) {
    int receiver = receivers[message];
    if (!bounds.prunes()) {
      return false;
    } else if (receiver != ANYBODY) {
      Voter.State voter = states.value(state[2 * receiver]);
      return terms[message] < voter.durable().currentTerm()
          || isSpent(messages.value(message).message(), voter);
    }
    for (int node = 0; node < nodes.size(); node++) {
      if (terms[message] >= termOf(state[2 * node])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a message of the receiver's term has done what it can: what a voter has accepted and
   * committed, and what a leader publishes and asks, only ever grows within a term.
   */
  private boolean isSpent(Message message, Voter.State voter) {
    Durable mine = voter.durable();
    if (message.term() != mine.currentTerm()) {
      return false;
    }
    boolean accepts = mine.accepted().term() == message.term();
    long accepted = mine.accepted().version();
    if (message instanceof Message.Publish publish) {
      return accepts && publish.publication().version() <= accepted;
    } else if (message instanceof Message.Commit commit) {
      return accepts && commit.version() < accepted;
    } else if (message instanceof Message.Accepted answer) {
      return voter.won() && answer.version() < voter.publishedVersion();
    } else if (message instanceof Message.Standing answer) {
      return voter.won() && answer.batch() < voter.batch();
    }
    return message instanceof Message.Lacking && !voter.won() && !voter.started();
  }

  private long termOf(int voter) {
    return states.value(voter).durable().currentTerm();
  }

  /** Notes what has happened for good in a state. */
  private void note(int[] state, List<Fact> happened) {
    if (happened.isEmpty()) {
      return;
    }
    BitSet history = (BitSet) histories.value(state[head - 1]).clone();
    happened.forEach(fact -> note(fact, history));
    state[head - 1] = histories.number(history);
  }

  private void note(Fact fact, BitSet history) {
    List<Fact> before = known(history);
    if (before.stream().anyMatch(fact::isSaidAgainBy)) {
      return;
    }
    Fact full =
        fact instanceof Fact.Asked asked
            ? new Fact.Asked(asked.term(), asked.batch(), latest(history))
            : fact;
    history.set(facts.number(full));
    String found = Promises.check(full, before);
    if (broken == null && found != null) {
      broken = found;
    }
  }

  private long latest(BitSet history) {
    return known(history).stream()
        .mapToLong(fact -> fact instanceof Fact.Won won ? won.term() : 0)
        .max()
        .orElse(0);
  }

  private List<Fact> known(BitSet history) {
    return history.stream().mapToObj(facts::value).toList();
  }
}
