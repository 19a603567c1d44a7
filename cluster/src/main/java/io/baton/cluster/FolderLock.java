package io.baton.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one member to its folder. A process that has it keeps it until it ends, and lends it
 * to one member of its own at a time.
 *
 * <p>The operating system gives up a process's lock of a file when the process closes <i>any</i> of
 * its channels to it. So a process opens the file once, by whichever path and class loader, and
 * never closes it. A system property, which all class loaders see, notes the identity of the file.
 */
final class FolderLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FolderLock.class);
  private static final String FILE = "lock";
  private static final String IN_USE = "in use";
  private static final String FREE = "free";
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final String UNKNOWN = "";

  /** Where a file keeps its number, and the kernel gives its lock to one process. */
  private static final Set<String> TRUSTED = Set.of("ext4", "xfs", "btrfs", "f2fs", "tmpfs");

  private final String key;
  private final Path file;
  private final boolean first; // of this process in this folder

  private FolderLock(String key, Path file, boolean first) {
    this.key = key;
    this.file = file;
    this.first = first;
  }

  static FolderLock take(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    create(file);
    Object id = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    String key = "io.baton.folder." + (id == null ? file.toRealPath() : id);
    Object before = System.getProperties().putIfAbsent(key, IN_USE);
    boolean mine = false;
    try {
      mine =
          before == null ? lock(file) : System.getProperties().replace(key, (Object) FREE, IN_USE);
    } finally {
      if (before == null && !mine) {
        System.getProperties().remove(key);
      }
    }
    if (!mine) {
      throw new IOException(
          "The data folder %s is in use by another process or member: each member needs its own"
              .formatted(folder));
    }
    return new FolderLock(key, file, before == null);
  }

  /** The lock file as the file system names it. */
  FileMark mark() throws IOException {
    return FileMark.of(file);
  }

  /** Which start of the machine this is; empty: it does not say. */
  static String boot() {
    try {
      return Files.readString(BOOT).strip();
    } catch (IOException e) {
      LOG.debug("This system does not tell one start from the next", e);
      return UNKNOWN;
    }
  }

  /**
   * Whether the process that had this folder last has surely ended (R27): it had the same lock file
   * in the same run of the same kernel, and the kernel has given the lock to this process now.
   */
  boolean provesDeathOf(String boot, FileMark former) {
    try {
      return first
          && !boot.equals(UNKNOWN)
          && boot.equals(boot())
          && former.isSurelyThatOf(mark())
          && TRUSTED.contains(Files.getFileStore(file).type());
    } catch (IOException e) {
      LOG.debug("What file system {} is on cannot be told", file, e);
      return false;
    }
  }

  /** A file that is there is not opened: that would have to be closed again. */
  private static void create(Path file) throws IOException {
    if (!Files.exists(file)) {
      try {
        Files.createFile(file);
      } catch (FileAlreadyExistsException e) {
        LOG.debug("{} was made by another at the same time", file, e);
      }
    }
  }

  private static boolean lock(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      LOG.debug("{} is locked by something else in this process", file, e);
      keep(channel); // never closed, not even by the collector: that would unlock the other's
      return false;
    }
    if (lock != null) {
      keep(channel);
    }
    if (lock == null) {
      channel.close(); // another process has it
    }
    return lock != null;
  }

  /** For as long as the process lives, even if the classes of Baton are unloaded: a hook has it. */
  private static void keep(FileChannel channel) {
    Thread keeper = new Thread(new FutureTask<>(new Thread(), channel), "baton-folder");
    keeper.setContextClassLoader(null);
    try {
      Runtime.getRuntime().addShutdownHook(keeper);
    } catch (IllegalStateException e) {
      LOG.debug("The process is ending", e);
    }
  }

  /** Another member of this process may have the folder. */
  @Override
  public void close() {
    System.getProperties().replace(key, IN_USE, FREE);
  }
}
