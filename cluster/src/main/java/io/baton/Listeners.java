package io.baton;

import io.baton.cluster.Blocked;
import io.baton.cluster.Observer;
import io.baton.member.Loss;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who listen to one member; where there are none, nothing is measured. */
final class Listeners implements Observer {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private final List<BatonListener> all = new CopyOnWriteArrayList<>();
  private volatile boolean any;

  /** Whether there are some. */
  boolean isAny() {
    return any;
  }

  synchronized void add(BatonListener listener) {
    all.add(listener);
    any = true;
  }

  synchronized void remove(BatonListener listener) {
    all.remove(listener);
    any = !all.isEmpty();
  }

  private void tell(Consumer<BatonListener> what) {
    for (BatonListener listener : all) {
      tell(listener, what);
    }
  }

  /** What a listener throws is its own affair, and its thread's. */
  static void tell(BatonListener listener, Consumer<BatonListener> what) {
    try {
      what.accept(listener);
    } catch (Throwable e) { // some languages throw what was not declared
      complain(e);
    }
  }

  private static void complain(Throwable failure) {
    try {
      LOG.error("A listener failed", failure);
    } catch (Throwable e) {
      // There is not even stack or memory to say so.
    }
  }

  void waited(String lock, long nanos, boolean granted) {
    try {
      tell(listener -> listener.waited(lock, Duration.ofNanos(nanos), granted));
    } catch (Error e) { // of this thread's stack: it is not to cost it what was granted
      complain(e);
    }
  }

  void held(String lock, long nanos) {
    try {
      tell(listener -> listener.held(lock, Duration.ofNanos(nanos)));
    } catch (Error e) {
      complain(e);
    }
  }

  @Override
  public void ready() {
    tell(BatonListener::ready);
  }

  @Override
  public void suspended(String why) {
    tell(listener -> listener.suspended(why));
  }

  @Override
  public void left() {
    tell(BatonListener::left);
  }

  @Override
  public void members(int count) {
    tell(listener -> listener.members(count));
  }

  @Override
  public void lease(long remaining) {
    tell(listener -> listener.lease(Duration.ofNanos(remaining)));
  }

  @Override
  public void lost(String lock, long fence, Loss reason) {
    tell(listener -> listener.lost(lock, fence, Hold.reason(reason)));
  }

  @Override
  public void dropped(String lock, long fence) {
    tell(listener -> listener.dropped(lock, fence));
  }

  @Override
  public void handedOver(String lock) {
    tell(listener -> listener.handedOver(lock));
  }

  @Override
  public void deadlocked(List<Blocked> cycle) {
    Deadlock deadlock = Deadlock.of(cycle);
    tell(listener -> listener.deadlock(deadlock));
  }
}
