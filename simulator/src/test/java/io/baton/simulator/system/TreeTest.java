package io.baton.simulator.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.simulator.BadInputException;
import io.baton.simulator.random.Generator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TreeTest {
  private static Tree named(String name, int nodes) {
    return Tree.named(name, nodes, new Generator(1));
  }

  @ParameterizedTest
  @CsvSource({
    "star, 5, 1, 2",
    "line, 5, 4, 4",
    "binary, 7, 2, 4",
    "balanced:3, 13, 2, 4",
    "cube, 16, 4, 7",
    "star, 1, 0, 0",
  })
  void aNamedTreeHasItsHeightAndDiameter(String name, int nodes, int height, int diameter) {
    Tree tree = named(name, nodes);
    assertThat(tree.nodes()).isEqualTo(nodes);
    assertThat(tree.height()).isEqualTo(height);
    assertThat(tree.diameter()).isEqualTo(diameter);
    assertThat(Tree.parse(tree.toString()).fathers()).isEqualTo(tree.fathers());
  }

  @Test
  void theCanonicalOpenCubeIsThatOfThePaper() {
    assertThat(named("cube", 16))
        .hasToString("2>1 4>3>1 6>5>1 8>7>5 10>9>1 12>11>9 14>13>9 16>15>13");
  }

  @Test
  void randomTreesDifferBySeedAndAreTrees() {
    Tree one = Tree.named("random", 20, new Generator(1));
    Tree other = Tree.named("random", 20, new Generator(2));
    assertThat(one.toString()).isNotEqualTo(other.toString());
    assertThat(Tree.parse(one.toString()).root()).isEqualTo(one.root());
  }

  @Test
  void thereAreAsManyTreesAsCayleySays() {
    assertThat(Tree.all(1)).hasSize(1);
    assertThat(Tree.all(3)).hasSize(3);
    assertThat(Tree.all(4)).hasSize(16);
    assertThat(Tree.all(5)).hasSize(125);
  }

  @Test
  void aTreeComesFromAFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("tree");
    Files.writeString(file, "# mine\n4>2>1\n3>1\n");
    assertThat(named(file.toString(), 4).father(3)).isEqualTo(1);
    assertThatThrownBy(() -> named(file.toString(), 5))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("has 4 nodes, not 5");
  }

  @ParameterizedTest
  @CsvSource({
    "1>2>1, cycle",
    "2>1 3>4>5>3, cycle through node",
    "2>1 2>3 3>1, two fathers",
    "2>1 4>3, two roots",
    "3>1, no node 2",
    "2>x, no node",
    "0>1, no node",
    "'', no node"
  })
  void whatIsNoTreeIsRefusedWithTheReason(String chains, String reason) {
    assertThatThrownBy(() -> Tree.parse(chains))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource({"pine, 4", "balanced:0, 4", "balanced:x, 4", "star, 0", "star, -3"})
  void whatCannotBeBuiltIsRefused(String name, int nodes) {
    assertThatThrownBy(() -> named(name, nodes)).isInstanceOf(BadInputException.class);
  }
}
