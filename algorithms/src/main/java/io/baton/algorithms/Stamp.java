package io.baton.algorithms;

/**
 * When a process of [NET] did something, by its logical clock.
 *
 * @param life how often the process has crashed before; a later life is later, whatever its clock
 */
record Stamp(int life, long time) {
  /** Before everything; "initialised with the value -1". */
  static final Stamp NEVER = new Stamp(0, -1);

  boolean before(Stamp other) {
    return life < other.life || (life == other.life && time < other.time);
  }

  /** A number for it that is not 0. */
  long ticket() {
    return ((life + 1L) << 40) + time + 1;
  }

  static Stamp max(Stamp a, Stamp b) {
    return a.before(b) ? b : a;
  }

  @Override
  public String toString() {
    return life == 0 ? Long.toString(time) : time + "'".repeat(life);
  }
}
