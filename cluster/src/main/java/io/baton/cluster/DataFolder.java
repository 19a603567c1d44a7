package io.baton.cluster;

import io.baton.agreement.Durable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member must not forget, in one small file of its data folder: who it is, and what it has
 * voted for and accepted. Without the folder one is a new member (R4); a file that cannot be read
 * is refused, and never taken for none. The folder is locked while in use. Every change is on the
 * disk for good before anybody hears of it.
 */
public final class DataFolder implements AutoCloseable {
  static final String FILE = "member.properties";
  private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);
  private static final int LONGEST_WRITE = 5; // seconds that the end of a member waits for it
  private static final long LIVES = 1L << 20; // of one process; more than it will ever have

  // What the file says.
  private static final String ID = "id";
  private static final String CLUSTER = "cluster";
  private static final String RUN = "run";
  private static final String DEAD_SINCE = "dead-since"; // the runs from there on are over (R27)
  private static final String PLACE = "place"; // the lock file, as the file system names it
  private static final String SELF = "self"; // this file itself, the same
  private static final String BOOT = "boot"; // of the machine
  private static final String REGISTER = "register";
  private static final String MEMBER = "member."; // where others were last reached, by id

  private final Path folder; // as it was found, links resolved: it may be gone at the end
  private final FolderLock locked;
  private volatile Map<String, String> kept = Map.of(); // as it is certain to be on the disk
  private volatile Durable register = Durable.NONE; // the same
  private final ReentrantLock writing = new ReentrantLock();
  private long remembered; // the view whose addresses are kept; with the lock
  private boolean closed; // with the lock

  private DataFolder(Path folder, FolderLock locked) {
    this.folder = folder;
    this.locked = locked;
  }

  /**
   * Opens a folder, or begins one; counts one run more.
   *
   * @param proves whether a restart proves that the process before it has ended (R27)
   */
  static DataFolder open(Path where, String cluster, String name, boolean proves)
      throws IOException {
    DataFolder opened;
    try {
      Path folder = Files.createDirectories(where).toRealPath();
      opened = new DataFolder(folder, FolderLock.take(folder));
    } catch (FileSystemException e) {
      throw new IOException(
          "Cannot use the data folder %s: %s. Set data to one that this process may write to"
              .formatted(where, Texts.reason(e)),
          e);
    }
    try {
      opened.begin(cluster, name, proves);
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  private void begin(String cluster, String name, boolean proves) throws IOException {
    Map<String, String> next = new TreeMap<>();
    if (!Files.notExists(folder.resolve(FILE))) {
      kept = read();
      sync(); // what is read may not be on the disk yet, and others are about to hear of it
      register = MemberFile.register(folder.resolve(FILE), kept(REGISTER));
      next.putAll(kept);
      checkIsTheSame(cluster);
    } else {
      checkIsEmpty();
      next.putAll(Map.of(ID, newId(name), CLUSTER, cluster));
      next.put(REGISTER, MemberFile.text(Durable.NONE));
    }
    // By the clock as well: a folder may be that of an older backup, yet no two lives share a run.
    long last = Long.parseLong(next.getOrDefault(RUN, "0"));
    long run = Math.max(last + LIVES, System.currentTimeMillis() * LIVES);
    boolean proven =
        proves
            && locked.provesDeathOf(kept.getOrDefault(BOOT, ""), FileMark.parse(markKept(PLACE)));
    next.put(RUN, "" + run);
    next.put(DEAD_SINCE, proven ? kept(DEAD_SINCE) : "" + run);
    next.put(PLACE, locked.mark().toString());
    next.put(BOOT, FolderLock.boot());
    replace(next);
  }

  private String markKept(String key) {
    return kept.getOrDefault(key, "");
  }

  private void checkIsTheSame(String cluster) throws IOException {
    if (!kept(CLUSTER).equals(cluster)) {
      throw new IOException(
          "The data folder %s is that of a member of cluster \"%s\", not \"%s\""
              .formatted(folder, kept(CLUSTER), cluster));
    }
    boolean sameLock = FileMark.parse(markKept(PLACE)).mayBeThatOf(locked.mark());
    if (!sameLock
        || !FileMark.parse(markKept(SELF)).mayBeThatOf(FileMark.of(folder.resolve(FILE)))) {
      throw new IOException(
          ("The data folder %s was copied, or restored from a backup: it may have forgotten what it"
                  + " voted for. Delete it, and this member comes back as a new one; or, where no"
                  + " member has gone on since the copy was made, run: baton voters accept --data %s")
              .formatted(folder, folder));
    }
  }

  private void checkIsEmpty() throws IOException {
    if (Files.exists(folder.resolve("identity.properties"))
        || Files.exists(folder.resolve("log"))) {
      throw new IOException(
          ("The data folder %s is that of an earlier version of Baton, which this one cannot read."
                  + " Stop all members, give each an empty folder, and start them: they found the"
                  + " cluster anew")
              .formatted(folder));
    }
  }

  /** Agrees that a folder which was copied or restored is used where it is now. */
  public static void accept(Path where) throws IOException {
    if (Files.notExists(where.resolve(FILE))) {
      throw new IOException("There is no %s in %s".formatted(FILE, where));
    }
    Path folder = where.toRealPath();
    try (DataFolder opened = new DataFolder(folder, FolderLock.take(folder))) {
      opened.kept = opened.read();
      Map<String, String> next = new TreeMap<>(opened.kept);
      next.put(PLACE, opened.locked.mark().toString());
      next.put(BOOT, ""); // the process before may be that of the original, and alive
      opened.replace(next);
    }
  }

  private static String newId(String name) {
    return "%s-%08x".formatted(name, new SecureRandom().nextInt());
  }

  private Map<String, String> read() throws IOException {
    return MemberFile.read(
        folder.resolve(FILE), ID, CLUSTER, RUN, DEAD_SINCE, PLACE, SELF, BOOT, REGISTER);
  }

  private void replace(Map<String, String> next) throws IOException {
    if (closed) { // the folder may be another's
      throw new IOException("The data folder " + folder + " is closed");
    }
    try {
      write(next);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) { // such as "No space left on device"
      throw new IOException("Cannot write " + folder.resolve(FILE) + ": " + e.getMessage(), e);
    }
    kept = Map.copyOf(next);
  }

  private void write(Map<String, String> next) throws IOException {
    Path fresh = folder.resolve(FILE + ".new");
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      Map<String, String> named = new TreeMap<>(next);
      named.put(SELF, FileMark.ofFresh(fresh).toString());
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(MemberFile.text(named));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(fresh, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    syncFolder();
  }

  private void sync() throws IOException {
    try (FileChannel channel = FileChannel.open(folder.resolve(FILE), StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    syncFolder();
  }

  private void syncFolder() throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private String kept(String key) {
    return Objects.requireNonNull(kept.get(key));
  }

  String id() {
    return kept(ID);
  }

  /** What this member must not forget as a voter. */
  Durable register() {
    return register;
  }

  /** The cluster that this member belongs to. */
  UUID clusterId() {
    String id = register.cluster();
    return id.isEmpty() ? Frame.NO_CLUSTER : UUID.fromString(id);
  }

  boolean belongs() {
    return !register.cluster().isEmpty();
  }

  long run() {
    return Long.parseLong(kept(RUN));
  }

  /** All runs from this one on were those of processes that have ended; but for this one's own. */
  long deadSince() {
    return Long.parseLong(kept(DEAD_SINCE));
  }

  /** Where others were last reached, by id. */
  Map<String, String> addresses() {
    Map<String, String> addresses = new LinkedHashMap<>();
    kept.forEach(
        (key, value) -> {
          if (key.startsWith(MEMBER)) {
            addresses.put(key.substring(MEMBER.length()), value);
          }
        });
    return addresses;
  }

  /** What this member must not forget as a voter, from now on. Who reads does not wait for it. */
  void store(Durable state) throws IOException {
    writing.lock();
    try {
      Map<String, String> next = new TreeMap<>(kept);
      next.put(REGISTER, MemberFile.text(state));
      replace(next);
      register = state;
    } finally {
      writing.unlock();
    }
  }

  /** Where others are reached by this view, unless that of a later one is known. */
  void remember(long view, Map<String, String> addresses) throws IOException {
    writing.lock();
    try {
      if (view < remembered) {
        return;
      }
      remembered = view;
      Map<String, String> next = new TreeMap<>(kept);
      next.keySet().removeIf(key -> key.startsWith(MEMBER));
      addresses.forEach((id, address) -> next.put(MEMBER + id, address));
      if (!next.equals(kept)) {
        replace(next);
      }
    } finally {
      writing.unlock();
    }
  }

  /**
   * A folder whose disk hangs in the middle of a write stays in use as long as the process lives.
   */
  @Override
  public void close() {
    boolean alone = false;
    try {
      alone = writing.tryLock(LONGEST_WRITE, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      alone = writing.tryLock();
      Thread.currentThread().interrupt();
    }
    if (!alone) {
      LOG.error("{} hangs: it stays in use until this process ends", folder);
      return;
    }
    try {
      closed = true;
      locked.close();
    } finally {
      writing.unlock();
    }
  }
}
