package io.baton.cluster;

import java.util.concurrent.CompletableFuture;

/** A member with everything around it. */
public interface Shell extends AutoCloseable {
  /** The member. */
  Host host();

  /** What all members know of locks in use. */
  CompletableFuture<LockReports> locks();

  /** What those concerned know of one lock. */
  CompletableFuture<LockReports> lock(String name);

  /** What all members know of one lock. */
  CompletableFuture<LockReports> lockAtAll(String name);

  /** What this member knows of its cluster. */
  Standing standing();

  /** What is to be done first when this is closed. */
  default void whenClosing(Runnable action) {}

  /** Leaves the cluster, and ends. */
  @Override
  void close();
}
