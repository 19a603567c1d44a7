package io.baton;

/** A thread believes that it holds a lock, which it has lost meanwhile. */
public final class LockLostException extends IllegalMonitorStateException {
  private final LossReason reason;

  LockLostException(String message, LossReason reason) {
    super(message);
    this.reason = reason;
  }

  /** Why it was lost. */
  public LossReason reason() {
    return reason;
  }
}
