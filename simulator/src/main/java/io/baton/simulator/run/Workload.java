package io.baton.simulator.run;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Distribution;
import io.baton.simulator.random.Generator;
import io.baton.simulator.random.Ticks;
import java.util.List;

/** When users come, and to which node. The run ends them after a given number of requests. */
public sealed interface Workload {
  /** Where a workload announces its users. */
  interface Arrivals {
    /** How many seats there are; where there is one resource, a seat is a node. */
    int seats();

    long now();

    /** A user will come to the seat; where it is taken then, the user waits for its turn there. */
    void arrive(int seat, long time);
  }

  /** Announces the first users. */
  void start(Arrivals arrivals, Generator generator);

  /** A user has come. */
  default void arrived(Arrivals arrivals, Generator generator) {}

  /** A user has left its critical section. */
  default void left(int seat, Arrivals arrivals, Generator generator) {}

  /** How many requests it can make at most; the run may ask for fewer. */
  default long limit() {
    return Long.MAX_VALUE;
  }

  /** Every seat has one user who thinks, asks, holds, and thinks again. */
  record Closed(Distribution think) implements Workload {
    @Override
    public void start(Arrivals arrivals, Generator generator) {
      for (int seat = 0; seat < arrivals.seats(); seat++) {
        arrivals.arrive(seat, think.sample(generator));
      }
    }

    @Override
    public void left(int seat, Arrivals arrivals, Generator generator) {
      arrivals.arrive(seat, arrivals.now() + think.sample(generator));
    }

    @Override
    public String toString() {
      return "closed";
    }
  }

  /**
   * Users come at random moments (a Poisson process) to random nodes.
   *
   * @param rate how many come per unit of time, in the whole system
   * @param hotNodes how many nodes are hot; 0: all alike
   * @param hotShare the share of users who come to a hot node
   */
  record Open(double rate, int hotNodes, double hotShare) implements Workload {
    /** Refuses what cannot be. */
    public Open {
      if (!(rate > 0) || rate > Ticks.PER_UNIT) {
        throw new BadInputException(
            "A rate of "
                + rate
                + " cannot be: take requests per unit of time above 0 and up to "
                + Ticks.PER_UNIT);
      }
      if (hotNodes < 0 || !(hotShare >= 0 && hotShare <= 1)) {
        throw new BadInputException(
            "Hot nodes must be 1 or more and their share from 0 to 1, not "
                + hotNodes
                + " and "
                + hotShare);
      }
    }

    @Override
    public void start(Arrivals arrivals, Generator generator) {
      arrived(arrivals, generator);
    }

    @Override
    public void arrived(Arrivals arrivals, Generator generator) {
      long pause =
          Ticks.ofDrawn(-StrictMath.log(1 - generator.nextDouble()) / rate * Ticks.PER_UNIT);
      arrivals.arrive(pick(arrivals.seats(), generator), arrivals.now() + pause);
    }

    private int pick(int seats, Generator generator) {
      if (hotNodes == 0 || hotNodes >= seats) {
        return generator.nextInt(seats);
      }
      return generator.nextBoolean(hotShare)
          ? seats - 1 - generator.nextInt(hotNodes) // the last ones: the first is often the root
          : generator.nextInt(seats - hotNodes);
    }

    @Override
    public String toString() {
      return hotNodes == 0 ? "open" : "hotspot";
    }
  }

  /** Users who come as written down, in order. */
  record Script(List<Arrival> users) implements Workload {
    /** One user. */
    public record Arrival(long time, int node) {}

    @Override
    public void start(Arrivals arrivals, Generator generator) {
      for (Arrival user : users) {
        if (user.node() >= arrivals.seats()) {
          throw new BadInputException(
              "The script names node "
                  + (user.node() + 1)
                  + ", but the system has "
                  + arrivals.seats());
        }
        arrivals.arrive(user.node(), user.time());
      }
    }

    @Override
    public long limit() {
      return users.size();
    }

    @Override
    public String toString() {
      return "script";
    }
  }
}
