package io.baton.cluster.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The last applied index and its term, in a small file beside the log. Ratis cuts a damaged end off
 * its last log file without a word; an end below the floor tells that committed entries were lost.
 * Ratis applies only what it has synced, so the file itself need not be synced at each entry.
 */
final class Floor implements AutoCloseable {
  private static final int SIZE = 20;

  private final FileChannel file;
  private volatile long index;
  private volatile long term;

  private Floor(FileChannel file, long index, long term) {
    this.file = file;
    this.index = index;
    this.term = term;
  }

  static Floor create(Path path) throws IOException {
    FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    Floor floor = new Floor(file, -1, 0);
    floor.raise(-1, 0);
    file.force(true);
    return floor;
  }

  static Floor open(Path path) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    ByteBuffer content = ByteBuffer.allocate(SIZE);
    int read = file.read(content, 0);
    content.flip();
    if (read != SIZE || content.getInt(16) != checksum(content)) {
      file.close();
      throw new IOException("Damaged file " + path);
    }
    return new Floor(file, content.getLong(0), content.getLong(8));
  }

  private static int checksum(ByteBuffer content) {
    CRC32C crc = new CRC32C();
    crc.update(content.duplicate().position(0).limit(16));
    return (int) crc.getValue();
  }

  long index() {
    return index;
  }

  long term() {
    return term;
  }

  void raise(long newIndex, long newTerm) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(SIZE).putLong(newIndex).putLong(newTerm);
    content.putInt(checksum(content)).flip();
    file.write(content, 0);
    index = newIndex;
    term = newTerm;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
