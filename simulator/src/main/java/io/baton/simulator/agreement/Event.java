package io.baton.simulator.agreement;

import io.baton.agreement.Configuration;
import io.baton.agreement.Message;
import io.baton.agreement.Output;
import io.baton.agreement.Value;
import io.baton.agreement.Voter;

/** What can happen at one voter. */
sealed interface Event {
  /** The same instant for all: what depends on time is shown elsewhere. */
  long NOW = 0;

  /** Lets it happen. */
  void perform(Voter voter, Output out);

  /** A message arrives. */
  record Delivery(String from, Message message) implements Event {
    @Override
    public void perform(Voter voter, Output out) {
      voter.receive(from, message, NOW, out);
    }

    @Override
    public String toString() {
      return "hears from " + from + " " + message;
    }
  }

  /** A leader publishes a state. */
  record Publishing(Value value, Configuration configuration) implements Event {
    @Override
    public void perform(Voter voter, Output out) {
      voter.publish(value, configuration, out);
    }

    @Override
    public String toString() {
      return "publishes " + value + " of " + configuration;
    }
  }

  /** A leader asks whether its term stands. */
  record Asking(long batch) implements Event {
    @Override
    public void perform(Voter voter, Output out) {
      voter.ask(batch, out);
    }

    @Override
    public String toString() {
      return "asks whether its term stands";
    }
  }
}
