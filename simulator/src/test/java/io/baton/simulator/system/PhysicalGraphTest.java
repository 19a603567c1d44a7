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
import org.junit.jupiter.params.provider.ValueSource;

class PhysicalGraphTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"ring", "complete", "grid", "tree", "random", "small-world", "scale-free"})
  void aNamedGraphIsConnectedAndDependsOnTheSeedAlone(String name) {
    PhysicalGraph graph = PhysicalGraph.named(name, 24, new Generator(5));
    assertThat(graph.nodes()).isEqualTo(24);
    assertThat(PhysicalGraph.named(name, 24, new Generator(5))).hasToString(graph.toString());
    assertThat(PhysicalGraph.parse(graph.toString(), 24)).hasToString(graph.toString());
    Tree tree = graph.spanningTree(0);
    for (int i = 1; i < 24; i++) {
      assertThat(graph.linked(i, tree.father(i))).isTrue();
    }
  }

  @Test
  void hopsAreShortestPaths() {
    PhysicalGraph ring = PhysicalGraph.named("ring", 8, new Generator(1));
    assertThat(ring.hops(0, 4)).isEqualTo(4);
    assertThat(ring.hops(7, 1)).isEqualTo(2);
    assertThat(ring.hops(3, 3)).isZero();
  }

  @Test
  void aGraphComesFromAnEdgeListOrGraphMl(@TempDir Path folder) throws IOException {
    Path list = folder.resolve("list");
    Files.writeString(list, "# a path\n1 2\n2, 3\n3-4\n");
    Path xml = folder.resolve("graph.graphml");
    Files.writeString(
        xml,
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
          <graph edgedefault="undirected">
            <node id="1"/><node id="2"/><node id="3"/><node id="4"/>
            <edge source="1" target="2"/><edge source="2" target="3"/>
            <edge source="3" target="4"/>
          </graph>
        </graphml>
        """);
    for (Path file : new Path[] {list, xml}) {
      assertThat(PhysicalGraph.named(file.toString(), 4, new Generator(1)))
          .hasToString("1-2 2-3 3-4");
    }
  }

  @ParameterizedTest
  @CsvSource({"1-2 3-4, not connected", "1-9, no link", "1-2-3, no link", "a-b, no link"})
  void whatIsNoGraphIsRefusedWithTheReason(String links, String reason) {
    assertThatThrownBy(() -> PhysicalGraph.parse(links, 4))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void unreadableFilesAndImpossibleGridsAreRefused(@TempDir Path folder) throws IOException {
    Path torn = folder.resolve("torn.graphml");
    Files.writeString(torn, "<graphml><graph><node id=");
    assertThatThrownBy(() -> PhysicalGraph.named(torn.toString(), 4, new Generator(1)))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("cannot be read");
    assertThatThrownBy(() -> PhysicalGraph.named("grid", 13, new Generator(1)))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("rows times columns");
    assertThatThrownBy(() -> PhysicalGraph.named("cloud", 4, new Generator(1)))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("neither a graph nor a file");
  }
}
