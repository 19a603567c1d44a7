package io.baton.simulator.trace;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Ticks;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One step of a trace as text: what happened, and what it changed.
 *
 * @param time when, in ticks; null where time does not matter
 * @param step what happened: {@code enter 8}, {@code 8 -> 7 request(8)}, {@code exit 8} …
 * @param choices what was taken where the system left it open: {@code proxy}, {@code serve3} …
 * @param changes the variables that changed and {@code 8 enters}, separated by single spaces
 */
public record TraceLine(@Nullable Long time, String step, List<String> choices, String changes) {
  private static final int STEP_WIDTH = 24;
  private static final Pattern FORM =
      Pattern.compile(
          "(?:@(?<time>\\S+)\\s+)?(?<step>\\S+(?: \\S+)*?(?: -> \\S+ +\\S+(?: #\\d+)?)?)"
              + "(?:\\s{2,}\\[(?<choices>[a-z0-9 ]+)])?(?:\\s{2,}(?<changes>\\S.*))?");

  /** Reads a line; says what is wrong with one that cannot be read. */
  static TraceLine parse(String line, String where) {
    Matcher matcher = FORM.matcher(line.strip());
    if (!matcher.matches()) {
      throw new BadInputException(where + " is no step of a trace: \"" + line.strip() + "\"");
    }
    String changes = matcher.group("changes");
    String choices = matcher.group("choices");
    return new TraceLine(
        time(matcher.group("time"), where),
        matcher.group("step").replaceAll("\\s+", " "),
        choices == null ? List.of() : List.of(choices.split(" ", -1)),
        changes == null ? "" : changes.replaceAll("\\s+", " "));
  }

  private static @Nullable Long time(@Nullable String text, String where) {
    try {
      return text == null ? null : Ticks.parse(text);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new BadInputException(where + ": \"@" + text + "\" is no time; write @1.5");
    }
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
