package io.baton.cluster;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Who a member is, in its data folder: without that, one is a new member (R4). The folder is locked
 * while in use. Every change is on the disk before anybody hears of it, or is not made.
 */
final class Identity implements AutoCloseable {
  private static final String FILE = "identity.properties";
  private static final String LOG_FOLDER = "log";
  private static final String LOG_BEGUN = "raft-meta.conf"; // written when a log first has voters
  private static final long LIVES = 1L << 20; // of one process; more than it will ever have

  // What the file says.
  private static final String ID = "id";
  private static final String CLUSTER = "cluster";
  private static final String CLUSTER_ID = "cluster-id";
  private static final String RUN = "run";
  private static final String VOTES = "votes";
  private static final String FOUNDING = "founding"; // who must belong before the cluster begins
  private static final String MEMBER = "member."; // where others were last reached, by id

  private final Path folder; // as it was found, links resolved: it may be gone at the end
  private final FolderLock locked;
  private volatile Map<String, String> kept = Map.of(); // as it is certain to be on the disk
  private long remembered; // the view whose addresses are kept
  private boolean closed;

  private Identity(Path folder, FolderLock locked) {
    this.folder = folder;
    this.locked = locked;
  }

  /** Opens a folder, or begins one; counts one run more. */
  static Identity open(Path where, String cluster, String name) throws IOException {
    Identity identity;
    try {
      Path folder = Files.createDirectories(where).toRealPath();
      identity = new Identity(folder, FolderLock.take(folder));
    } catch (FileSystemException e) {
      throw new IOException(
          "Cannot use the data folder %s: %s. Set data to one that this process may write to"
              .formatted(where, Texts.reason(e)),
          e);
    }
    try {
      identity.begin(cluster, name);
      return identity;
    } catch (IOException | RuntimeException | Error e) {
      identity.close();
      throw e;
    }
  }

  private void begin(String cluster, String name) throws IOException {
    Map<String, String> next = new TreeMap<>();
    if (Files.exists(folder.resolve(FILE))) {
      kept = read();
      next.putAll(kept);
      if (!kept(CLUSTER).equals(cluster)) {
        throw new IOException(
            "The data folder %s is that of a member of cluster \"%s\", not \"%s\""
                .formatted(folder, kept(CLUSTER), cluster));
      }
    } else if (Files.exists(folder.resolve(LOG_FOLDER))) {
      throw new IOException(
          "The data folder %s has a log and no %s: it is damaged. Delete it, and this member"
                  .formatted(folder, FILE)
              + " comes back as a new one");
    } else {
      next.putAll(Map.of(ID, newId(name), CLUSTER, cluster, CLUSTER_ID, "" + Frame.NO_CLUSTER));
      next.putAll(Map.of(VOTES, "false", FOUNDING, ""));
    }
    // By the clock as well: a folder may be that of an older backup, yet no two lives share a run.
    long last = Long.parseLong(next.getOrDefault(RUN, "0"));
    next.put(RUN, "" + Math.max(last + LIVES, System.currentTimeMillis() * LIVES));
    store(next);
  }

  private static String newId(String name) {
    return "%s-%08x".formatted(name, new SecureRandom().nextInt());
  }

  private Map<String, String> read() throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(folder.resolve(FILE), StandardCharsets.UTF_8)) {
      properties.load(reader);
      Map<String, String> read = new TreeMap<>();
      properties.stringPropertyNames().forEach(k -> read.put(k, properties.getProperty(k)));
      for (String key : List.of(ID, CLUSTER, CLUSTER_ID, RUN, VOTES, FOUNDING)) {
        if (!read.containsKey(key)) {
          throw new IllegalArgumentException("it has no " + key);
        }
      }
      UUID.fromString(read.get(CLUSTER_ID));
      Long.parseLong(read.get(RUN));
      return Map.copyOf(read);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "%s is damaged: %s. Delete the folder, and this member comes back as a new one"
              .formatted(folder.resolve(FILE), e.getMessage()),
          e);
    }
  }

  /** Makes changes: on the disk first. Who reads does not wait for it. */
  private synchronized void store(Map<String, String> changes) throws IOException {
    Map<String, String> next = new TreeMap<>(kept);
    next.putAll(changes);
    replace(next);
  }

  private void replace(Map<String, String> next) throws IOException {
    checkOpen();
    Properties properties = new Properties();
    properties.putAll(next);
    StringWriter text = new StringWriter();
    properties.store(text, "Who this member of a Baton cluster is. Do not copy, do not edit.");
    Path fresh = folder.resolve(FILE + ".new");
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(fresh, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
    kept = Map.copyOf(next);
  }

  /** Once it is closed, the folder may be another's. */
  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("The data folder " + folder + " is closed");
    }
  }

  private String kept(String key) {
    return Objects.requireNonNull(kept.get(key));
  }

  String id() {
    return kept(ID);
  }

  UUID clusterId() {
    return UUID.fromString(kept(CLUSTER_ID));
  }

  boolean belongs() {
    return !clusterId().equals(Frame.NO_CLUSTER);
  }

  long run() {
    return Long.parseLong(kept(RUN));
  }

  boolean votes() {
    return Boolean.parseBoolean(kept(VOTES));
  }

  /** Who must belong to the cluster before it begins. */
  List<String> founding() {
    return Arrays.stream(kept(FOUNDING).split(",")).filter(s -> !s.isEmpty()).toList();
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

  /** This member belongs to a cluster from now on. */
  void adopt(UUID newCluster) throws IOException {
    store(Map.of(CLUSTER_ID, newCluster.toString()));
  }

  /** This member founds a cluster, which begins once all of these belong to it. */
  void found(UUID newCluster, List<String> expected) throws IOException {
    store(Map.of(CLUSTER_ID, newCluster.toString(), FOUNDING, String.join(",", expected)));
  }

  /** This member votes from now on. */
  void vote() throws IOException {
    store(Map.of(VOTES, "true"));
  }

  /** The cluster has begun. */
  void founded() throws IOException {
    if (!founding().isEmpty()) {
      store(Map.of(FOUNDING, ""));
    }
  }

  /** Whether a founder's log has never come to be: it may begin anew. */
  boolean isStillToFound() throws IOException {
    if (founding().isEmpty()) {
      return false;
    }
    if (!Files.exists(log())) {
      return true;
    }
    try (Stream<Path> all = Files.walk(log())) {
      return all.noneMatch(path -> path.endsWith(LOG_BEGUN));
    } catch (UncheckedIOException e) {
      throw new IOException("Cannot read " + log() + ": " + e.getMessage(), e);
    }
  }

  /** Where others are reached by this view, unless that of a later one is known. */
  synchronized void remember(long view, Map<String, String> addresses) throws IOException {
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
  }

  /** The folder of this member's share of the agreed log. */
  Path log() {
    return folder.resolve(LOG_FOLDER);
  }

  /** Takes away a log by which this member never voted. */
  synchronized void clearLog() throws IOException {
    checkOpen();
    if (votes() && !isStillToFound()) {
      throw new IOException("This member votes by the log in " + log());
    }
    if (Files.exists(log())) {
      try (Stream<Path> all = Files.walk(log())) {
        for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(path);
        }
      } catch (UncheckedIOException e) {
        throw new IOException("Cannot clear " + log() + ": " + e.getMessage(), e);
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    locked.close();
  }
}
