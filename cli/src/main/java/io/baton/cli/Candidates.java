package io.baton.cli;

import io.baton.simulator.system.Catalogue;
import java.util.ArrayList;
import java.util.List;

/** What the shell offers to complete an option's value with. */
final class Candidates {
  private Candidates() {}

  static final class Algorithms extends ArrayList<String> {
    Algorithms() {
      super(Catalogue.entries().stream().map(Catalogue.Entry::name).toList());
    }
  }

  static final class Trees extends ArrayList<String> {
    Trees() {
      super(List.of("star", "line", "binary", "balanced:3", "cube", "random"));
    }
  }

  static final class Rules extends ArrayList<String> {
    Rules() {
      super(List.of("proxy", "transit", "raymond", "last-son", "short-cut", "gateways", "any"));
    }
  }

  static final class Policies extends ArrayList<String> {
    Policies() {
      super(List.of("fifo", "lift", "any"));
    }
  }

  static final class Graphs extends ArrayList<String> {
    Graphs() {
      super(List.of("ring", "complete", "grid", "tree", "random", "small-world", "scale-free"));
    }
  }

  static final class Directions extends ArrayList<String> {
    Directions() {
      super(List.of("clockwise", "anticlockwise"));
    }
  }

  static final class Workloads extends ArrayList<String> {
    Workloads() {
      super(List.of("closed", "open", "hotspot", "fresh-each"));
    }
  }

  static final class Channels extends ArrayList<String> {
    Channels() {
      super(List.of("overtaking", "fifo"));
    }
  }
}
