package io.baton.cli.live;

import io.baton.simulator.BadInputException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Folders and what is in them. */
public final class Folders {
  private Folders() {}

  /**
   * A folder with nothing in it.
   *
   * @param wished where; null: one for the time being
   */
  public static Path fresh(@Nullable Path wished, String prefix) throws IOException {
    if (wished == null) {
      return Files.createTempDirectory(prefix);
    }
    try {
      Files.createDirectories(wished);
    } catch (FileSystemException e) {
      throw new BadInputException("Cannot make the folder " + wished + ": " + e);
    }
    try (Stream<Path> all = Files.list(wished)) {
      if (all.findAny().isPresent()) {
        throw new BadInputException(wished + " is not empty");
      }
    }
    return wished;
  }

  /** Deletes a folder with all that is in it. */
  public static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
