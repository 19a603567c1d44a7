package io.baton.cluster.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agreed log of one voter: what it must not do to its host, and what damage it must see. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class RatisLogTest {
  private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-00000000002a");
  private static final int ENTRIES = 130; // two snapshots and some

  private final Path folder;

  RatisLogTest(@TempDir Path folder) {
    this.folder = folder;
  }

  /** Notes what it is told. */
  private static class Notes implements RatisLog.Listener {
    final BlockingQueue<Long> elected = new LinkedBlockingQueue<>();
    final BlockingQueue<String> entries = new LinkedBlockingQueue<>();
    final BlockingQueue<String> failures = new LinkedBlockingQueue<>(); // why it stopped
    private String state = "";

    @Override
    public void elected(long term) {
      elected.add(term);
    }

    @Override
    public void deposed() {}

    @Override
    public void applied(long index, long term, byte[] entry) {
      String text = new String(entry, StandardCharsets.UTF_8);
      tell(state() + text + ",");
      entries.add(text);
    }

    @Override
    public void restored(long index, byte[] restored) {
      tell(new String(restored, StandardCharsets.UTF_8));
    }

    private synchronized void tell(String now) {
      state = now;
    }

    synchronized String state() {
      return state;
    }

    @Override
    public void confirmed(long term, long batch) {}

    @Override
    public void removed() {}

    @Override
    public void failed(String reason) {
      failures.add(reason);
    }
  }

  private RatisLog open(Path where, boolean fresh, Notes notes) throws IOException {
    return new RatisLog(
        new RatisLog.Setup(where, "a", ID, fresh, fresh, Duration.ofMillis(300)),
        (to, message) -> {},
        notes,
        () -> notes.state().getBytes(StandardCharsets.UTF_8));
  }

  private static void propose(RatisLog log, Notes notes, String entry) throws Exception {
    String applied = null;
    for (int k = 0; k < 3 && applied == null; k++) { // a log may lose what it is told
      log.propose(entry.getBytes(StandardCharsets.UTF_8));
      applied = notes.entries.poll(30, TimeUnit.SECONDS);
    }
    assertThat(applied).isEqualTo(entry);
  }

  /** A log with entries in several files and with snapshots. */
  private String fill(Path where) throws Exception {
    Notes notes = new Notes();
    try (RatisLog log = open(where, true, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      for (int k = 0; k < ENTRIES; k++) {
        propose(log, notes, "entry-" + k);
      }
    }
    return notes.state();
  }

  /**
   * Ratis holds a lock of its own while it tells its listener things, and takes it for a proposal:
   * a host that proposed under its guard, and waited for that lock, would wait for ever.
   */
  @Test
  void aHostNeverWaitsForTheLockOfRatis() throws Exception {
    Notes notes = new Notes();
    try (RatisLog log = open(folder.resolve("log"), true, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      Field division = RatisLog.class.getDeclaredField("division");
      division.setAccessible(true);
      CountDownLatch taken = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      Thread ratis = new Thread(() -> holdLock(division, log, taken, end));
      ratis.start();
      taken.await();
      CompletableFuture<Void> host =
          CompletableFuture.runAsync(
              () -> {
                log.propose("under the guard".getBytes(StandardCharsets.UTF_8));
                log.confirm(1, 1);
                log.receive("b", new byte[] {1});
              });
      try {
        host.get(20, TimeUnit.SECONDS);
      } finally {
        end.countDown();
        ratis.join();
      }
      assertThat(notes.entries.poll(30, TimeUnit.SECONDS)).isEqualTo("under the guard");
    }
  }

  private static void holdLock(
      Field division, RatisLog log, CountDownLatch taken, CountDownLatch end) {
    try {
      synchronized (division.get(log)) {
        taken.countDown();
        end.await();
      }
    } catch (ReflectiveOperationException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whoHandsOverIsFollowedWithoutAnElectionsWait() throws Exception {
    Map<String, RatisLog> logs = new ConcurrentHashMap<>();
    Notes first = new Notes();
    Notes second = new Notes();
    try (RatisLog a = open("a", logs, first, Duration.ofSeconds(10));
        RatisLog b = open("b", logs, second, Duration.ofMinutes(5))) { // longer than this test
      b.start();
      a.start();
      assertThat(first.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      CompletableFuture<Void> change = a.changeVoters(List.of("a"), List.of("a", "b"));
      while (!change.isDone()) { // Ratis may notice only as its log grows
        a.propose("more".getBytes(StandardCharsets.UTF_8));
        first.entries.poll(1, TimeUnit.SECONDS);
      }
      change.get();
      while (a.isChanging()) { // until the last of it is applied
        Thread.onSpinWait();
      }
      Long elected = null; // a hand-over may fail, and is tried again where a leads once more
      for (int k = 0; elected == null && k < 3; k++) {
        a.handOver("b", Duration.ofSeconds(20)).get(60, TimeUnit.SECONDS);
        elected = second.elected.poll(20, TimeUnit.SECONDS);
      }
      assertThat(elected)
          .as("b is elected; logs that stopped: %s, %s", first.failures, second.failures)
          .isNotNull();
    }
  }

  /** With two at once Ratis might end with two majorities that do not meet. */
  @Test
  void oneVoterComesOrGoesAtATime() throws Exception {
    Notes notes = new Notes();
    try (RatisLog a = open("a", new ConcurrentHashMap<>(), notes, Duration.ofSeconds(10))) {
      a.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      for (List<String> other : List.of(List.of("b"), List.of("a", "b", "c"), List.of("a"))) {
        assertThat(a.changeVoters(List.of("a"), other))
            .failsWithin(Duration.ofSeconds(10))
            .withThrowableThat()
            .withMessageContaining("Not one voter more or less");
      }
      assertThat(a.changeVoters(List.of("a", "b"), List.of("a", "b", "c")))
          .as("where the voters are others by now")
          .failsWithin(Duration.ofSeconds(10));
      assertThat(a.voters()).containsExactly("a");
    }
  }

  /** A log that talks to others, and elects no leader before it heard nothing for so long. */
  private RatisLog open(String id, Map<String, RatisLog> others, Notes notes, Duration election)
      throws IOException {
    RatisLog log =
        new RatisLog(
            new RatisLog.Setup(folder.resolve(id), id, ID, true, id.equals("a"), election),
            (to, message) -> {
              RatisLog other = others.get(to);
              if (other != null) {
                other.receive(id, message);
              }
            },
            notes,
            () -> notes.state().getBytes(StandardCharsets.UTF_8));
    others.put(id, log);
    return log;
  }

  @Test
  void aLogThatIsClosedWhileItStartsCanBeOpenedAgain() throws Exception {
    for (int k = 0; k < 12; k++) {
      Path where = folder.resolve("log" + k);
      RatisLog log = open(where, true, new Notes());
      CompletableFuture<Void> starting =
          CompletableFuture.runAsync(
              () -> {
                try {
                  log.start();
                } catch (IOException e) {
                  assertThat(e).hasMessage("The log was closed before it began");
                }
              });
      long soon = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(4L * k);
      while (System.nanoTime() < soon) {
        Thread.onSpinWait();
      }
      log.close();
      starting.get(30, TimeUnit.SECONDS);
      try (RatisLog again = open(where, false, new Notes())) {
        again.start();
        assertThat(again.isOpen()).isTrue();
      }
    }
  }

  @Test
  void whatWasAppliedIsThereAfterEachStart() throws Exception {
    Path where = folder.resolve("log");
    String before = fill(where);
    for (int k = 0; k < 3; k++) {
      before = openAgain(where, before, "again-" + k);
    }
  }

  private String openAgain(Path where, String before, String entry) throws Exception {
    Notes notes = new Notes();
    try (RatisLog log = open(where, false, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(notes.state()).isEqualTo(before);
      notes.entries.clear();
      propose(log, notes, entry);
    }
    return notes.state();
  }

  /** As after a crash while a snapshot was taken that a leader had sent. */
  @Test
  void aLogThatEndsBeforeItsSnapshotGoesOnAfterIt() throws Exception {
    Path early = folder.resolve("early");
    Path late = folder.resolve("late");
    Notes notes = new Notes();
    try (RatisLog log = open(early, true, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      propose(log, notes, "early");
    }
    copy(early, late, "", null);
    Files.createDirectories(late.resolve(ID + "/sm"));
    openAndFill(late);
    copySnapshots(late, early);
    Notes again = new Notes();
    try (RatisLog log = open(early, false, again)) {
      log.start();
      assertThat(again.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(again.state()).startsWith("early,entry-0,").contains("entry-40,");
      propose(log, again, "after it");
    }
  }

  /** Ratis deletes what is in the snapshot, the latest file first. */
  @Test
  void aDeletionThatWasNotFinishedIsFinished() throws Exception {
    Path where = folder.resolve("log");
    String state = "";
    for (int k = 0; k < 12; k++) { // each start begins a file
      Notes notes = new Notes();
      try (RatisLog log = open(where, k == 0, notes)) {
        log.start();
        assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
        notes.entries.clear();
        propose(log, notes, "entry-" + k);
      }
      state = notes.state();
      if (k == 5) {
        copy(where, folder.resolve("before"), "", null);
      }
    }
    Notes notes = new Notes();
    try (RatisLog log = open(where, false, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      notes.entries.clear();
      for (int k = 0; k < 40; k++) {
        propose(log, notes, "more");
      }
      state = notes.state();
    }
    List<String> left = files(where).stream().filter(file -> file.contains("log_")).toList();
    assertThat(left).as("all but the last are deleted").hasSizeLessThan(3);
    String orphan =
        files(folder.resolve("before")).stream()
            .filter(file -> file.contains("log_") && !file.contains("inprogress"))
            .findFirst()
            .orElseThrow();
    Files.copy(folder.resolve("before").resolve(orphan), where.resolve(orphan));
    openAgain(where, state, "after it");
  }

  /** As of a leader that was deposed, and had more entries than the snapshot of the next one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLogThatItsSnapshotBeliesIsNotBelieved(boolean ofALaterTerm) throws Exception {
    Path early = folder.resolve("early");
    Path late = folder.resolve("late");
    Notes notes = new Notes();
    try (RatisLog log = open(early, true, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      propose(log, notes, "early");
    }
    copy(early, late, "", null);
    Files.createDirectories(late.resolve(ID + "/sm"));
    byte[] floor = Files.readAllBytes(early.resolve("floor"));
    Notes wrong = new Notes();
    for (int k = 0; k < 5 && ofALaterTerm; k++) {
      openAgain(early, notes.state() + "again,".repeat(k), "again");
    }
    try (RatisLog log = open(early, false, wrong)) {
      log.start();
      assertThat(wrong.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      wrong.entries.clear();
      for (int k = 0; k < ENTRIES; k++) {
        propose(log, wrong, "wrong-" + k);
      }
    }
    for (String file : files(early)) {
      if (file.contains("snapshot")) {
        Files.delete(early.resolve(file));
      }
    }
    Files.write(early.resolve("floor"), floor); // none of that was certain
    openAgain(late, "early,", "in another term");
    openAndFill(late);
    copySnapshots(late, early);
    Notes again = new Notes();
    if (ofALaterTerm) { // some of it may be certain
      assertThatThrownBy(() -> open(early, false, again))
          .hasMessageContaining("it does not fit its snapshot");
      return;
    }
    try (RatisLog log = open(early, false, again)) {
      log.start();
      assertThat(again.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(again.state()).contains("entry-40,").doesNotContain("wrong");
      propose(log, again, "after it");
    }
  }

  private void openAndFill(Path where) throws Exception {
    Notes notes = new Notes();
    try (RatisLog log = open(where, false, notes)) {
      log.start();
      assertThat(notes.elected.poll(30, TimeUnit.SECONDS)).isNotNull();
      notes.entries.clear();
      for (int k = 0; k < ENTRIES; k++) {
        propose(log, notes, "entry-" + k);
      }
    }
  }

  private static void copySnapshots(Path from, Path to) throws IOException {
    for (String file : files(from)) {
      if (file.contains("snapshot")) {
        Files.createDirectories(to.resolve(file).getParent());
        Files.copy(from.resolve(file), to.resolve(file));
      }
    }
  }

  /** What can happen to a file while its process is not running; null: it is gone. */
  private static Map<String, UnaryOperator<byte @Nullable []>> damages() {
    Map<String, UnaryOperator<byte @Nullable []>> all = new LinkedHashMap<>();
    all.put("gone", bytes -> null);
    all.put("emptied", bytes -> new byte[0]);
    all.put("halved", bytes -> Arrays.copyOf(bytes, bytes.length / 2));
    all.put("cut by a byte", bytes -> Arrays.copyOf(bytes, Math.max(0, bytes.length - 1)));
    all.put("cut by ten bytes", bytes -> Arrays.copyOf(bytes, Math.max(0, bytes.length - 10)));
    all.put(
        "with zeros from the middle on",
        bytes -> Arrays.copyOf(Arrays.copyOf(bytes, bytes.length / 2), bytes.length));
    for (int tenth = 0; tenth < 10; tenth += 3) {
      int at = tenth;
      all.put("with bits flipped at " + at + "/10", bytes -> flipped(bytes, at));
    }
    return all;
  }

  private static byte[] flipped(byte[] bytes, int tenth) {
    byte[] changed = bytes.clone();
    if (changed.length > 0) {
      changed[tenth * changed.length / 10] ^= 0x41;
    }
    return changed;
  }

  @Test
  void aDamagedLogIsRefusedOrHasLostNothing() throws Exception {
    Path good = folder.resolve("good");
    String state = fill(good);
    List<String> files = files(good);
    assertThat(files).anyMatch(file -> file.contains("snapshot")).hasSizeGreaterThan(5);
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    for (String file : files) {
      for (Map.Entry<String, UnaryOperator<byte @Nullable []>> damage : damages().entrySet()) {
        Path copy = folder.resolve("copy");
        byte[] changed = damage.getValue().apply(Files.readAllBytes(good.resolve(file)));
        copy(good, copy, file, changed);
        String seen = stateAfterStart(copy);
        if (seen == null) {
          refused++;
        } else if (!seen.equals(state)) {
          wrong.add(file + " " + damage.getKey() + ": " + seen);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(refused).isGreaterThan(damages().size()); // more than one file matters
  }

  /** What a log tells when it is opened; null: it refuses. */
  private @Nullable String stateAfterStart(Path where) throws Exception {
    Notes notes = new Notes();
    RatisLog log;
    try {
      log = open(where, false, notes);
      log.start();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("Delete this member's data folder");
      return null;
    }
    try (log) {
      return notes.elected.poll(10, TimeUnit.SECONDS) == null ? "no leader" : notes.state();
    }
  }

  private static List<String> files(Path where) throws IOException {
    try (Stream<Path> all = Files.walk(where)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.endsWith("in_use.lock"))
          .map(file -> where.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  private static void copy(Path from, Path to, String file, byte @Nullable [] changed)
      throws IOException {
    if (Files.exists(to)) {
      try (Stream<Path> all = Files.walk(to)) {
        for (Path old : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(old);
        }
      }
    }
    for (String each : files(from)) {
      Files.createDirectories(to.resolve(each).getParent());
      if (!each.equals(file)) {
        Files.copy(from.resolve(each), to.resolve(each));
      } else if (changed != null) {
        Files.write(to.resolve(each), changed);
      }
    }
  }
}
