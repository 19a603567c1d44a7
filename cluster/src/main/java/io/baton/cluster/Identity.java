package io.baton.cluster;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who a member is, in its data folder: without that, one is a new member (R4). The folder is locked
 * while in use. Every change is on the disk before anybody hears of it.
 */
final class Identity implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Identity.class);
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet(); // folders, in this process
  private static final String FILE = "identity.properties";
  private static final String LOCK = "lock";
  private static final String LOG_FOLDER = "log";
  private static final String LOG_BEGUN = "raft-meta.conf"; // written when a log first has voters
  private static final long LIVES = 1L << 20; // of one process; more than it will ever have
  private static final String MEMBER = "member.";

  private final Path folder;
  private final FileChannel locked;
  private String id = "";
  private String cluster = "";
  private UUID clusterId = Frame.NO_CLUSTER;
  private long run;
  private boolean votes;
  private boolean retired; // it voted and must not again: its next start is that of a new member
  private List<String> founding = List.of(); // who must belong to the cluster before it begins
  private Map<String, String> addresses = Map.of(); // of other members, as last known

  private Identity(Path folder, FileChannel locked) {
    this.folder = folder;
    this.locked = locked;
  }

  /** Opens a folder, or begins one; counts one run more. */
  static Identity open(Path folder, String cluster, String name) throws IOException {
    Files.createDirectories(folder);
    Identity identity = new Identity(folder, lock(folder));
    try {
      if (Files.exists(folder.resolve(FILE))) {
        identity.read();
        if (identity.retired) {
          LOG.info("{} was replaced as a voter, and comes back as a new member", identity.id);
          identity.forget(name);
        }
        if (!identity.cluster.equals(cluster)) {
          throw new IOException(
              "The data folder %s is that of a member of cluster \"%s\", not \"%s\""
                  .formatted(folder, identity.cluster, cluster));
        }
      } else if (Files.exists(folder.resolve(LOG_FOLDER))) {
        throw new IOException(
            "The data folder %s has a log and no %s: it is damaged. Delete it, and this member"
                    .formatted(folder, FILE)
                + " comes back as a new one");
      } else {
        identity.id = name + "-" + randomName();
        identity.cluster = cluster;
      }
      // By the clock as well: a folder may be that of an older backup, yet no two lives share a
      // run.
      identity.run = Math.max(identity.run + LIVES, System.currentTimeMillis() * LIVES);
      identity.write();
      return identity;
    } catch (IOException | RuntimeException e) {
      identity.close();
      throw e;
    }
  }

  private static FileChannel lock(Path folder) throws IOException {
    // To close a second channel to the file would give up the lock of the first.
    if (!OPEN.add(folder.toRealPath())) {
      throw inUse(folder);
    }
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      OPEN.remove(folder.toRealPath());
      channel.close();
      throw inUse(folder);
    }
    return channel;
  }

  private static IOException inUse(Path folder) {
    return new IOException(
        "The data folder %s is in use by another process: each member needs its own"
            .formatted(folder));
  }

  private static String randomName() {
    return "%08x".formatted(new SecureRandom().nextInt());
  }

  private void read() throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(folder.resolve(FILE), StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    try {
      id = value(properties, "id");
      cluster = value(properties, "cluster");
      clusterId = UUID.fromString(value(properties, "cluster-id"));
      run = Long.parseLong(value(properties, "run"));
      votes = Boolean.parseBoolean(value(properties, "votes"));
      retired = Boolean.parseBoolean(value(properties, "retired"));
      founding =
          Arrays.stream(value(properties, "founding").split(","))
              .filter(s -> !s.isEmpty())
              .toList();
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "%s is damaged: %s. Delete the folder, and this member comes back as a new one"
              .formatted(folder.resolve(FILE), e.getMessage()),
          e);
    }
    Map<String, String> read = new LinkedHashMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(MEMBER)) {
        read.put(key.substring(MEMBER.length()), properties.getProperty(key));
      }
    }
    addresses = read;
  }

  private static String value(Properties properties, String key) {
    String value = properties.getProperty(key);
    if (value == null) {
      throw new IllegalArgumentException("it has no " + key);
    }
    return value;
  }

  private synchronized void write() throws IOException {
    Properties properties = new Properties();
    properties.setProperty("id", id);
    properties.setProperty("cluster", cluster);
    properties.setProperty("cluster-id", clusterId.toString());
    properties.setProperty("run", "" + run);
    properties.setProperty("votes", "" + votes);
    properties.setProperty("retired", "" + retired);
    properties.setProperty("founding", String.join(",", founding));
    addresses.forEach((member, address) -> properties.setProperty(MEMBER + member, address));
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
  }

  String id() {
    return id;
  }

  synchronized UUID clusterId() {
    return clusterId;
  }

  synchronized boolean belongs() {
    return !clusterId.equals(Frame.NO_CLUSTER);
  }

  long run() {
    return run;
  }

  synchronized boolean votes() {
    return votes;
  }

  synchronized List<String> founding() {
    return founding;
  }

  synchronized Map<String, String> addresses() {
    return addresses;
  }

  /** This member belongs to a cluster from now on. */
  synchronized void adopt(UUID newCluster) throws IOException {
    clusterId = newCluster;
    write();
  }

  /** This member founds a cluster, which begins once all of these belong to it. */
  synchronized void found(UUID newCluster, List<String> expected) throws IOException {
    clusterId = newCluster;
    founding = List.copyOf(expected);
    write();
  }

  /** This member votes from now on. */
  synchronized void vote() throws IOException {
    votes = true;
    write();
  }

  /** The cluster has begun. */
  synchronized void founded() throws IOException {
    if (!founding.isEmpty()) {
      founding = List.of();
      write();
    }
  }

  /** Whether a founder's log has never come to be: it may begin anew. */
  synchronized boolean isStillToFound() throws IOException {
    if (founding.isEmpty()) {
      return false;
    }
    if (!Files.exists(log())) {
      return true;
    }
    try (Stream<Path> all = Files.walk(log())) {
      return all.noneMatch(path -> path.endsWith(LOG_BEGUN));
    }
  }

  /** This member must not vote any more under this name. */
  synchronized void retire() throws IOException {
    retired = true;
    write();
  }

  synchronized boolean isRetired() {
    return retired;
  }

  /** Another name, in the same cluster. */
  private void forget(String name) throws IOException {
    votes = false;
    retired = false;
    id = name + "-" + randomName();
    clearLog();
  }

  /** Where others were last reached. */
  synchronized void remember(Map<String, String> newAddresses) throws IOException {
    if (!newAddresses.equals(addresses)) {
      addresses = Map.copyOf(newAddresses);
      write();
    }
  }

  /** The folder of this member's share of the agreed log. */
  Path log() {
    return folder.resolve(LOG_FOLDER);
  }

  /** Takes away a log by which this member never voted. */
  void clearLog() throws IOException {
    if (votes && !isStillToFound()) {
      throw new IOException("This member votes by the log in " + log());
    }
    if (Files.exists(log())) {
      try (Stream<Path> all = Files.walk(log())) {
        for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  @Override
  public void close() {
    try {
      OPEN.remove(folder.toRealPath());
      locked.close();
    } catch (IOException e) {
      throw new IllegalStateException("Cannot close " + folder, e);
    }
  }
}
