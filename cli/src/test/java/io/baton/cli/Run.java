package io.baton.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;

/** One call of the command line, for tests. */
record Run(int exitCode, String out, String err) {
  static Run of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode =
        Main.run(new PrintWriter(out, true, UTF_8), new PrintWriter(err, true, UTF_8), args);
    return new Run(exitCode, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** What stands on standard output, as JSON. */
  Map<String, Object> json() {
    try {
      return JSON.std.mapFrom(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The value at a path of keys. */
  String text(String... path) {
    Object value = json();
    for (String key : path) {
      value = Objects.requireNonNull(((Map<?, ?>) value).get(key), key);
    }
    return value.toString();
  }

  int number(String... path) {
    return Integer.parseInt(text(path));
  }
}
