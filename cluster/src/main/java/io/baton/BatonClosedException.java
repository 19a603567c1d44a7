package io.baton;

/** This member has left its cluster: no lock is to be had from it any more. */
public final class BatonClosedException extends BatonException {
  BatonClosedException(String message) {
    super(message);
  }
}
