package io.baton.simulator;

/**
 * Input that a person must correct; its message says in one line what is wrong and what is right.
 */
public final class BadInputException extends RuntimeException {
  /** Says in one line what is wrong and what would be right. */
  public BadInputException(String message) {
    super(message);
  }
}
