package io.baton.simulator.cluster;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Publication;
import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Token;
import io.baton.member.ClusterState;
import io.baton.member.Letter;
import io.baton.member.Loss;
import io.baton.member.Newcomer;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Settings;
import io.baton.member.VotingMember;
import io.baton.simulator.random.Generator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One run of whole members, from one case: the same case gives the same run. */
final class World {
  /** How long a request may take once the faults have stopped, in leases. */
  static final int PATIENCE = 8;

  private static final long FIRST_OPEN_EPOCH = 2;
  private static final long MOST_EVENTS = 1_000_000;

  private static final String CLUSTER = "cluster";

  /** A forced release that somebody has asked for. */
  private record Forcing(String lock, long fence) {}

  final Schedule schedule = new Schedule();
  final Promises promises;
  final List<String> locks;

  private final Case plan;
  private final List<Site> sites = new ArrayList<>();
  private final Wires wires;
  private final Ballot ballot;
  private final List<User> users = new ArrayList<>();
  private final ArrayDeque<Runnable> afterEvent = new ArrayDeque<>();
  private final Mishaps mishaps;
  private final Generator loads;
  private final Journal journal;
  private final @Nullable Mirror mirror; // where only the plain algorithm is to be seen
  private final Costs costs = new Costs();
  private final Turns turns;
  private final Loans loans = new Loans();
  private final Usage usage = new Usage();
  private final Set<Forcing> forced = new LinkedHashSet<>(); // holds that somebody wants to be over
  private final Set<Forcing> unanswered = new LinkedHashSet<>();
  private final long[] epochs; // the last seen of each site
  private boolean healed;
  private long losses;
  private long letters;
  private long longestWait; // once the faults have stopped

  World(Case plan, Journal journal) {
    this(plan, journal, null);
  }

  World(Case plan, Journal journal, @Nullable Mirror mirror) {
    this.plan = plan;
    this.mirror = mirror;
    this.journal = journal;
    this.epochs = new long[plan.sites()];
    this.promises = new Promises(plan.isWithinDrift());
    this.locks = IntStream.range(0, plan.locks()).mapToObj(k -> "lock-" + k).toList();
    this.loads = Generator.of(plan.seed(), "load");
    Generator clocks = Generator.of(plan.seed(), "clocks");
    for (int number = 0; number < plan.sites(); number++) {
      int extreme = clocks.nextInt(4); // most clocks are as wrong as may be
      int drift =
          extreme == 0
              ? clocks.nextInt(2 * plan.clockError() + 1) - plan.clockError()
              : extreme == 1 ? plan.clockError() : -plan.clockError();
      long offset = clocks.nextLong(1_000 * Case.SECOND);
      Generator writes = Generator.of(plan.seed(), "disk" + number);
      Disk disk = new Disk(schedule, plan.weather().diskDelay(), writes);
      sites.add(
          new Site(number, schedule, disk, writes.nextInt(3) > 0, offset, drift, this::acted));
    }
    this.wires = new Wires(schedule, sites, plan.weather(), Generator.of(plan.seed(), "network"));
    this.ballot = new Ballot(sites, promises);
    wires.sever(plan.severed());
    boolean calm = plan.isCalm() && !plan.severed() && !plan.load().equals(Case.Load.BRISK);
    long known = calm ? 8L * (plan.sites() + 1) * plan.weather().delay() : 0;
    this.turns = new Turns(plan.settings().passes(), known);
    this.mishaps = new Mishaps(this, sites, wires, ballot);
  }

  /** One of the founders founds the cluster, as soon as it is there; it need not vote. */
  private void found() {
    List<Newcomer> founders = new ArrayList<>();
    List<String> voters = new ArrayList<>();
    for (Site site : sites.subList(0, plan.founders())) {
      founders.add(new Newcomer(site.id, "address of " + site.id, 1));
      if (site.number < plan.voters()) {
        voters.add(site.id);
      }
    }
    ClusterState state =
        ClusterState.founded(plan.shape(), founders, false, plan.minutes(0, 0))
            .withLease(plan.settings().lease());
    Site first = sites.get(plan.seed() % 4 == 3 ? plan.founders() - 1 : 0);
    first.perform(
        () -> first.process().found(CLUSTER, state, new Configuration(voters), first.clock()));
  }

  /** Runs it to its end, or to the first broken promise. */
  ClusterResult run() {
    for (Site site : sites) {
      long when = site.number < plan.founders() ? 0 : loads.nextLong(plan.faultsEnd());
      schedule.at(when, () -> start(site));
    }
    schedule.at(0, this::found);
    plan.mishaps().forEach(mishap -> schedule.at(mishap.at(), () -> mishaps.happen(mishap)));
    while (goesOn() && step(plan.faultsEnd())) {
      // on and on
    }
    if (promises.violation() == null) {
      heal();
    }
    long deadline = schedule.now() + PATIENCE * plan.settings().lease();
    while (goesOn() && isUnfinished() && step(deadline)) {
      // until everybody is served
    }
    sites.stream()
        .filter(World::isLeaving)
        .findFirst()
        .ifPresent(site -> promises.broken(Promises.LET_GO, site.id + " is still there"));
    unanswered.stream()
        .findFirst()
        .ifPresent(forcing -> promises.broken(Promises.FORCED, forcing + " is not answered"));
    users.stream()
        .filter(User::isUnserved)
        .findFirst()
        .ifPresent(user -> promises.broken(Promises.SERVED, user.describe()));
    return new ClusterResult(
        promises.violation(),
        promises.grants(),
        losses,
        letters,
        mirror == null ? 0 : mirror.compared(),
        ballot.publications(),
        schedule.done(),
        longestWait);
  }

  private boolean step(long until) {
    try {
      return schedule.step(until);
    } catch (RuntimeException e) {
      promises.broken(Promises.ALIVE, e.toString());
      return false;
    }
  }

  private boolean goesOn() {
    if (schedule.done() > MOST_EVENTS) {
      promises.broken(Promises.BUSY, MOST_EVENTS + " events");
    }
    return promises.violation() == null;
  }

  private void heal() {
    note(null, () -> "the faults stop");
    healed = true;
    wires.heal();
    for (Site site : sites) {
      site.disk.heal();
      if (site.isStopped()) {
        site.resume();
      }
      if (!site.isUp() && site.restarts()) {
        start(site);
      }
    }
    users.forEach(User::finish);
  }

  private boolean isUnfinished() {
    return users.stream().anyMatch(User::isUnserved)
        || !unanswered.isEmpty()
        || sites.stream().anyMatch(World::isLeaving);
  }

  private static boolean isLeaving(Site site) {
    return site.isUp() && site.live().isClosed();
  }

  boolean isHealed() {
    return healed;
  }

  Costs costs() {
    return costs;
  }

  List<User> users() {
    return users;
  }

  /** Starts a process on a machine whose last one has ended. */
  void start(Site site) {
    if (site.isUp() || !site.restarts()) {
      return;
    }
    note(site, () -> "starts");
    long run = ((site.starts() + 1L) << 32) | 1;
    VotingMember.Origin origin =
        new VotingMember.Origin(
            site.id,
            "address of " + site.id,
            site.starts() == 0 ? 1 : run,
            site.deadSince(site.starts() == 0 ? 1 : run),
            plan.settings(),
            plan.rule().rules(),
            plan.voters(),
            plan.replaceAfter(),
            plan.seed() * 1_000_003 + site.number * 1_009L + site.starts());
    site.start(
        new VotingMember(
            origin,
            site.disk.read(),
            sites.stream().map(each -> each.id).toList(),
            new Outside(site),
            site.clock()));
    if (site.number >= plan.founders() && plan.seed() % 2 == 0) { // as a stranger told it
      site.process().adopt(CLUSTER, site.clock());
    }
    for (int k = 0; k < plan.users(); k++) {
      User user = new User(this, site, Generator.of(plan.seed(), site.id + site.starts() + k));
      users.add(user);
      if (healed) {
        user.finish();
      }
    }
  }

  void crash(Site site) {
    if (site.isUp()) {
      costs.crashed(schedule.now());
      note(site, () -> "crashes");
      site.crash();
      usage.crashed(site, schedule.now());
      wires.cutAll(site.number);
    }
  }

  /** A process that has left ends. */
  private void end(Site site, int start) {
    if (site.starts() == start) {
      crash(site);
      if (site.retires(ballot.canDoWithout(site))) {
        ballot.lost(site);
      }
    }
    if (healed) {
      start(site);
    }
  }

  /** A process has done something: tells users of grants, and looks at the tokens. */
  private void acted(Site site) {
    while (!afterEvent.isEmpty()) {
      Runnable grant = afterEvent.remove();
      if (mishaps.stopsAtGrant(site)) {
        List<Runnable> rest = new ArrayList<>(afterEvent);
        afterEvent.clear();
        site.stopBefore(
            () -> {
              grant.run();
              rest.forEach(Runnable::run);
            });
      } else {
        grant.run();
      }
    }
    if (site.isUp() && site.live().view().epoch() != epochs[site.number]) {
      epochs[site.number] = site.live().view().epoch();
      turns.askedAnew(schedule.now());
      mishaps.epochBegins(site.live().view());
    }
    if (site.isUp()) {
      ballot.acted(site);
    }
    promises.checkTokens(site, sites, locks);
    String difference = mirror == null ? null : mirror.difference();
    if (difference != null) {
      promises.broken(Promises.PLAIN, site.id + " " + difference);
    }
  }

  void afterEvent(Runnable grant) {
    afterEvent.add(grant);
  }

  void granted(Promises.Hold hold, long since) {
    promises.granted(hold);
    if (!healed) {
      costs.granted(schedule.now(), since);
    }
    if (schedule.now() < plan.settings().lease() && plan.isWithinDrift()) {
      promises.broken(Promises.FOUNDED, hold.lock + " is granted to " + hold.site.id);
    }
    if (healed) {
      longestWait = Math.max(longestWait, schedule.now() - Math.max(since, plan.faultsEnd()));
    }
  }

  void lost(Promises.Hold hold, Loss reason) {
    losses++;
    if (reason == Loss.FORCED && !forced.contains(new Forcing(hold.lock, hold.fence))) {
      promises.broken(Promises.FORCED, hold.toString());
    }
  }

  void forcing(Promises.Hold hold, Site asker) {
    Forcing forcing = new Forcing(hold.lock, hold.fence);
    forced.add(forcing);
    unanswered.add(forcing);
    int start = asker.starts();
    schedule.after(1, () -> forgetWith(asker, start, forcing));
  }

  /** A question ends with the process that asked. */
  private void forgetWith(Site asker, int start, Forcing forcing) {
    if (!asker.isUp() || asker.starts() != start) {
      unanswered.remove(forcing);
    } else if (unanswered.contains(forcing)) {
      schedule.after(Case.SECOND / 10, () -> forgetWith(asker, start, forcing));
    }
  }

  Turns turns() {
    return turns;
  }

  Usage usage() {
    return usage;
  }

  /**
   * One that only tried is refused.
   *
   * @param tried for how long, by its own clock
   * @param calm whether it could hold locks when it called, and was not stopped since
   */
  void refused(String lock, Site site, long since, long tried, boolean calm) {
    long patience = plan.settings().patience();
    if (tried > patience + 1 && calm) {
      promises.broken(Promises.PATIENT, site.id + " has tried " + lock + " for " + tried);
    }
    if (tried < patience && !usage.wasUsedSince(lock, since)) {
      promises.broken(Promises.FREE, site.id + " is refused " + lock + ", which is free");
    }
    if (tried >= patience && calm && isQuiet() && turns.isUndisturbedSince(since)) {
      promises.broken(Promises.ANSWERED, site.id + " is not answered about " + lock);
    }
  }

  /** Whether nothing goes wrong, and all is settled by now. */
  private boolean isQuiet() {
    Settings settings = plan.settings();
    long patience = settings.patience();
    return plan.isCalm()
        && !plan.severed()
        && settings.backlog() > plan.sites() * plan.users()
        && 8L * (plan.sites() + 1) * plan.weather().delay() < patience
        && schedule.now() > 3 * settings.lease();
  }

  int counterBits() {
    return plan.settings().counterBits();
  }

  boolean mayGiveUp() {
    return plan.load().wild();
  }

  /** How long a user waits at least before it calls: one that is tame, until all is settled. */
  long pause() {
    return plan.load().wild() ? 1 : Math.max(1, 3 * plan.settings().lease() - schedule.now());
  }

  /** How much longer it waits at most. */
  long think() {
    return plan.load().think();
  }

  /** How long a lock is held at most: a moment, a while, or longer than a lease. */
  long hold(int kind) {
    if (healed) {
      return Case.SECOND / 100;
    }
    if (!plan.load().wild()) {
      return plan.load().hold();
    }
    return kind == 0 ? 2 * plan.settings().lease() : kind <= 3 ? 1 : plan.load().hold();
  }

  void note(@Nullable Site site, Supplier<String> text) {
    journal.note(schedule.now(), site == null ? "" : site.id, text);
  }

  /** What a process asks for. */
  private final class Outside implements VotingMember.Outside {
    private final Site site;
    private final Map<Peer, Long> sent = new HashMap<>(); // the last letter to each

    Outside(Site site) {
      this.site = site;
    }

    @Override
    public void send(String id, Packet packet) {
      int to = Site.number(id);
      Site receiver = sites.get(to);
      String sender = site.id;
      if (!receiver.id.equals(id)) {
        return; // there is nobody of that name any more
      }
      if (packet instanceof Packet.Mail mail && mail.letter() != null) {
        letters++;
        boolean own = mail.from().id().equals(site.id);
        if (own && mail.seq() > sent.getOrDefault(mail.to(), 0L)) { // and no repetition
          sent.put(mail.to(), mail.seq());
          loans.sent(mail, site.live().view());
          checkReturn(site, mail.letter());
          reflect(site, mail, false);
          if (!healed) {
            costs.sent(mail.letter());
          }
        }
      }
      wires.send(
          site.number,
          to,
          () -> {
            note(receiver, () -> "gets " + text(packet) + " from " + sender);
            if (packet instanceof Packet.Mail mail) {
              reflect(receiver, mail, true);
            }
            receiver.process().receive(sender, packet, receiver.clock());
          });
    }

    @Override
    public void forced(String lock, long fence, boolean ended) {
      note(site, () -> "forced " + lock + (ended ? "" : ": not held"));
      unanswered.remove(new Forcing(lock, fence));
      boolean held = plan.isWithinDrift() && promises.isOpen(lock, fence);
      if (!ended && held && !site.live().isClosed()) {
        promises.broken(Promises.FORCED, lock + " is held, and " + site.id + " is told it is not");
      }
    }

    @Override
    public void inUse() {
      note(site, () -> "must wait: its name is in use");
    }

    @Override
    public void left() {
      note(site, () -> "has left");
      int start = site.starts();
      schedule.after(1, () -> end(site, start));
    }

    @Override
    public void store(Durable state, long ticket) {
      note(site, () -> "stores " + state);
      ballot.stored(site, state);
      int start = site.starts();
      site.disk.write(
          state,
          ticket,
          done -> {
            if (site.starts() == start) {
              site.perform(() -> site.process().stored(done, site.clock()));
            }
          });
    }

    @Override
    public void contradicted(String from, Publication publication) {
      promises.broken(Promises.KNOWN, from + " publishes " + publication + " to " + site.id);
    }

    @Override
    public void ahead(Peer member, long view) {
      promises.broken(Promises.KNOWN, member + " has view " + view + ", later than any agreed on");
    }

    @Override
    public long minutes() {
      return plan.minutes(schedule.now(), site.number);
    }
  }

  /** Shows the mirror a message of an algorithm that comes or goes. */
  private void reflect(Site site, Packet.Mail mail, boolean comes) {
    Letter letter = mail.letter();
    if (mirror != null && letter != null && letter.body() instanceof Letter.OfLock ofLock) {
      if (comes) {
        mirror.receive(site.number, Site.number(mail.from().id()), ofLock.lock(), ofLock.message());
      } else {
        mirror.sent(ofLock.lock(), Site.number(mail.to().id()), ofLock.message());
      }
    }
  }

  /** A user is about to call. */
  void entering(Site site, String lock) {
    costs.called(site.number);
    if (mirror != null) {
      mirror.enter(site.number, lock);
    }
  }

  /** A user is about to give back. */
  void leaving(Site site, String lock) {
    if (mirror != null) {
      mirror.exit(site.number, lock);
    }
  }

  /** Where nothing goes wrong, a token goes home only because somebody else asks (R18). */
  private void checkReturn(Site site, Letter letter) {
    if (letter.body() instanceof Letter.OfLock ofLock
        && ofLock.message() instanceof Token token
        && token.lender() == Algorithm.NIL
        && plan.settings().loansStay()
        && plan.isCalm()
        && sites.stream()
            .noneMatch(other -> other.isUp() && other.live().view().epoch() > FIRST_OPEN_EPOCH)
        && sites.stream()
            .noneMatch(
                other -> other != site && other.isUp() && other.live().isAsking(ofLock.lock()))
        && !loans.isRecalled(ofLock.lock(), site.id)) { // for one that has given up since
      promises.broken(Promises.LOCAL, site.id + " gives " + ofLock.lock() + " away unasked");
    }
  }

  private static String text(Packet packet) {
    if (packet instanceof Packet.Mail mail) {
      Letter letter = mail.letter();
      return letter == null
          ? "ack " + mail.ack()
          : mail.seq() + ": " + letter.body() + " of view " + letter.view() + "/" + letter.epoch();
    }
    return packet.toString();
  }
}
