package io.baton.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who waits for a lock at one member. */
class CallersTest {
  private int compared;

  private final class Counting implements Caller {
    @Override
    public void granted(long fence) {}

    @Override
    public void lost(Loss reason) {}

    @Override
    public boolean equals(Object other) {
      compared++;
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Test
  void oneOfManyThatGivesUpIsFoundWithoutLookingAtAllOthers() {
    int many = 40_000;
    Callers callers = new Callers();
    List<Caller> all = new ArrayList<>();
    for (int k = 0; k < many; k++) {
      Caller caller = new Counting();
      all.add(caller);
      callers.add(caller);
    }
    Collections.shuffle(all, new Random(1));
    compared = 0;
    all.forEach(caller -> assertThat(callers.remove(caller)).isTrue());
    assertThat(compared).as("for %d in all", many).isLessThan(2 * many);
    assertThat(callers.isEmpty()).isTrue();
  }

  @Test
  void theyAreServedInTheirOrderWhoeverGivesUp() {
    for (int many : new int[] {5, 100}) {
      Callers callers = new Callers();
      List<Caller> all = new ArrayList<>();
      for (int k = 0; k < many; k++) {
        all.add(new Counting());
        callers.add(all.get(k));
      }
      assertThat(callers.remove(all.remove(3))).isTrue();
      assertThat(callers.remove(new Counting())).isFalse();
      assertThat(callers.list()).isEqualTo(all);
      all.forEach(caller -> assertThat(callers.poll()).isSameAs(caller));
      assertThat(callers.poll()).isNull();
    }
  }
}
