package io.baton.simulator.trace;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Ticks;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One step of a trace as text: what happened, and what it changed. Two spaces or more separate the
 * step, the choices in brackets, and the changes.
 *
 * @param time when, in ticks; null where time does not matter
 * @param step what happened: {@code enter 8}, {@code 8 -> 7 request(8)}, {@code exit 8} …
 * @param choices what was taken where the system left it open: {@code proxy}, {@code serve3} …
 * @param changes the variables that changed and {@code 8 enters}, separated by single spaces
 */
public record TraceLine(@Nullable Long time, String step, List<String> choices, String changes) {
  private static final int STEP_WIDTH = 24;
  private static final String ARROW = " -> ";

  /** Reads a line; says what is wrong with one that cannot be read. */
  static TraceLine parse(String line, String where) {
    String rest = line.strip();
    Long time = null;
    if (rest.startsWith("@")) {
      String[] parts = rest.split("\\s+", 2);
      time = time(parts[0].substring(1), where);
      rest = parts.length > 1 ? parts[1] : "";
    }
    List<String> columns = Arrays.asList(rest.split("\\s{2,}", -1));
    String step = columns.get(0);
    int next = 1;
    if (step.contains(ARROW) && !step.contains("(") && columns.size() > 1) {
      step += " " + columns.get(1); // the message stands apart from who sends it to whom
      next = 2;
    }
    if (step.isEmpty()) {
      throw new BadInputException(where + " names no step: write \"enter 8\" or the like");
    }
    List<String> choices = List.of();
    if (next < columns.size() && columns.get(next).matches("\\[[a-z0-9 ]+]")) {
      String inside = columns.get(next).substring(1, columns.get(next).length() - 1);
      choices = List.of(inside.split(" +", -1));
      next++;
    }
    return new TraceLine(
        time, step, choices, String.join(" ", columns.subList(next, columns.size())));
  }

  /** When, or the given time where it does not say. */
  public long timeOr(long other) {
    return time == null ? other : time;
  }

  private static Long time(String text, String where) {
    try {
      long ticks = Ticks.parse(text);
      if (ticks >= 0) {
        return ticks;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new BadInputException(where + ": \"@" + text + "\" is no time; write @1.5");
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (time != null) {
      text.append(String.format("%-10s", "@" + Ticks.text(time))).append(' ');
    }
    int start = text.length();
    text.append(step.replaceFirst("( -> \\S+) ", "$1  "));
    if (choices.isEmpty() && changes.isEmpty()) {
      return text.toString();
    }
    text.append(" ".repeat(Math.max(2, STEP_WIDTH - (text.length() - start))));
    if (!choices.isEmpty()) {
      text.append(choices.stream().collect(Collectors.joining(" ", "[", "]  ")));
    }
    return text.append(changes).toString().stripTrailing();
  }
}
