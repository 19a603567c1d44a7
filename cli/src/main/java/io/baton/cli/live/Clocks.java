package io.baton.cli.live;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The wall clocks of member processes, which can be set by days, each by itself. The machine's own
 * clock stays as it is: libfaketime stands between it and the processes.
 */
public final class Clocks {
  private static final List<Path> LIBRARIES = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"));
  private static final String LIBRARY = "faketime/libfaketimeMT.so.1";

  private final Path library;
  private final Path folder;

  private Clocks(Path library, Path folder) {
    this.library = library;
    this.folder = folder;
  }

  /** Clocks whose settings are kept in this folder; nothing where the library is not installed. */
  public static Optional<Clocks> in(Path folder) throws IOException {
    for (Path libraries : LIBRARIES) {
      if (Files.isDirectory(libraries)) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(libraries)) {
          for (Path machine : all) {
            if (Files.exists(machine.resolve(LIBRARY))) {
              return Optional.of(new Clocks(machine.resolve(LIBRARY), folder));
            }
          }
        }
      }
    }
    return Optional.empty();
  }

  /** The same places, with clocks that can be set. */
  public List<Place> at(List<Place> places) throws IOException {
    for (int k = 0; k < places.size(); k++) {
      set(k, 0);
    }
    return IntStream.range(0, places.size())
        .mapToObj(k -> places.get(k).with(environment(k)))
        .toList();
  }

  private Map<String, String> environment(int member) {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "FAKETIME_TIMESTAMP_FILE", settingOf(member).toString(),
        "FAKETIME_CACHE_DURATION", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "FAKETIME_FORCE_MONOTONIC_FIX", "0",
        "NO_FAKE_STAT", "1");
  }

  private Path settingOf(int member) {
    return folder.resolve(Fleet.name(member) + ".clock");
  }

  /** From now on, within a second, a clock is so many days ahead. */
  public void set(int member, int days) throws IOException {
    Path fresh = folder.resolve(Fleet.name(member) + ".clock.new");
    Files.writeString(fresh, "%+dd".formatted(days));
    Files.move(fresh, settingOf(member), StandardCopyOption.REPLACE_EXISTING);
  }
}
