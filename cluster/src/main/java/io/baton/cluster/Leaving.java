package io.baton.cluster;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member's way out. */
final class Leaving {
  private static final Logger LOG = LoggerFactory.getLogger(Leaving.class);

  private Leaving() {}

  /** Leaves, and waits until the others know, but no longer than they would wait for it anyway. */
  static void await(Host host) {
    try {
      host.leave().get(host.origin().settings().lease(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("{} ends without a majority knowing that it has left", host.origin().id());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
