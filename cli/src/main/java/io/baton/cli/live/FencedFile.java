package io.baton.cli.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A resource that checks fences: a file to which holders of a lock append, one after the other. It
 * refuses whoever comes with an older fence than the last. Each record is a fence.
 *
 * <p>A process that is stopped while it writes keeps the file for itself until it goes on. Nobody
 * waits for that: who holds the lock by then holds it without having written.
 */
public final class FencedFile {
  /** What became of a record. */
  public enum Answer {
    /** It is in the file. */
    WRITTEN,
    /** A newer holder has been here. */
    STALE,
    /** Another process is at the file, and does not come to an end. */
    BUSY
  }

  private static final long PATIENCE = 100_000_000; // nanoseconds; a record takes microseconds
  private static final long PAUSE = 100_000;

  private final Path path;

  /** A file that need not exist yet. */
  public FencedFile(Path path) {
    this.path = path;
  }

  /** Appends, unless a newer holder has been here. One thread of a process at a time. */
  public synchronized Answer append(long fence) throws IOException {
    try (FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock = lock(file)) {
      if (lock == null) {
        return Answer.BUSY;
      }
      long whole = file.size() / Long.BYTES * Long.BYTES; // a process may end while it writes
      if (whole > 0 && read(file, whole - Long.BYTES) > fence) {
        return Answer.STALE;
      }
      file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, fence), whole);
      return Answer.WRITTEN;
    }
  }

  private static @Nullable FileLock lock(FileChannel file) throws IOException {
    long end = System.nanoTime() + PATIENCE;
    FileLock lock = file.tryLock();
    while (lock == null && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(PAUSE);
      lock = file.tryLock();
    }
    return lock;
  }

  private static long read(FileChannel file, long position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
    while (bytes.hasRemaining() && file.read(bytes, position + bytes.position()) > 0) {
      // until the whole record is here
    }
    return bytes.getLong(0);
  }
}
