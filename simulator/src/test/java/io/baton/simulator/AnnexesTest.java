package io.baton.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Alarm;
import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Message;
import io.baton.algorithms.NaimiTrehelAnnex;
import io.baton.algorithms.Policy;
import io.baton.algorithms.RaymondAnnex;
import io.baton.algorithms.Rule;
import io.baton.algorithms.SchemeState;
import io.baton.algorithms.State;
import io.baton.simulator.explore.Exploration;
import io.baton.simulator.explore.Explorer;
import io.baton.simulator.fuzz.FuzzCases;
import io.baton.simulator.fuzz.Fuzzer;
import io.baton.simulator.run.Faults;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Annex 2 and 3 of [GS] do exactly what the general scheme does under their rules: both get the
 * same events, and after each one their effects and their common variables are compared.
 */
class AnnexesTest {
  /** Two nodes in one: whatever happens to one happens to the other. */
  private static final class Twin implements Algorithm {
    private final Algorithm general;
    private final Algorithm annex;

    Twin(Algorithm general, Algorithm annex) {
      this.general = general;
      this.annex = annex;
    }

    private void both(Effects out, BiConsumer<Algorithm, Effects> event) {
      List<Consumer<Effects>> first = new ArrayList<>();
      List<String> firstText = new ArrayList<>();
      List<String> secondText = new ArrayList<>();
      event.accept(general, new Copy(first, firstText));
      event.accept(annex, new Copy(new ArrayList<>(), secondText));
      if (!firstText.equals(secondText)) {
        throw new IllegalStateException("general: " + firstText + ", annex: " + secondText);
      }
      SchemeState one = (SchemeState) general.capture();
      SchemeState other = (SchemeState) annex.capture();
      if (one.tokenHere() != other.tokenHere()
          || one.asked() != other.asked()
          || one.father() != other.father()
          || !one.waiting().equals(other.waiting())) {
        throw new IllegalStateException("general: " + one + ", annex: " + other);
      }
      first.forEach(effect -> effect.accept(out));
    }

    @Override
    public void enter(Effects out) {
      both(out, (node, effects) -> node.enter(effects));
    }

    @Override
    public void exit(long cargo, Effects out) {
      both(out, (node, effects) -> node.exit(cargo, effects));
    }

    @Override
    public void receive(int from, Message message, Effects out) {
      both(out, (node, effects) -> node.receive(from, message, effects));
    }

    private record Both(State general, State annex) implements State {
      @Override
      public List<Variable> variables() {
        return general.variables();
      }
    }

    @Override
    public State capture() {
      return new Both(general.capture(), annex.capture());
    }

    @Override
    public void restore(State state) {
      general.restore(((Both) state).general());
      annex.restore(((Both) state).annex());
    }
  }

  /** Effects as values and as text that shows all, the sink and the cargo included. */
  private record Copy(List<Consumer<Effects>> effects, List<String> text) implements Effects {
    @Override
    public void send(int to, Message message) {
      effects.add(out -> out.send(to, message));
      text.add("send " + to + " " + message + " for " + message.sink() + " " + message.hashCode());
    }

    @Override
    public void grant(int resource, long cargo) {
      effects.add(out -> out.grant(cargo));
      text.add("grant " + cargo);
    }

    @Override
    public void setAlarm(Alarm alarm, long delay) {
      throw new IllegalStateException("no alarms here");
    }
  }

  private static Catalogue.Builder twins(boolean raymond) {
    return (spec, chooser) -> {
      Policy policy = spec.policy().equals("lift") ? Policy.LIFT : Policy.FIFO;
      Rule rule = raymond ? Rule.TRANSIT_IFF_TOKEN_HERE : Rule.ALWAYS_TRANSIT;
      return new LockSystem(
          spec.nodes(),
          i -> {
            int father = spec.tree().father(i);
            return new Twin(
                new GeneralScheme(i, father, rule, policy),
                raymond
                    ? new RaymondAnnex(i, father, policy)
                    : new NaimiTrehelAnnex(i, father, policy));
          },
          List.of(),
          List.of(),
          Long.MAX_VALUE,
          null);
    };
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAnnexSendsTheSameMessagesEventByEvent(boolean raymond) {
    String name = raymond ? "raymond-annex" : "naimi-trehel-annex";
    for (String policy : new String[] {"fifo", "lift"}) {
      SystemSpec.Wish wish = new SystemSpec.Wish(name, 16, null, null, policy, null);
      Fuzzer.Outcome outcome =
          new Fuzzer(new FuzzCases.Frame(wish, 2, 16, Faults.NONE), twins(raymond))
              .run(1, 300, seeds -> {});
      assertThat(outcome.failures()).as(String.valueOf(outcome.first())).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAnnexSendsTheSameMessagesInEverySchedule(boolean raymond) {
    for (Tree tree : Tree.all(4)) {
      SystemSpec spec = new SystemSpec("raymond", tree, "raymond", "fifo", null);
      Exploration all = new Explorer(spec, twins(raymond), 1, false).run(1_000_000, n -> {});
      assertThat(all.violation()).isNull();
      assertThat(all.complete()).isTrue();
    }
  }

  @Test
  void aDifferenceWouldBeNoticed() {
    Catalogue.Builder unequal =
        (spec, chooser) ->
            new LockSystem(
                spec.nodes(),
                i -> {
                  int father = spec.tree().father(i);
                  return new Twin(
                      new GeneralScheme(i, father, Rule.ALWAYS_PROXY, Policy.FIFO),
                      new RaymondAnnex(i, father, Policy.FIFO));
                },
                List.of(),
                List.of(),
                Long.MAX_VALUE,
                null);
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("raymond", 3), 1);
    Exploration found = new Explorer(spec, unequal, 1, false).run(1_000_000, n -> {});
    assertThat(found.violation()).isNotNull();
    assertThat(found.violation().invariant()).isEqualTo("no node fails");
  }
}
