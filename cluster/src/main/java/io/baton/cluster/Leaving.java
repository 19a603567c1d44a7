package io.baton.cluster;

import io.baton.member.VotingMember;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member's way out. */
final class Leaving {
  private static final Logger LOG = LoggerFactory.getLogger(Leaving.class);

  private Leaving() {}

  /** Leaves, and waits until the others know and go on without it, but not for ever. */
  static void await(Host host) {
    long longest = (VotingMember.LEASES_TO_LEAVE + 1) * host.origin().settings().lease();
    try {
      host.leave().get(longest, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("{} ends without a majority knowing that it has left", host.origin().id());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
