package io.baton.cli.live;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is done to a fleet, one thing after the other, each undone before the next. */
public final class Mischief {
  /** The kinds. */
  public enum Kind {
    /** Two members do not hear each other. */
    CUT,
    /** One does not hear another. */
    ONE_WAY,
    /** One hears nobody and is heard by nobody. */
    ISOLATE,
    /** A few on one side, the others on the other. */
    SPLIT,
    /** Two sides, and one member that hears both. */
    BRIDGE,
    /** A link that comes and goes. */
    FLAP,
    /** Everything takes long. */
    DELAY,
    /** A holder is killed and started again. */
    KILL_HOLDER,
    /** The leader of the voters is killed and started again. */
    KILL_LEADER,
    /** A holder is stopped for longer than its lease, and goes on. */
    STOP_HOLDER,
    /** The leader is stopped for longer than its lease, and goes on. */
    STOP_LEADER,
    /** All are killed at once, and started again. */
    KILL_ALL,
    /** One after the other is asked to end, and started again; the others lose nothing. */
    ROLL,
    /** A voter is killed and its file torn: it refuses to start, and comes back as a new member. */
    TEAR,
    /** A voter is killed and loses its folder: it comes back as a new member. */
    LOSE,
    /** A voter is killed and its folder set back to an older copy: as with a torn file. */
    RESTORE,
    /** A voter leaves: another one votes in its place; then it comes back. */
    EXCHANGE,
    /** A holder is killed and started again at once: the next grant waits for no lease. */
    SUPERVISE,
    /** One is cut off and killed at once, as if the plug were pulled, and started again. */
    UNPLUG,
    /** All wall clocks go a day ahead or back, and then the other way: nothing comes of it. */
    CLOCK,
    /** The disk of a voter is full for a while: it votes no more, and then it does again. */
    FULL
  }

  private static final String FILE = "member.properties";
  private static final int PATIENCE = 90;
  private static final int MOST_TRIES = 3;
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  /**
   * What can be disturbed, besides the processes themselves.
   *
   * @param clocks null: they cannot
   * @param disks null: they cannot
   */
  public record Surroundings(Links links, @Nullable Clocks clocks, @Nullable Disks disks) {
    /** Whether this kind can be done here. */
    public boolean allow(Kind kind) {
      return switch (kind) {
        case DELAY -> links instanceof Wires;
        case CLOCK -> clocks != null;
        case FULL -> disks != null;
        default -> true;
      };
    }
  }

  private final Fleet fleet;
  private final Surroundings surroundings;
  private final Links links;
  private final int members;
  private final long leaseMillis;
  private final Random chance;
  private final Stalls stalls = new Stalls();
  private int voided; // steps that told nothing, since the machine stood still
  private final Consumer<String> told;
  private List<String> voters = List.of(); // as last heard of

  /** For a fleet. */
  public Mischief(
      Fleet fleet, Surroundings surroundings, long leaseMillis, long seed, Consumer<String> told) {
    this.fleet = fleet;
    this.surroundings = surroundings;
    this.links = surroundings.links();
    this.members = fleet.size();
    this.leaseMillis = leaseMillis;
    this.chance = new Random(seed);
    this.told = told;
  }

  /** How many steps were made again since the machine itself stood still. */
  public int voided() {
    return voided;
  }

  /** Does one thing, for a while, and undoes it. */
  public void perform(Kind kind) throws IOException, InterruptedException {
    String name = kind.name().toLowerCase(Locale.ROOT);
    switch (kind) {
      case CUT -> {
        int a = chance.nextInt(members);
        int b = other(a);
        told.accept(name + " " + Fleet.name(a) + " " + Fleet.name(b));
        cut(a, b);
        rest(span());
      }
      case ONE_WAY -> {
        int a = chance.nextInt(members);
        int b = other(a);
        told.accept(name + " " + Fleet.name(a) + " to " + Fleet.name(b));
        links.block(a, b);
        rest(span());
      }
      case ISOLATE -> {
        int a = chance.nextInt(members);
        told.accept(name + " " + Fleet.name(a));
        isolate(a);
        rest(span());
      }
      case SPLIT -> {
        int size = 1 + chance.nextInt(members - 1);
        told.accept(name + " the first " + size + " from the others");
        split(size, -1);
        rest(span());
      }
      case BRIDGE -> {
        int middle = chance.nextInt(members);
        told.accept(name + " over " + Fleet.name(middle));
        split(members / 2, middle);
        rest(span());
      }
      case FLAP -> {
        int a = chance.nextInt(members);
        int b = other(a);
        told.accept(name + " " + Fleet.name(a) + " " + Fleet.name(b));
        for (int k = 0; k < 15; k++) {
          cut(a, b);
          rest(20 + chance.nextInt(300));
          links.mend();
          rest(20 + chance.nextInt(300));
        }
      }
      case DELAY -> {
        told.accept(name);
        Wires wires = (Wires) links;
        for (int a = 0; a < members; a++) {
          for (int b = 0; b < members; b++) {
            wires.slow(a, b, chance.nextInt(100));
          }
        }
        rest(span());
      }
      case KILL_HOLDER -> {
        int a = chance.nextInt(members);
        told.accept(name + " " + Fleet.name(a));
        hold(a);
        killAndStart(a);
      }
      case KILL_LEADER -> {
        int leader = leader();
        told.accept(name + " " + Fleet.name(leader));
        killAndStart(leader);
      }
      case STOP_HOLDER -> {
        awaitVoters();
        stopWhileItHolds(name, chance.nextInt(members));
      }
      case STOP_LEADER -> {
        awaitVoters();
        stopWhileItHolds(name, leader());
      }
      case KILL_ALL -> {
        told.accept(name);
        for (int a = 0; a < members; a++) {
          fleet.kill(a);
        }
        for (int a = 0; a < members; a++) {
          fleet.start(a);
        }
        awaitAll();
      }
      case ROLL -> fairly(() -> roll(name));
      case TEAR -> spoil(name, Mischief::tear);
      case RESTORE -> spoil(name, this::restore);
      case LOSE -> {
        int a = anyVoter();
        told.accept(name + " the folder of " + Fleet.name(a));
        fleet.kill(a);
        Folders.delete(fleet.dataOf(a));
        fleet.start(a);
        fleet.await(a, "joined", PATIENCE);
      }
      case EXCHANGE -> {
        int a = anyVoter();
        told.accept(name + " " + Fleet.name(a));
        fleet.terminate(a, PATIENCE);
        awaitReplaced(a);
        fleet.start(a);
        fleet.await(a, "joined", PATIENCE);
      }
      case SUPERVISE -> supervise(name);
      case UNPLUG -> {
        int a = chance.nextInt(members);
        told.accept(name + " " + Fleet.name(a));
        hold(a);
        isolate(a);
        fleet.kill(a);
        rest(span());
        links.mend();
        fleet.start(a);
        fleet.await(a, "joined", PATIENCE);
      }
      case CLOCK -> {
        Clocks clocks = Objects.requireNonNull(surroundings.clocks());
        fairly(() -> stepClocks(name, clocks));
      }
      case FULL -> fillDisk(name, Objects.requireNonNull(surroundings.disks()));
    }
    links.mend();
  }

  /** A step in which nobody should lose a lease. */
  private interface Step {
    void take() throws IOException, InterruptedException;
  }

  /** Somebody lost something that it should have kept. */
  private static final class LostException extends IOException {
    LostException(String message) {
      super(message);
    }
  }

  /** Once more where the machine itself gave nobody the time to renew a lease. */
  private void fairly(Step step) throws IOException, InterruptedException {
    for (int k = 1; true; k++) {
      try {
        step.take();
        return;
      } catch (LostException e) {
        long stalled = stalls.longestMillis();
        if (k == MOST_TRIES || stalled < leaseMillis / 2) {
          throw e;
        }
        voided++;
        told.accept("the machine stood still for " + stalled + " ms: once more");
      }
    }
  }

  /** Whoever is not restarted at the moment loses nothing. */
  private void roll(String name) throws IOException, InterruptedException {
    awaitCalm();
    told.accept(name);
    for (int a = 0; a < members; a++) {
      stalls.begin();
      List<Long> before = lossesBut(a);
      fleet.terminate(a, PATIENCE);
      fleet.start(a);
      fleet.await(a, "joined", PATIENCE);
      List<Long> after = lossesBut(a);
      if (!before.equals(after)) {
        throw new LostException(
            "While %s was restarted, others lost locks: %s before, %s after"
                .formatted(Fleet.name(a), before, after));
      }
    }
  }

  private List<Long> lossesBut(int member) throws IOException, InterruptedException {
    List<Long> losses = new ArrayList<>();
    for (int b = 0; b < members; b++) {
      if (b != member) {
        fleet.order(b, "losses");
        losses.add(Long.parseLong(fleet.await(b, "losses", PATIENCE)));
      }
    }
    return losses;
  }

  /** Something that is done to the file of a member that does not run. */
  private interface Damage {
    void doTo(Path file) throws IOException, InterruptedException;
  }

  /** A voter refuses to start, and comes back as a new member. */
  private void spoil(String name, Damage damage) throws IOException, InterruptedException {
    int a = anyVoter();
    told.accept(name + " the file of " + Fleet.name(a));
    fleet.kill(a);
    damage.doTo(fleet.dataOf(a).resolve(FILE));
    fleet.start(a);
    if (fleet.awaitEnd(a, PATIENCE) == 0) {
      throw new IOException(Fleet.name(a) + " started with what it must not trust");
    }
    Folders.delete(fleet.dataOf(a));
    fleet.start(a);
    fleet.await(a, "joined", PATIENCE);
  }

  private static void tear(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
  }

  /** As from a backup: the whole folder as it was, with other files. */
  private void restore(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    Path folder = Objects.requireNonNull(file.getParent());
    Files.move(folder, folder.resolveSibling("before"));
    Files.createDirectories(folder);
    Files.write(file, content);
    Files.createFile(folder.resolve("lock"));
    Folders.delete(folder.resolveSibling("before"));
  }

  private int anyVoter() throws IOException, InterruptedException {
    awaitVoters();
    return member(voters.get(chance.nextInt(voters.size())));
  }

  /**
   * As a supervisor does; it is not measured here how long it takes, but that no lease is waited.
   */
  private void supervise(String name) throws IOException, InterruptedException {
    awaitVoters();
    int a = chance.nextInt(members);
    told.accept(name + " " + Fleet.name(a));
    hold(a);
    fleet.kill(a);
    fleet.start(a);
    fleet.await(a, "joined", PATIENCE);
    awaitTurns();
  }

  /** A holder keeps what it holds, and loses it no later than ever. */
  private void stepClocks(String name, Clocks clocks) throws IOException, InterruptedException {
    awaitCalm();
    int a = chance.nextInt(members);
    told.accept(name + " with " + Fleet.name(a) + " holding");
    stalls.begin();
    String fence = hold(a);
    int[] days = new int[members];
    Arrays.setAll(days, b -> chance.nextBoolean() ? 1 : -1);
    setClocks(clocks, days);
    rest(2 * leaseMillis);
    fleet.order(a, "still");
    String still = fleet.await(a, "still", PATIENCE);
    if (!fence.equals(still)) {
      throw new LostException(
          "%s held fence %s, and after the clocks were set: %s"
              .formatted(Fleet.name(a), fence, still));
    }
    Arrays.setAll(days, b -> -days[b]);
    setClocks(clocks, days);
    isolate(a);
    fleet.await(a, "lost", PATIENCE);
    links.mend();
    setClocks(clocks, new int[members]);
  }

  private void setClocks(Clocks clocks, int[] days) throws IOException, InterruptedException {
    for (int b = 0; b < members; b++) {
      clocks.set(b, days[b]);
    }
    for (int b = 0; b < members; b++) {
      for (int k = 0; Math.abs(aheadMillis(b) - days[b] * DAY) > DAY / 2; k++) {
        if (k > PATIENCE) {
          throw new IOException("The clock of " + Fleet.name(b) + " cannot be set");
        }
        rest(100);
      }
    }
  }

  private long aheadMillis(int member) throws IOException, InterruptedException {
    fleet.order(member, "clock");
    return Long.parseLong(fleet.await(member, "clock", PATIENCE)) - System.currentTimeMillis();
  }

  /** The others go on without its vote, and it is needed once there is room. */
  private void fillDisk(String name, Disks disks) throws IOException, InterruptedException {
    awaitVoters();
    int full = member(voters.get(chance.nextInt(voters.size())));
    told.accept(name + " the disk of " + Fleet.name(full));
    disks.fill(full);
    killAndStart(other(full)); // an entry that it cannot write
    awaitTurns();
    if (chance.nextBoolean()) {
      awaitReplaced(full);
    }
    disks.free(full);
    awaitVoters();
    awaitVote(full);
    List<String> others = new ArrayList<>(voters);
    others.remove(fleet.idOf(full));
    int missed = member(others.get(chance.nextInt(others.size())));
    fleet.kill(missed);
    rest(leaseMillis);
    hold(full); // with a lease that it could not have without a majority
    fleet.order(full, "drop");
    fleet.start(missed);
    fleet.await(missed, "joined", PATIENCE);
  }

  private void awaitReplaced(int member) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
    while (votersBy(leader()).contains(fleet.idOf(member))) {
      if (System.nanoTime() > end) {
        throw new IOException(Fleet.name(member) + " cannot vote, and is not replaced");
      }
      rest(200);
    }
  }

  /** Waits until a member votes, or somebody else does in its stead. */
  private void awaitVote(int member) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
    while (voters.contains(fleet.idOf(member)) && votersBy(member).isEmpty()) {
      if (System.nanoTime() > end) {
        throw new IOException(Fleet.name(member) + " has room again, and does not vote");
      }
      rest(200);
      voters = votersBy(leader());
    }
  }

  private List<String> votersBy(int member) throws IOException, InterruptedException {
    fleet.order(member, "who");
    String ids = fleet.await(member, "voters", PATIENCE);
    return ids.isEmpty() ? List.of() : List.of(ids.split(" ", -1));
  }

  private int member(String id) throws IOException {
    for (int a = 0; a < members; a++) {
      if (id.startsWith(Fleet.name(a) + "-")) {
        return a;
      }
    }
    throw new IOException("Nobody is called " + id);
  }

  /** Waits until nothing that was done before can cost anybody a lease any more. */
  private void awaitCalm() throws IOException, InterruptedException {
    awaitVoters();
    rest(3 * leaseMillis);
  }

  /** Waits until every voter runs: to lose one more while one is being replaced is too much. */
  private void awaitVoters() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
    int well = 0; // a change may be under way that is not agreed on yet
    while (well < 3) {
      if (System.nanoTime() > end) {
        throw new IOException("A voter that is gone was not replaced: " + voters);
      }
      rest(500);
      voters = votersBy(leader());
      well = voters.size() == 3 && fleet.ids().containsAll(voters) ? well + 1 : 0;
    }
  }

  /** Has a member hold lock-0, which may take a while; the fence. */
  private String hold(int member) throws IOException, InterruptedException {
    fleet.order(member, "grab " + Worker.lock(0));
    String held = fleet.await(member, "holds", PATIENCE);
    return held.substring(held.lastIndexOf(' ') + 1);
  }

  private int leader() throws IOException, InterruptedException {
    for (int k = 0; k < 100; k++) {
      int asked = chance.nextInt(members);
      if (fleet.isRunning(asked)) {
        fleet.order(asked, "who");
        String id = fleet.await(asked, "leads", PATIENCE);
        if (!id.equals("nobody")) {
          return member(id);
        }
      }
      rest(100);
    }
    throw new IOException("Nobody leads");
  }

  private void killAndStart(int member) throws IOException, InterruptedException {
    fleet.kill(member);
    rest(span() / 2);
    fleet.start(member);
    fleet.await(member, "joined", PATIENCE);
  }

  /** It goes on when another has been granted its lock, by the leader of another term if it led. */
  private void stopWhileItHolds(String name, int member) throws IOException, InterruptedException {
    told.accept(name + " " + Fleet.name(member));
    hold(member);
    fleet.stop(member);
    rest(leaseMillis + span());
    int next = other(member);
    hold(next);
    fleet.go(member);
    rest(leaseMillis / 10);
    fleet.order(next, "drop");
    fleet.order(member, "drop");
  }

  /** Waits until each of them has joined. */
  public void awaitAll() throws IOException, InterruptedException {
    for (int a = 0; a < members; a++) {
      fleet.await(a, "joined", PATIENCE);
    }
  }

  /** Waits until each of them has held lock-0 once more: nobody is left out. */
  public void awaitTurns() throws IOException, InterruptedException {
    for (int a = 0; a < members; a++) {
      hold(a);
      fleet.order(a, "drop");
    }
  }

  private int other(int member) {
    return (member + 1 + chance.nextInt(members - 1)) % members;
  }

  private void isolate(int a) throws IOException, InterruptedException {
    for (int b = 0; b < members; b++) {
      cut(a, b);
    }
  }

  private void cut(int a, int b) throws IOException, InterruptedException {
    links.block(a, b);
    links.block(b, a);
  }

  private void split(int size, int bridge) throws IOException, InterruptedException {
    for (int a = 0; a < size; a++) {
      for (int b = size; b < members; b++) {
        if (a != bridge && b != bridge) {
          cut(a, b);
        }
      }
    }
  }

  /** From a tenth of a lease to three. */
  private long span() {
    return leaseMillis / 10 + chance.nextInt((int) (3 * leaseMillis));
  }

  /** Lets time pass. */
  public static void rest(long millis) throws InterruptedException {
    boolean never = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    if (never) {
      throw new IllegalStateException("Nobody counts down");
    }
  }
}
