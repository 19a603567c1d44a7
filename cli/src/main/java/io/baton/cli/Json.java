package io.baton.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** One JSON object on standard output. */
final class Json {
  private Json() {}

  static String text(Map<String, ?> object) {
    try {
      return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(object);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
