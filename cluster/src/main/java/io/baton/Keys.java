package io.baton;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/** The keys of a configuration, as they are written in files. */
final class Keys {
  private static final String LOCK = "lock.";
  private static final String RULE = ".rule";
  private static final String PASSES = ".passes";
  private static final Map<String, BiConsumer<BatonConfig.Builder, String>> SETTERS =
      new LinkedHashMap<>();

  static {
    SETTERS.put("cluster", BatonConfig.Builder::cluster);
    SETTERS.put("name", BatonConfig.Builder::name);
    SETTERS.put("data", (builder, text) -> builder.data(Path.of(text)));
    SETTERS.put("bind", BatonConfig.Builder::bind);
    SETTERS.put("advertise", BatonConfig.Builder::advertise);
    SETTERS.put(
        "peers",
        (builder, text) ->
            builder.peers(
                Arrays.stream(text.split(","))
                    .map(String::trim)
                    .filter(s -> !s.isEmpty())
                    .toList()));
    SETTERS.put("dns", BatonConfig.Builder::dns);
    SETTERS.put("found", (builder, text) -> builder.found(Checks.yesOrNo("found", text)));
    SETTERS.put("insecure", (builder, text) -> builder.insecure(Checks.yesOrNo("insecure", text)));
    SETTERS.put("voters", (builder, text) -> builder.voters(Checks.number("voters", text)));
    SETTERS.put(
        "replace-voter-after",
        (builder, text) -> builder.replaceVoterAfter(Checks.duration("replace-voter-after", text)));
    SETTERS.put("lease", (builder, text) -> builder.lease(Checks.duration("lease", text)));
    SETTERS.put(
        "join-timeout",
        (builder, text) -> builder.joinTimeout(Checks.duration("join-timeout", text)));
    SETTERS.put(
        "shutdown-hook",
        (builder, text) -> builder.shutdownHook(Checks.yesOrNo("shutdown-hook", text)));
    SETTERS.put(
        "leak-detection",
        (builder, text) -> builder.leakDetection(Checks.yesOrNo("leak-detection", text)));
    SETTERS.put(
        "deadlock-after",
        (builder, text) -> builder.deadlockAfter(Checks.duration("deadlock-after", text)));
    SETTERS.put(
        "restart-proof",
        (builder, text) -> builder.restartProof(Checks.yesOrNo("restart-proof", text)));
    SETTERS.put("tree", BatonConfig.Builder::tree);
    SETTERS.put(
        "rule", (builder, text) -> builder.rule(Checks.choice("rule", text, TokenRule.class)));
    SETTERS.put("passes", (builder, text) -> builder.passes(Checks.number("passes", text)));
  }

  private Keys() {}

  static Iterable<String> names() {
    return SETTERS.keySet();
  }

  /** Sets all keys of a source, which is named where one of them is refused. */
  static void setAll(BatonConfig.Builder builder, Map<String, String> values, String source) {
    values.forEach(
        (key, value) -> {
          try {
            set(builder, key, value);
          } catch (BatonException e) {
            throw new BatonException(source + ": " + e.getMessage(), e);
          }
        });
  }

  static void set(BatonConfig.Builder builder, String key, String untrimmed) {
    String value = untrimmed.trim();
    BiConsumer<BatonConfig.Builder, String> setter = SETTERS.get(key);
    if (setter != null) {
      setter.accept(builder, value);
    } else if (key.startsWith(LOCK) && key.endsWith(RULE)) {
      TokenRule rule = Checks.choice(key, value, TokenRule.class);
      builder.rule(lockOf(key, RULE), rule);
    } else if (key.startsWith(LOCK) && key.endsWith(PASSES)) {
      builder.passes(lockOf(key, PASSES), Checks.number(key, value));
    } else {
      throw new BatonException(
          "There is no key \"" + key + "\"" + hint(key) + " All are in docs/CONFIGURATION.md");
    }
  }

  private static String lockOf(String key, String ending) {
    String lock =
        key.length() < LOCK.length() + ending.length()
            ? ""
            : key.substring(LOCK.length(), key.length() - ending.length());
    try {
      Checks.lockName(lock);
    } catch (IllegalArgumentException e) {
      throw new BatonException(key + ": " + e.getMessage(), e);
    }
    return lock;
  }

  private static String hint(String key) {
    if (key.startsWith(LOCK)) {
      return ": a lock has " + LOCK + "NAME" + RULE + " and " + LOCK + "NAME" + PASSES + ".";
    }
    String written = key.toLowerCase(Locale.ROOT).replace('_', '-');
    String nearest = nearest(written);
    boolean near = 2 * distance(written, nearest) <= Math.max(written.length(), 3);
    return near ? ": did you mean " + nearest + "?" : ".";
  }

  private static String nearest(String key) {
    String best = "";
    int least = Integer.MAX_VALUE;
    for (String name : names()) {
      int distance = distance(key, name);
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return best;
  }

  /** How many letters are to be changed, taken out or put in. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int k = 0; k <= b.length(); k++) {
      row[k] = k;
    }
    for (int i = 1; i <= a.length(); i++) {
      int corner = row[0];
      row[0] = i;
      for (int k = 1; k <= b.length(); k++) {
        int changed = corner + (a.charAt(i - 1) == b.charAt(k - 1) ? 0 : 1);
        corner = row[k];
        row[k] = Math.min(changed, Math.min(row[k], row[k - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
