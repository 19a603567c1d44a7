package io.baton;

import io.baton.cluster.Terms;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** Says what is wrong with a value, and what is right. */
final class Checks {
  private static final int LONGEST_NAME = 48;
  private static final int LONGEST_LOCK = 512;
  private static final int LONGEST_NOTE = 200;
  private static final int LONGEST_OWNER = 64;
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(200);
  private static final Duration LONGEST_LEASE = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofHours(10_000);

  private Checks() {}

  static String name(String key, String value) {
    if (!value.matches("[A-Za-z0-9._-]{1," + LONGEST_NAME + "}")) {
      throw new BatonException(
          key
              + " = "
              + value
              + " is no name: 1 to "
              + LONGEST_NAME
              + " letters, digits, dots, dashes or underscores");
    }
    return value;
  }

  /** The name of a lock has 1 to 512 bytes in UTF-8. */
  static void lockName(String name) {
    name("a lock", name, "");
  }

  /** The name of something that is kept by locks with a suffix to it. */
  static void name(String what, String name, String suffix) {
    Objects.requireNonNull(name, () -> "The name of " + what + " is null");
    int most = LONGEST_LOCK - suffix.length();
    int bytes = 0;
    for (int k = 0; k < name.length(); k++) {
      char letter = name.charAt(k);
      if (Character.isHighSurrogate(letter)
          && k + 1 < name.length()
          && Character.isLowSurrogate(name.charAt(k + 1))) {
        bytes += 4;
        k++;
      } else if (Character.isSurrogate(letter)) {
        throw new IllegalArgumentException(
            "The name of "
                + what
                + " has half a character at place "
                + k
                + ": it is not valid Unicode; both halves are right, or neither");
      } else {
        bytes += letter < 0x80 ? 1 : letter < 0x800 ? 2 : 3;
      }
    }
    if (bytes == 0) {
      throw new IllegalArgumentException(
          "The name of " + what + " is empty: 1 to " + most + " bytes in UTF-8 are right");
    }
    if (bytes > most) {
      throw new IllegalArgumentException(
          "The name of " + what + " has " + bytes + " bytes in UTF-8, and may have " + most);
    }
  }

  static int number(String key, String text) {
    try {
      return Integer.parseInt(text.trim());
    } catch (NumberFormatException e) {
      throw new BatonException(key + ": " + text + " is no whole number", e);
    }
  }

  static int atLeast(String key, int value, int least) {
    if (value < least) {
      throw new BatonException(key + " = " + value + " is too small: at least " + least);
    }
    return value;
  }

  static int voters(int value) {
    if (!List.of(1, 3, 5, 7).contains(value)) {
      throw new BatonException("voters = " + value + " is not offered: 1, 3, 5 or 7");
    }
    return value;
  }

  static boolean yesOrNo(String key, String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "true", "yes" -> true;
      case "false", "no" -> false;
      default -> throw new BatonException(key + " = " + text + " is neither true nor false");
    };
  }

  static Duration positive(String key, Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(LONGEST) > 0) {
      throw new BatonException(
          key + " = " + text(value) + " is out of range: above zero, and up to 10000h");
    }
    return value;
  }

  static Duration lease(Duration value) {
    if (value.compareTo(SHORTEST_LEASE) < 0 || value.compareTo(LONGEST_LEASE) > 0) {
      throw new BatonException(
          "lease = " + text(value) + " is out of range: 200ms to 10m, 5s is usual");
    }
    return value;
  }

  private static String text(Duration value) {
    boolean small = value.compareTo(LONGEST) <= 0 && value.compareTo(LONGEST.negated()) >= 0;
    return small ? value.toMillis() + "ms" : value.toSeconds() + "s";
  }

  static Duration duration(String key, String text) {
    String trimmed = text.trim();
    int digits = 0;
    while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
      digits++;
    }
    String unit = trimmed.substring(digits).trim();
    if (digits == 0 || digits > 9 || !List.of("ms", "s", "m", "h").contains(unit)) {
      throw new BatonException(key + " = " + text + " is no time: 500ms, 5s, 2m or 1h");
    }
    long number = Long.parseLong(trimmed.substring(0, digits));
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  static <E extends Enum<E>> E choice(String key, String text, Class<E> type) {
    String wanted = text.trim().toUpperCase(Locale.ROOT).replace('-', '_');
    for (E each : type.getEnumConstants()) {
      if (each.name().equals(wanted)) {
        return each;
      }
    }
    String known =
        Arrays.stream(type.getEnumConstants())
            .map(each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .collect(Collectors.joining(", "));
    throw new BatonException(key + " = " + text + " is unknown: " + known);
  }

  /** A time to wait, in nanoseconds: zero or more, and up to 292 years. */
  static long limit(String what, Duration limit) {
    if (limit.isNegative()) {
      throw new IllegalArgumentException(
          what + " is negative: " + limit + "; zero or more is right");
    }
    try {
      return limit.toNanos();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          what
              + " is out of range: "
              + limit
              + "; up to 292 years can be told, leave it out to"
              + " wait for ever",
          e);
    }
  }

  /** After how many nanoseconds a hold ends. */
  static long atMost(Duration limit) {
    long nanos = limit("atMost", limit);
    if (nanos == 0) {
      throw new IllegalArgumentException("atMost is zero: a hold has to last for a while");
    }
    return nanos;
  }

  static Terms fit(Terms terms) {
    if (terms.atLeast() > terms.atMost()) {
      throw new IllegalArgumentException(
          "atLeast is longer than atMost: %s and %s; a hold that ends before cannot be kept"
              .formatted(Duration.ofNanos(terms.atLeast()), Duration.ofNanos(terms.atMost())));
    }
    return terms;
  }

  static String note(String note) {
    return atMostLetters("A note", note, LONGEST_NOTE);
  }

  static String owner(String owner) {
    if (owner.isEmpty()) {
      throw new IllegalArgumentException(
          "The name of an owner is empty: leave ownedBy out, and each thread is one");
    }
    return atMostLetters("The name of an owner", owner, LONGEST_OWNER);
  }

  private static String atMostLetters(String what, String text, int most) {
    if (text.length() > most) {
      throw new IllegalArgumentException(
          what + " has " + text.length() + " letters, and may have " + most);
    }
    return text;
  }
}
