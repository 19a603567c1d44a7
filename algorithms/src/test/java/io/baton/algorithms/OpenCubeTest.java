package io.baton.algorithms;

import static io.baton.algorithms.Algorithm.NIL;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** [OC] §2, on the initial trees with every root and on what b-transformations make of them. */
class OpenCubeTest {
  private static int[] tree(int nodes, int root) {
    int[] fathers = new int[nodes];
    Arrays.setAll(fathers, x -> OpenCube.father(x, root));
    return fathers;
  }

  private static int power(int i, int[] fathers) {
    return OpenCube.power(i, fathers[i], OpenCube.pmax(fathers.length));
  }

  /** Theorem 2.1: swaps i with its son j. */
  private static int[] swap(int[] fathers, int j) {
    int[] swapped = fathers.clone();
    int i = fathers[j];
    swapped[j] = fathers[i];
    swapped[i] = j;
    return swapped;
  }

  /** The recursive definition: two open cubes of half the size, one root the other's father. */
  private static boolean isOpenCube(int[] fathers, int first, int p, int root) {
    if (p == 0) {
      return first == root;
    }
    int half = 1 << (p - 1);
    int middle = first + half;
    int otherFirst = root < middle ? middle : first;
    int otherRoot = NIL;
    for (int x = otherFirst; x < Math.min(otherFirst + half, fathers.length); x++) {
      boolean leavesHalf =
          fathers[x] != NIL && (fathers[x] < otherFirst || fathers[x] >= otherFirst + half);
      if (leavesHalf) {
        if (otherRoot != NIL || fathers[x] != root) {
          return false;
        }
        otherRoot = x;
      }
    }
    boolean otherIsEmpty = otherFirst >= fathers.length;
    return isOpenCube(fathers, root < middle ? first : middle, p - 1, root)
        && (otherIsEmpty
            || (otherRoot != NIL && isOpenCube(fathers, otherFirst, p - 1, otherRoot)));
  }

  private static boolean isOpenCube(int[] fathers) {
    int root = NIL;
    for (int x = 0; x < fathers.length; x++) {
      root = fathers[x] == NIL ? x : root;
    }
    return root != NIL && isOpenCube(fathers, 0, OpenCube.pmax(fathers.length), root);
  }

  @Test
  void theCanonicalCubeIsThatOfFigure2() {
    assertThat(tree(16, 0)).containsExactly(NIL, 0, 0, 2, 0, 4, 4, 6, 0, 8, 8, 10, 8, 12, 12, 14);
    IntBinaryOperator powerOf = (i, nodes) -> power(i - 1, tree(nodes, 0));
    assertThat(powerOf.applyAsInt(1, 16)).isEqualTo(4);
    assertThat(powerOf.applyAsInt(2, 16)).isZero();
    assertThat(powerOf.applyAsInt(3, 16)).isEqualTo(1);
    assertThat(powerOf.applyAsInt(5, 16)).isEqualTo(2);
    assertThat(powerOf.applyAsInt(9, 16)).isEqualTo(3);
    assertThat(OpenCube.distance(0, 1)).isEqualTo(1);
    assertThat(OpenCube.distance(0, 3)).isEqualTo(2);
    assertThat(OpenCube.distance(0, 7)).isEqualTo(3);
    assertThat(OpenCube.distance(0, 8)).isEqualTo(4);
  }

  @Test
  void groupsAreThoseOfThePaper() {
    assertThat(OpenCube.firstOfGroup(13, 2)).isEqualTo(12); // {13, 14, 15, 16}
    assertThat(OpenCube.firstOfGroup(13, 3)).isEqualTo(8);
    assertThat(OpenCube.sameGroup(8, 11, 2)).isTrue();
    assertThat(OpenCube.sameGroup(7, 8, 3)).isFalse();
  }

  @Test
  void forEveryNAndEveryRootTheInitialTreeIsAnOpenCubeWithoutHoles() {
    for (int nodes = 1; nodes <= 70; nodes++) {
      for (int root = 0; root < nodes; root++) {
        int[] fathers = tree(nodes, root);
        assertThat(Arrays.stream(fathers).max().orElseThrow()).isLessThan(nodes);
        assertThat(isOpenCube(fathers)).as(nodes + " nodes, root " + root).isTrue();
        assertThat(OpenCube.whyNot(fathers)).isNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 16})
  void theorem21aSwapKeepsTheCubeIfAndOnlyIfTheEdgeIsABoundaryEdge(int nodes) {
    for (int root = 0; root < nodes; root++) {
      int[] fathers = tree(nodes, root);
      for (int round = 0; round < 50; round++) {
        int lastBoundary = NIL;
        for (int j = 0; j < nodes; j++) {
          int i = fathers[j];
          if (i != NIL) {
            boolean boundary = power(i, fathers) == power(j, fathers) + 1;
            int[] swapped = swap(fathers, j);
            assertThat(isOpenCube(swapped)).isEqualTo(boundary);
            assertThat(OpenCube.whyNot(swapped) == null).isEqualTo(boundary);
            assertThat(OpenCube.throughLastSon(i, fathers[i], j, OpenCube.pmax(nodes)))
                .isEqualTo(boundary);
            if (boundary) { // it decreases the power of i by one and increases that of j by one
              assertThat(power(i, swapped)).isEqualTo(power(i, fathers) - 1);
              assertThat(power(j, swapped)).isEqualTo(power(j, fathers) + 1);
              lastBoundary = (j * 31 + round) % 3 == 0 || lastBoundary == NIL ? j : lastBoundary;
            }
          }
        }
        fathers = swap(fathers, lastBoundary); // and on from there
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8, 32})
  void propositions21To23HoldOfEveryCube(int nodes) {
    int pmax = OpenCube.pmax(nodes);
    for (int root = 0; root < nodes; root++) {
      int[] fathers = tree(nodes, root);
      for (int i = 0; i < nodes; i++) {
        if (fathers[i] != NIL) { // Proposition 2.1
          assertThat(power(i, fathers)).isEqualTo(OpenCube.distance(i, fathers[i]) - 1);
        }
        for (int j = 0; j < nodes; j++) { // Proposition 2.2 and Corollary 2.1
          if (OpenCube.distance(i, j) == power(i, fathers) + 1 && power(i, fathers) < pmax) {
            assertThat(power(j, fathers) > power(i, fathers)).isEqualTo(j == fathers[i]);
          }
        }
        int length = 0;
        int notLastSons = 0;
        for (int son = i; fathers[son] != NIL; son = fathers[son]) {
          length++;
          boolean last = power(fathers[son], fathers) == power(son, fathers) + 1;
          notLastSons += last ? 0 : 1;
        }
        assertThat(length).isLessThanOrEqualTo(pmax - notLastSons); // Proposition 2.3
      }
    }
  }

  @Test
  void theCostOfAllNodesIsTheClosedForm() {
    long alpha = 2;
    for (int p = 1; p <= 12; p++) {
      int nodes = 1 << p;
      int[] fathers = tree(nodes, 0);
      long sum = 0;
      for (int x = 0; x < nodes; x++) {
        sum += OpenCube.cost(x, fathers);
      }
      assertThat(sum).as("p = " + p).isEqualTo(alpha);
      assertThat(4 * sum).isEqualTo((3L * p + 5) * nodes - 4L * (p + 1)); // the mean, times 4N
      alpha = 2 * alpha + p + 3L * (1 << (p - 1));
    }
  }

  @Test
  void whatIsNoOpenCubeIsSaidWhy() {
    assertThat(OpenCube.whyNot(new int[] {NIL, NIL})).isEqualTo("two roots, 1 and 2");
    assertThat(OpenCube.whyNot(new int[] {1, 0})).isNotNull();
    assertThat(OpenCube.whyNot(new int[] {NIL, 0, 0, 0})).isEqualTo("two sons of 1 have power 1");
    assertThat(OpenCube.whyNot(new int[] {NIL, 0, 1, 2}))
        .isEqualTo("3 has a father of too little power, 2");
  }
}
