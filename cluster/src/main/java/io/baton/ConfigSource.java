package io.baton;

import io.baton.cluster.Texts;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/** Where a configuration is read from. */
final class ConfigSource {
  private static final String FILE = "baton.properties";
  private static final String PREFIX = "BATON_";
  private static final String CONFIG = PREFIX + "CONFIG";

  private static final Set<String> NO_KEYS = Set.of(CONFIG, PREFIX + "JAVA_OPTS");
  private static final String OF_A_SERVICE = "_SERVICE_HOST";

  private ConfigSource() {}

  /** The file that is named, or the one that lies here. */
  static Optional<Path> file(Map<String, String> environment) {
    String named = environment.get(CONFIG);
    if (named != null) {
      if (named.isBlank()) {
        throw new BatonException(CONFIG + " is empty: it names the file of the configuration");
      }
      return Optional.of(Path.of(named));
    }
    Path here = Path.of(FILE);
    return Files.exists(here) ? Optional.of(here) : Optional.empty();
  }

  /** What is said of the file where there is none. */
  static String noFile() {
    return FILE + ", which is not in " + Path.of("").toAbsolutePath();
  }

  static Map<String, String> ofFile(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw cannotRead(file, Texts.reason(e), e);
    } catch (IllegalArgumentException e) { // of what follows a backslash
      throw cannotRead(file, String.valueOf(e.getMessage()), e);
    }
    Map<String, String> values = new TreeMap<>();
    properties.forEach((key, value) -> values.put((String) key, (String) value));
    return values;
  }

  private static BatonException cannotRead(Path file, String why, Exception e) {
    return new BatonException("Cannot read the configuration " + file + ": " + why, e);
  }

  static Map<String, String> ofEnvironment(Map<String, String> environment) {
    Map<String, String> values = new TreeMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX)
              && !NO_KEYS.contains(name)
              && !isOfAService(name, environment)) {
            String key = name.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
            values.put(key.replace('_', '-'), value);
          }
        });
    return values;
  }

  /** Whether Kubernetes says this of a service, as it does with several names that begin alike. */
  private static boolean isOfAService(String name, Map<String, String> environment) {
    return environment.keySet().stream()
        .filter(other -> other.startsWith(PREFIX.replace("_", "")) && other.endsWith(OF_A_SERVICE))
        .map(other -> other.substring(0, other.length() - OF_A_SERVICE.length()))
        .anyMatch(
            service ->
                name.startsWith(service + "_SERVICE_")
                    || name.equals(service + "_PORT")
                    || name.startsWith(service + "_PORT_"));
  }
}
