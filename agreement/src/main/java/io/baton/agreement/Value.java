package io.baton.agreement;

/** The state on which the voters agree; the protocol looks at nothing in it but its epoch. */
public interface Value {
  /** The epoch of this state. A cluster never returns to an earlier one. */
  long epoch();
}
