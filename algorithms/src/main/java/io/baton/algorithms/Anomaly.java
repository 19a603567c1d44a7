package io.baton.algorithms;

/**
 * {@code anomaly} of [OC] §5: the receiver's father came back from a crash with too little power.
 */
public record Anomaly() implements Message {
  @Override
  public int sink() {
    return Algorithm.NIL;
  }

  @Override
  public String toString() {
    return "anomaly";
  }
}
