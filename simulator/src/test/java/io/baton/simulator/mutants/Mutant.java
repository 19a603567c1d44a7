package io.baton.simulator.mutants;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.GeneralScheme;
import io.baton.algorithms.Policy;
import io.baton.algorithms.RingSetup;
import io.baton.algorithms.Rule;
import io.baton.simulator.random.Ticks;
import io.baton.simulator.system.Catalogue;
import io.baton.simulator.system.SystemSpec;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A planted bug: the sources of an algorithm with one piece of text replaced, compiled under other
 * names beside the original.
 *
 * @param family the sources, and how a node is made
 * @param line the margin number of the line to change, such as {@code (7)}, {@code before (18)} for
 *     the line above, or "" for a text that occurs once
 * @param bug what the change amounts to, in words
 * @param caughtBy the invariant that must notice
 */
record Mutant(Family family, String line, String from, String to, String bug, String caughtBy) {
  private static final Path SOURCES = Path.of("../algorithms/src/main/java/io/baton/algorithms");
  private static final AtomicInteger COUNT = new AtomicInteger();

  /**
   * An algorithm and the sources it is made of, superclasses first.
   *
   * @param parameters of the constructor
   * @param arguments for them
   */
  record Family(List<String> classes, List<Class<?>> parameters, Arguments arguments) {
    String main() {
      return classes.get(classes.size() - 1);
    }
  }

  /** What a node is made with. */
  interface Arguments {
    List<Object> of(int i, SystemSpec spec, Rule rule, Policy policy);
  }

  /** The general scheme. */
  static final Family SCHEME =
      new Family(
          List.of("RequestServer", "GeneralScheme"),
          List.of(int.class, int.class, Rule.class, Policy.class),
          (i, spec, rule, policy) -> List.of(i, spec.tree().father(i), rule, policy));

  /** The repaired open cube. */
  static final Family CUBE =
      new Family(
          List.of("RequestServer", "OpenCubeServer", "OpenCubeFt"),
          List.of(int.class, int.class, int.class, long.class, long.class, Policy.class),
          (i, spec, rule, policy) ->
              List.of(
                  i, spec.tree().father(i), spec.nodes(), Ticks.PER_UNIT, Ticks.PER_UNIT, policy));

  /** The several-token ring. */
  static final Family RING =
      new Family(
          List.of("Ring"),
          List.of(int.class, RingSetup.class),
          (i, spec, rule, policy) -> List.of(i, spec.ring()));

  /** The arbitrary network. */
  static final Family NETWORK =
      new Family(
          List.of("Network"),
          List.of(int.class, List.class, boolean.class, int.class),
          (i, spec, rule, policy) ->
              List.of(
                  i,
                  Objects.requireNonNull(spec.graph()).neighbours(i),
                  spec.tree().root() == i,
                  spec.nodes()));

  @Override
  public String toString() {
    return bug + (line.isEmpty() ? "" : " " + line);
  }

  /** The mutant as something that makes nodes. */
  Catalogue.NodeMaker compile() {
    String suffix = "Mutant" + COUNT.incrementAndGet();
    Map<String, String> sources = new TreeMap<>();
    int changed = 0;
    for (String name : family.classes()) {
      String original = InMemory.read(SOURCES.resolve(name + ".java"));
      String mutated = mutate(original);
      changed += mutated.equals(original) ? 0 : 1;
      for (String each : family.classes()) {
        mutated = mutated.replaceAll("\\b" + each + "\\b", each + suffix);
      }
      sources.put("io/baton/algorithms/" + name + suffix, mutated);
    }
    if (changed != 1) {
      throw new IllegalStateException("Mutant \"" + this + "\" does not fit the sources any more");
    }
    return maker(define(InMemory.compile(sources), suffix));
  }

  private String mutate(String source) {
    List<String> lines = new ArrayList<>(source.lines().toList());
    int changed = 0;
    for (int k = 0; k < lines.size(); k++) {
      String text = lines.get(k);
      String numbered =
          line.startsWith("before ") ? lines.get(Math.min(k + 1, lines.size() - 1)) : text;
      if (text.contains(from)
          && (line.isEmpty() || numbered.endsWith("// " + line.replace("before ", "")))) {
        lines.set(k, text.replace(from, to));
        changed++;
      }
    }
    if (changed > 1) {
      throw new IllegalStateException("Mutant \"" + this + "\" fits " + changed + " lines");
    }
    return String.join("\n", lines) + "\n";
  }

  /** Defines the classes in the package of the original, superclass and helpers first. */
  private Class<?> define(Map<String, byte[]> classes, String suffix) {
    List<String> order = new ArrayList<>(classes.keySet());
    order.sort(
        Comparator.comparing(
            name -> family.classes().indexOf(name.replaceFirst(".*\\.(\\w+)" + suffix, "$1"))));
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(GeneralScheme.class, MethodHandles.lookup());
      Class<?> last = GeneralScheme.class;
      for (String name : order) {
        last = lookup.defineClass(Objects.requireNonNull(classes.get(name)));
      }
      return last;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private Catalogue.NodeMaker maker(Class<?> mutant) {
    try {
      Constructor<?> constructor =
          mutant.getConstructor(family.parameters().toArray(Class<?>[]::new));
      return (i, spec, rule, policy) -> {
        try {
          return (Algorithm)
              constructor.newInstance(family.arguments().of(i, spec, rule, policy).toArray());
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
      };
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }
}
