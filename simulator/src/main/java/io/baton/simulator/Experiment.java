package io.baton.simulator;

import io.baton.simulator.random.Generator;
import io.baton.simulator.run.Faults;
import io.baton.simulator.run.Listener;
import io.baton.simulator.run.RequestChecks;
import io.baton.simulator.run.RunConfig;
import io.baton.simulator.run.RunResult;
import io.baton.simulator.run.Simulation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.Chooser;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.trace.Recorder;
import java.util.List;

/** A system and how to run it: all that decides the outcome, to the byte. */
public record Experiment(SystemSpec system, RunConfig config) {
  /** Refuses a run that the algorithm does not offer. */
  public Experiment {
    Catalogue.Entry entry = Catalogue.find(system.algorithm());
    boolean comesBack = entry.timed() || entry.survives() || system.ring().acks();
    if (config.faults().has(Faults.Kind.RECOVER) && !comesBack) {
      throw new BadInputException(
          system.algorithm() + " cannot bring a node back: take recover out of the faults");
    }
    for (Faults.Kind kind : List.of(Faults.Kind.CUT, Faults.Kind.LEAVE, Faults.Kind.ABSENT)) {
      if (config.faults().has(kind) && !entry.survives()) {
        throw new BadInputException(
            String.format(
                "%s knows no channels or nodes that come and go: take %s out of the faults",
                system.algorithm(), kind));
      }
    }
    if (config.faults().has(Faults.Kind.SUSPECT) && !entry.survives() && !system.ring().acks()) {
      throw new BadInputException(
          system.algorithm() + " asks no failure detector: take suspect out of the faults");
    }
  }

  /** Runs it; the listeners are told what happens. */
  public RunResult run(Catalogue.Builder builder, Listener... listeners) {
    return runWith(builder, chooser(), listeners);
  }

  /** Runs it and writes down every step. */
  public Recorded record(Catalogue.Builder builder) {
    Recorder recorder = new Recorder(chooser(), true);
    return new Recorded(runWith(builder, recorder, recorder), recorder);
  }

  /** A run and its steps. */
  public record Recorded(RunResult result, Recorder recorder) {}

  private RunResult runWith(Catalogue.Builder builder, Chooser chooser, Listener... listeners) {
    LockSystem locks = builder.build(system, chooser);
    Simulation simulation = new Simulation(locks, system.graph(), config);
    if (config.checking().interval(system.nodes()) > 0) {
      RequestChecks.of(locks).forEach(simulation::listen);
    }
    List.of(listeners).forEach(simulation::listen);
    return simulation.run();
  }

  /** Draws what the system leaves open. */
  public Chooser chooser() {
    Generator choices = Generator.of(config.seed(), "choices");
    return options -> choices.nextInt(options.size());
  }
}
