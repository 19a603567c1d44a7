package io.baton.simulator;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes the text files that people name. */
public final class TextFiles {
  private TextFiles() {}

  /**
   * The text of a file.
   *
   * @param what what it should be, for what is said about errors
   */
  public static String read(Path file, String what) {
    String reason;
    try {
      if (Files.isRegularFile(file)) {
        return Files.readString(file);
      }
      reason = Files.exists(file) ? "it is no file" : "no such file";
    } catch (CharacterCodingException e) {
      reason = "it is no UTF-8 text";
    } catch (IOException e) {
      reason = e.toString();
    }
    throw new BadInputException("Cannot read the " + what + " " + file + ": " + reason);
  }

  /** Refuses a file that cannot be written, before the work whose outcome should go there. */
  public static void requireWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new BadInputException("Cannot write " + file + ": no such folder");
    }
    if (Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new BadInputException("Cannot write " + file + ": it is a folder or not writable");
    }
  }

  /** Writes a text to a file. */
  public static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new BadInputException("Cannot write " + file + ": " + e);
    }
  }
}
