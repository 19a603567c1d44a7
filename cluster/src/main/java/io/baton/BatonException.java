package io.baton;

/** Something about the cluster is wrong: what, and what to do, is in the message. */
public class BatonException extends RuntimeException {
  /** With what is wrong. */
  public BatonException(String message) {
    super(message);
  }

  /** With what is wrong, and why. */
  public BatonException(String message, Throwable cause) {
    super(message, cause);
  }
}
