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

  /** Writes a text to a file. */
  public static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new BadInputException("Cannot write " + file + ": " + e);
    }
  }
}
