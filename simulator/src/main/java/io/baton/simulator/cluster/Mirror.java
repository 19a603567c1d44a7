package io.baton.simulator.cluster;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Message;
import io.baton.algorithms.Policy;
import io.baton.member.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The plain algorithm beside members in whose world nothing goes wrong: it is told the same calls
 * and deliveries, and must send the same messages.
 */
final class Mirror {
  private record Sent(String lock, int to, String text) {}

  private final Case plan;
  private final Map<String, GeneralScheme[]> nodes = new HashMap<>();
  private final List<Sent> expected = new ArrayList<>();
  private final List<Sent> seen = new ArrayList<>();
  private long compared;

  Mirror(Case plan) {
    this.plan = plan;
  }

  /** How many messages were the same. */
  long compared() {
    return compared;
  }

  private GeneralScheme node(int position, String lock) {
    GeneralScheme[] all = nodes.computeIfAbsent(lock, this::tree);
    return all[position];
  }

  private GeneralScheme[] tree(String lock) {
    View shape = new View(1, 1, plan.founders(), plan.shape(), List.of());
    GeneralScheme[] all = new GeneralScheme[plan.founders()];
    for (int position = 0; position < all.length; position++) {
      all[position] =
          new GeneralScheme(
              position,
              shape.father(position, lock),
              plan.rule().rules().of(lock, plan.founders()),
              Policy.FIFO);
    }
    return all;
  }

  void enter(int position, String lock) {
    node(position, lock).enter(effects(lock));
  }

  void exit(int position, String lock) {
    node(position, lock).exit(0, effects(lock));
  }

  void receive(int position, int from, String lock, Message message) {
    node(position, lock).receive(from, message, effects(lock));
  }

  /** A member sends this. */
  void sent(String lock, int to, Message message) {
    seen.add(new Sent(lock, to, message.toString()));
  }

  /** After each event: what differs, or null. */
  @Nullable String difference() {
    String text = seen.equals(expected) ? null : "sent " + seen + ", not " + expected;
    compared += seen.size();
    seen.clear();
    expected.clear();
    return text;
  }

  private Effects effects(String lock) {
    return new Effects() {
      @Override
      public void send(int to, Message message) {
        expected.add(new Sent(lock, to, message.toString()));
      }

      @Override
      public void grant(int resource, long cargo) {
        // the member's own grant is what users see
      }

      @Override
      public void setAlarm(Alarm alarm, long delay) {
        throw new IllegalStateException("The general scheme sets no alarm");
      }
    };
  }
}
