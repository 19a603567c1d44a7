package io.baton.agreement;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Between a voter and its host: holds back what a voter says until what it must not forget by then
 * is on disk. Whatever comes after a {@link #store} waits for it, in order.
 */
final class SyncedOutput implements Output {
  private static final int MOST_HELD = 1_000; // messages, while the disk hangs: the rest gets lost

  private record Held(long ticket, Runnable effect) {}

  private final Agreement.Effects effects;
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long written; // the last ticket
  private long needed; // the ticket that whatever comes next waits for
  private long synced;

  SyncedOutput(Agreement.Effects effects) {
    this.effects = effects;
  }

  @Override
  public void store(Durable state) {
    needed = ++written;
    effects.store(state, written);
  }

  @Override
  public void note(Durable state) {
    effects.store(state, ++written);
  }

  /** The state with this ticket is on disk for good, and so are all before. */
  void synced(long ticket) {
    synced = Math.max(synced, ticket);
  }

  /** Whether all that was to be written is on disk for good. */
  boolean isSynced() {
    return synced == written;
  }

  /** Takes out what may be done now; null: nothing. */
  @Nullable Runnable poll() {
    Held first = held.peek();
    if (first == null || first.ticket > synced) {
      return null;
    }
    held.remove();
    return first.effect;
  }

  private void hold(Runnable effect) {
    held.add(new Held(needed, effect));
  }

  @Override
  public void send(String to, Message message) {
    if (held.size() < MOST_HELD) {
      hold(() -> effects.send(to, message));
    }
  }

  @Override
  public void elected(long term, long until) {
    hold(() -> effects.elected(term, until));
  }

  @Override
  public void deposed() {
    hold(effects::deposed);
  }

  @Override
  public void committed(Publication publication) {
    Value value = Objects.requireNonNull(publication.value());
    hold(() -> effects.committed(publication.term(), value));
  }

  @Override
  public void confirmed(long term, long batch) {
    hold(() -> effects.confirmed(term, batch));
  }

  @Override
  public void contradicted(String from, Publication publication) {
    hold(() -> effects.contradicted(from, publication));
  }

  @Override
  public long minutes() {
    return effects.minutes();
  }
}
