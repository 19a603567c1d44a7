package io.baton;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/** Where a configuration is read from. */
final class ConfigSource {
  private static final String FILE = "baton.properties";
  private static final String PREFIX = "BATON_";
  private static final String CONFIG = PREFIX + "CONFIG";
  private static final String OF_THE_LAUNCHER = PREFIX + "JAVA_OPTS";

  private ConfigSource() {}

  /** The file that is named, or the one that lies here. */
  static Optional<Path> file(Map<String, String> environment) {
    String named = environment.get(CONFIG);
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    Path here = Path.of(FILE);
    return Files.exists(here) ? Optional.of(here) : Optional.empty();
  }

  static Map<String, String> ofFile(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new BatonException("Cannot read the configuration " + file + ": " + e.getMessage(), e);
    }
    Map<String, String> values = new TreeMap<>();
    properties.forEach((key, value) -> values.put((String) key, (String) value));
    return values;
  }

  static Map<String, String> ofEnvironment(Map<String, String> environment) {
    Map<String, String> values = new TreeMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX) && !name.equals(CONFIG) && !name.equals(OF_THE_LAUNCHER)) {
            String key = name.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
            values.put(key.replace('_', '-'), value);
          }
        });
    return values;
  }
}
