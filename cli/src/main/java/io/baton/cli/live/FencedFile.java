package io.baton.cli.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A resource that checks fences: a file to which holders of a lock append, one after the other. It
 * refuses whoever comes with an older fence than the last. Each record is a fence.
 */
public final class FencedFile {
  private final Path path;

  /** A file that need not exist yet. */
  public FencedFile(Path path) {
    this.path = path;
  }

  /** Appends; false where a newer holder has been here. One thread of a process at a time. */
  public synchronized boolean append(long fence) throws IOException {
    try (FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      long whole = file.size() / Long.BYTES * Long.BYTES; // a process may end while it writes
      if (lock.isValid() && whole > 0 && read(file, whole - Long.BYTES) > fence) {
        return false;
      }
      file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, fence), whole);
      return true;
    }
  }

  private static long read(FileChannel file, long position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
    while (bytes.hasRemaining() && file.read(bytes, position + bytes.position()) > 0) {
      // until the whole record is here
    }
    return bytes.getLong(0);
  }
}
