package io.baton.simulator.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Effects;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Message;
import io.baton.algorithms.Policy;
import io.baton.algorithms.Request;
import io.baton.algorithms.Rule;
import io.baton.algorithms.State;
import io.baton.simulator.run.Violation;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.LockSystem;
import io.baton.simulator.system.SystemSpec;
import io.baton.simulator.system.Tree;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplorerTest {
  private static Exploration explore(
      String algorithm, Tree tree, String policy, int requests, boolean fifo) {
    SystemSpec spec =
        new SystemSpec(algorithm, tree, Catalogue.find(algorithm).rule(), policy, null);
    return new Explorer(spec, Catalogue::build, requests, fifo).run(10_000_000, states -> {});
  }

  @ParameterizedTest
  @CsvSource({
    "3, 2, fifo, 53934",
    "4, 1, fifo, 356834",
    "3, 2, any, 53934",
    "3, 2, lift, 53934",
  })
  void everyBehaviourAtEveryStepFromEveryTreeIsExploredCompletely(
      int nodes, int requests, String policy, long states) {
    long visited = 0;
    for (Tree tree : Tree.all(nodes)) {
      Exploration all = explore("general", tree, policy, requests, false);
      assertThat(all.violation()).isNull();
      assertThat(all.complete()).isTrue();
      visited += all.states();
    }
    assertThat(visited).isEqualTo(states);
  }

  @ParameterizedTest
  @CsvSource({"centralized", "naimi-trehel", "raymond", "naimi-trehel-annex", "raymond-annex"})
  void everyAlgorithmIsExploredCompletely(String algorithm) {
    for (Tree tree : Tree.all(4)) {
      Exploration all = explore(algorithm, tree, "fifo", 1, false);
      assertThat(all.violation()).isNull();
      assertThat(all.complete()).isTrue();
    }
  }

  @Test
  void fifoChannelsLeaveFewerSchedules() {
    Tree line = Tree.parse("4>3>2>1");
    Exploration overtaking = explore("general", line, "fifo", 1, false);
    Exploration fifo = explore("general", line, "fifo", 1, true);
    assertThat(fifo.violation()).isNull();
    assertThat(fifo.complete()).isTrue();
    assertThat(fifo.states()).isLessThan(overtaking.states());
  }

  @Test
  void aRequestDearerThanItsBoundIsFoundInSomeSchedule() {
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("raymond", 3), 1);
    for (long bound : new long[] {3, 4}) { // the diameter is 2
      Catalogue.Builder strict =
          (s, chooser) -> {
            LockSystem system = Catalogue.build(s, chooser);
            return new LockSystem(
                3, system.nodes(), system.invariants(), system.safety(), bound, null);
          };
      Violation found = new Explorer(spec, strict, 2, false).run(1_000_000, n -> {}).violation();
      assertThat(found == null).isEqualTo(bound == 4);
      assertThat(found == null ? "messages per request" : found.invariant())
          .isEqualTo("messages per request");
    }
  }

  @Test
  void tooManyStatesAreAdmittedNotHidden() {
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("general", 4), 1);
    Exploration some = new Explorer(spec, Catalogue::build, 2, false).run(1000, states -> {});
    assertThat(some.complete()).isFalse();
    assertThat(some.violation()).isNull();
    assertThat(some.states()).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void twoInsideAtOnceAreNoticedAtTheGrantItself() {
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("general", 2), 1);
    Catalogue.Builder everybodyHasAToken =
        (s, chooser) ->
            new LockSystem(
                2,
                i -> new GeneralScheme(i, Algorithm.NIL, Rule.ALWAYS_PROXY, Policy.FIFO),
                List.of(),
                List.of(),
                Long.MAX_VALUE,
                null);
    Exploration found = new Explorer(spec, everybodyHasAToken, 1, false).run(1000, n -> {});
    assertThat(found.violation()).isNotNull();
    assertThat(found.violation().invariant()).isEqualTo("mutual exclusion");
  }

  /** Whatever comes is sent back, for ever; nobody is granted. */
  private static final class Bouncing implements Algorithm {
    private record Nothing() implements State {
      @Override
      public List<Variable> variables() {
        return List.of();
      }
    }

    private final int other;

    Bouncing(int i) {
      this.other = 1 - i;
    }

    @Override
    public void enter(Effects out) {
      out.send(other, new Request(1 - other, 1 - other));
    }

    @Override
    public void exit(long cargo, Effects out) {}

    @Override
    public void receive(int from, Message message, Effects out) {
      out.send(from, message);
    }

    @Override
    public State capture() {
      return new Nothing();
    }

    @Override
    public void restore(State state) {}
  }

  @Test
  void aSystemThatIsBusyForEverButGrantsNothingIsNoticed() {
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("general", 2), 1);
    Catalogue.Builder bouncing =
        (s, chooser) ->
            new LockSystem(2, Bouncing::new, List.of(), List.of(), Long.MAX_VALUE, null);
    Exploration found = new Explorer(spec, bouncing, 1, false).run(1000, states -> {});
    assertThat(found.complete()).isTrue();
    assertThat(found.violation()).isNotNull();
    assertThat(found.violation().invariant()).isEqualTo(Violation.LIVENESS);
  }
}
