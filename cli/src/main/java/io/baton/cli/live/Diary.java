package io.baton.cli.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What one process notes of its holds, line by line, so that it survives the process. Times are of
 * {@link System#nanoTime}, which all processes of a machine share.
 */
public final class Diary implements AutoCloseable {
  private final FileChannel file;

  /** Begins, or goes on with, a file. */
  public Diary(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  /** A line of words. */
  public synchronized void note(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(line.append('\n').toString());
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException e) {
      throw new IllegalStateException("Cannot write the diary", e);
    }
  }

  /** The whole lines of a file, as words; none where there is no file. */
  public static List<String[]> read(Path path) throws IOException {
    List<String[]> lines = new ArrayList<>();
    if (Files.exists(path)) {
      String text = Files.readString(path);
      int end = text.lastIndexOf('\n');
      text.substring(0, Math.max(end, 0)).lines().forEach(line -> lines.add(line.split(" ")));
    }
    return lines;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
