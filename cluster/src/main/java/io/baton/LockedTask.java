package io.baton;

/**
 * Work to be done under a lock.
 *
 * @param <T> what comes of it
 */
@FunctionalInterface
public interface LockedTask<T> {
  /** Does it; the hold is given back afterwards. */
  T call(Hold hold) throws Exception;
}
