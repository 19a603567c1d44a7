package io.baton.simulator.trace;

import io.baton.algorithms.Message;
import io.baton.algorithms.Names;
import io.baton.simulator.run.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages in transit, oldest first, and the words that name steps. */
final class Transit {
  private final List<Step.Delivery> messages = new ArrayList<>();

  List<Step.Delivery> messages() {
    return messages;
  }

  void add(Step.Delivery delivery) {
    messages.add(delivery);
  }

  void remove(Step.Delivery delivery) {
    messages.remove(delivery);
  }

  /** A step as a trace names it. */
  String text(Step step) {
    if (step instanceof Step.Enter enter) {
      return "enter " + Names.of(step.node()) + suffix(enter.resource());
    } else if (step instanceof Step.Exit exit) {
      return "exit " + Names.of(step.node()) + suffix(exit.resource());
    } else if (step instanceof Step.Crash) {
      return "crash " + Names.of(step.node());
    } else if (step instanceof Step.Recover) {
      return "recover " + Names.of(step.node());
    } else if (step instanceof Step.Leave) {
      return "leave " + Names.of(step.node());
    } else if (step instanceof Step.Gone) {
      return "gone " + Names.of(step.node());
    } else if (step instanceof Step.Ring ring) {
      return "alarm " + Names.of(step.node()) + " " + ring.alarm();
    } else if (step instanceof Step.Cut cut) {
      return channel("cut", step, cut.neighbour());
    } else if (step instanceof Step.Mend mend) {
      return channel("mend", step, mend.neighbour());
    } else if (step instanceof Step.Lost lost) {
      return channel("lost", step, lost.neighbour());
    } else if (step instanceof Step.Found found) {
      return channel("found", step, found.neighbour());
    } else if (step instanceof Step.Suspect suspect) {
      return channel("suspect", step, suspect.neighbour());
    } else if (step instanceof Step.Trust trust) {
      return channel("trust", step, trust.neighbour());
    } else if (step instanceof Step.Drop drop) {
      return "drop " + text(drop.lost());
    } else if (step instanceof Step.Duplicate duplicate) {
      return "duplicate " + text(duplicate.doubled());
    }
    Step.Delivery delivery = (Step.Delivery) step;
    int place = 1; // among the messages in transit that read the same
    for (Step.Delivery other : messages) {
      if (other.equals(delivery)) {
        break;
      }
      place += words(other).equals(words(delivery)) ? 1 : 0;
    }
    return words(delivery) + (place == 1 ? "" : " #" + place);
  }

  private static String channel(String verb, Step step, int neighbour) {
    return verb + " " + Names.of(step.node()) + " " + Names.of(neighbour);
  }

  /** Takes off the messages from a node to another. */
  List<Message> withdraw(int from, int to) {
    List<Message> withdrawn = new ArrayList<>();
    for (Step.Delivery delivery : List.copyOf(messages)) {
      if (delivery.from() == from && delivery.to() == to) {
        messages.remove(delivery);
        withdrawn.add(delivery.message());
      }
    }
    return withdrawn;
  }

  /** Names a resource beyond the first: r2, r3 … */
  static String suffix(int resource) {
    return resource == 0 ? "" : " r" + (resource + 1);
  }

  private static String words(Step.Delivery delivery) {
    return Names.of(delivery.from()) + " -> " + Names.of(delivery.to()) + " " + delivery.message();
  }

  private static int place(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0; // no message has it
    }
  }

  /** The message in transit that a trace names; null where there is none. */
  Step.@Nullable Delivery find(String text) {
    int mark = text.lastIndexOf(" #");
    String words = mark < 0 ? text : text.substring(0, mark);
    int place = mark < 0 ? 1 : place(text.substring(mark + 2));
    for (Step.Delivery delivery : messages) {
      if (words(delivery).equals(words) && --place == 0) {
        return delivery;
      }
    }
    return null;
  }
}
