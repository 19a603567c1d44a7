package io.baton.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * By what a file system tells one file from all others, its copies included. Numbers alone do not:
 * one that became free is given out again at once.
 *
 * @param device on which it is; another one, perhaps, each time it is mounted
 * @param number of the file there; empty: the system does not tell
 * @param born when the file was made, which no copy can keep; empty: the system does not tell
 */
record FileMark(String device, String number, String born) {
  private static final FileMark UNKNOWN = new FileMark("", "", "");
  private static final FileTime LONG_AGO = FileTime.fromMillis(0);

  /** The mark of a file that is never written. */
  static FileMark of(Path file) throws IOException {
    return marked(file, born(file));
  }

  /** The mark of a file that was just made, and is about to be written. */
  static FileMark ofFresh(Path file) throws IOException {
    Files.setLastModifiedTime(file, LONG_AGO); // some systems tell this in place of its birth
    String born = born(file);
    return marked(file, born.equals(LONG_AGO.toString()) ? "" : born);
  }

  private static String born(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).creationTime().toString();
  }

  private static FileMark marked(Path file, String born) throws IOException {
    try {
      String device = "" + Files.getAttribute(file, "unix:dev");
      return new FileMark(device, "" + Files.getAttribute(file, "unix:ino"), born);
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return UNKNOWN;
    }
  }

  static FileMark parse(String text) {
    String[] parts = text.split(" ", 3);
    return parts.length < 3 ? UNKNOWN : new FileMark(parts[0], parts[1], parts[2]);
  }

  /** Whether this may be the mark of the same file, as long as nothing tells otherwise. */
  boolean mayBeThatOf(FileMark other) {
    return number.equals(other.number)
        && (born.isEmpty() || other.born.isEmpty() || born.equals(other.born));
  }

  /** Whether it certainly is. */
  boolean isSurelyThatOf(FileMark other) {
    return !number.isEmpty() && equals(other);
  }

  @Override
  public String toString() {
    return device + " " + number + " " + born;
  }
}
