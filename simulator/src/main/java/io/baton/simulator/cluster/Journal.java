package io.baton.simulator.cluster;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What happens in a run, as text, for whoever wants to read it. */
final class Journal {
  /** Nobody reads. */
  static final Journal NONE = new Journal(null);

  private final @Nullable Consumer<String> reader;

  Journal(@Nullable Consumer<String> reader) {
    this.reader = reader;
  }

  void note(long time, String site, Supplier<String> text) {
    if (reader != null) {
      reader.accept(String.format(Locale.ROOT, "@%.6f %-4s %s", time / 1e6, site, text.get()));
    }
  }
}
