package io.baton.cluster;

import org.jspecify.annotations.Nullable;

/** Something to be done that another thread can take over, see {@link Rescue}. */
abstract class Errand {
  @Nullable Errand next; // while it waits to be taken over

  /** Does what is left to be done; called again where it throws. */
  abstract void run();
}
