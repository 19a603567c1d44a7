package io.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Several locks at once. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class ManyLocksTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final BatonCluster cluster = BatonCluster.local(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void severalLocksAreHeldTogetherAndGivenBackTogether() throws Exception {
    Holds holds = cluster.member(0).acquireAll(List.of("b", "a", "c"));
    assertThat(holds.all()).extracting(Hold::lock).containsExactly("a", "b", "c");
    assertThat(holds.hold("b").fence()).isPositive();
    assertThat(holds.isValid()).isTrue();
    for (String name : List.of("a", "b", "c")) {
      assertThat(cluster.member(1).lock(name).tryAcquire(Duration.ZERO)).isEmpty();
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> holds.hold("d"))
        .withMessageContaining("not among those held: a, b, c");
    holds.close();
    assertThat(holds.isValid()).isFalse();
    assertThat(cluster.member(1).tryAcquireAll(List.of("a", "b", "c"), LONG)).isPresent();
  }

  @Test
  void soItIsWithMembersThatTalkOverTheNetwork(@TempDir Path folder) throws Exception {
    List<Baton> members = Members.join(folder, 3);
    try {
      Hold one = members.get(1).lock("b").acquire();
      assertThat(members.get(0).tryAcquireAll(List.of("a", "b"), Duration.ZERO)).isEmpty();
      assertThat(members.get(2).lock("a").tryAcquire(LONG)).hasValueSatisfying(Hold::close);
      one.close();
      Holds both = members.get(0).acquireAll(List.of("b", "a"));
      assertThat(both.isValid()).isTrue();
      assertThat(members.get(2).lock("a").tryAcquire(Duration.ZERO)).isEmpty();
      both.close();
      assertThat(members.get(2).tryAcquireAll(List.of("a", "b"), LONG)).isPresent();
    } finally {
      members.parallelStream().forEach(Baton::close);
    }
  }

  @Test
  void allAreGrantedWithinTheLimitOrNone() throws Exception {
    Hold last = cluster.member(1).lock("c").acquire();
    for (Duration limit : List.of(Duration.ZERO, Duration.ofMillis(50))) {
      assertThat(cluster.member(0).tryAcquireAll(List.of("a", "b", "c"), limit)).isEmpty();
    }
    assertThat(cluster.member(2).tryAcquireAll(List.of("a", "b"), LONG))
        .hasValueSatisfying(Holds::close);
    last.close();
    assertThat(cluster.member(0).tryAcquireAll(List.of("a", "b", "c"), Duration.ZERO)).isPresent();
  }

  @Test
  void whoIsInterruptedHoldsNone() throws Exception {
    Hold last = cluster.member(1).lock("b").acquire();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (Holds holds = cluster.member(0).acquireAll(List.of("a", "b"))) {
                interrupted.complete(!holds.isValid());
              } catch (InterruptedException e) {
                interrupted.complete(true);
              }
            });
    thread.start();
    while (cluster.member(1).lock("b").info().get().waiters().isEmpty()) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(cluster.member(2).lock("a").tryAcquire(LONG)).isPresent();
    last.close();
  }

  @Test
  void whoTakeTheSameLocksInAnyOrderNeverWaitForEachOther() throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int k = 0; k < 6; k++) {
      int number = k;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                Random chance = new Random(number);
                List<String> names = new ArrayList<>(List.of("a", "b", "c", "d"));
                for (int turn = 0; turn < 50; turn++) {
                  Collections.shuffle(names, chance);
                  List<String> some = names.subList(0, 2 + chance.nextInt(3));
                  try (Holds holds = cluster.member(number % 3).acquireAll(some)) {
                    assertThat(holds.isValid()).isTrue();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> each : all) {
      each.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void namesThatMakeNoSenseAreRefusedAndNothingIsTaken() throws Exception {
    Baton baton = cluster.member(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> baton.acquireAll(List.of()))
        .withMessageContaining("No lock is named");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> baton.acquireAll(List.of("a", "b", "a")))
        .withMessageContaining("\"a\" is named twice");
    assertThatIllegalArgumentException().isThrownBy(() -> baton.acquireAll(List.of("a", "")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> baton.tryAcquireAll(List.of("a"), Duration.ofMillis(-1)))
        .withMessageContaining("negative");
    assertThat(cluster.member(1).lock("a").tryAcquire(Duration.ZERO)).isPresent();
  }

  @Test
  void whereTheMemberHasLeftNothingIsTaken() {
    Baton baton = cluster.member(0);
    baton.close();
    assertThatExceptionOfType(BatonClosedException.class)
        .isThrownBy(() -> baton.acquireAll(List.of("a", "b")));
  }
}
