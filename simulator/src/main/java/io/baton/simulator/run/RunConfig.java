package io.baton.simulator.run;

import io.baton.simulator.random.Distribution;

/**
 * How to run a system; together with the system and the seed it decides every byte of the outcome.
 *
 * @param criticalSections how many requests are made before the run drains
 * @param fifo whether messages of one channel keep their order; else they may overtake
 */
public record RunConfig(
    long seed,
    Workload workload,
    long criticalSections,
    Distribution hold,
    Delay delay,
    boolean fifo,
    Faults faults,
    Checking checking) {

  /** How often the invariants are checked. */
  public enum Checking {
    /** After every event up to 64 nodes, beyond that every N events. */
    AUTO,
    /** After every event. */
    EVERY_EVENT,
    /** Never; what is broken at a grant or a send is still noticed. */
    OFF,
    /** Never, for nobody sees all nodes at once; what each of them reports is checked. */
    FROM_OUTSIDE;

    private static final int SMALL = 64;

    /** The number of events between two checks of a system of that size; 0: no checks. */
    public int interval(int nodes) {
      return switch (this) {
        case OFF, FROM_OUTSIDE -> 0;
        case EVERY_EVENT -> 1;
        case AUTO -> nodes <= SMALL ? 1 : nodes;
      };
    }

    /** In words, for a report. */
    public String describe(int nodes) {
      if (this == FROM_OUTSIDE) {
        return "no two critical sections overlap, by what the processes report";
      }
      int interval = interval(nodes);
      return interval == 0
          ? "not checked"
          : interval == 1 ? "after every event" : "after every " + interval + " events";
    }
  }
}
