package io.baton.algorithms;

import java.util.ArrayList;
import java.util.List;

/** Effects written down as text, for tests. */
final class Log implements Effects {
  private final List<String> lines = new ArrayList<>();

  @Override
  public void send(int to, Message message) {
    lines.add("to " + Names.of(to) + ": " + message);
  }

  @Override
  public void grant(int resource, long cargo) {
    lines.add("grant " + cargo);
  }

  @Override
  public void setAlarm(Alarm alarm, long delay) {
    lines.add("alarm " + alarm + " in " + delay);
  }

  /** What was written since the last call. */
  List<String> take() {
    List<String> taken = List.copyOf(lines);
    lines.clear();
    return taken;
  }
}
