package io.baton.algorithms;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.net.Socket;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The algorithms depend on a list of classes that know no thread, clock, socket, logger, source of
 * randomness or order of hashes, and on nothing else.
 */
class PurityTest {
  private static final Set<String> PURE =
      Set.of(
          "java.lang.Object",
          "java.lang.String",
          "java.lang.StringBuilder",
          "java.lang.CharSequence",
          "java.lang.Class", // for its name in an error
          "java.lang.Boolean",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Math",
          "java.lang.Enum",
          "java.lang.Record",
          "java.lang.Override",
          "java.lang.FunctionalInterface",
          "java.lang.NoSuchFieldError", // the compiler's, in a switch over an enum
          "java.lang.MatchException",
          "java.lang.IllegalArgumentException",
          "java.lang.IllegalStateException",
          "java.lang.IncompatibleClassChangeError",
          "java.lang.IndexOutOfBoundsException",
          "java.lang.invoke.MethodHandle", // the compiler's, in records and lambdas
          "java.lang.invoke.MethodHandles",
          "java.lang.invoke.MethodHandles$Lookup",
          "java.lang.invoke.TypeDescriptor",
          "java.lang.runtime.ObjectMethods",
          "java.util.ArrayList",
          "java.util.Arrays",
          "java.util.BitSet",
          "java.util.Collection", // no Set or Map: what they make is in the order of hashes
          "java.util.Comparator",
          "java.util.Iterator", // in a loop over a list
          "java.util.List",
          "java.util.Objects",
          "java.util.SortedMap",
          "java.util.SortedSet",
          "java.util.TreeMap",
          "java.util.TreeSet",
          "java.util.function.BiConsumer",
          "java.util.function.Consumer",
          "java.util.function.Function",
          "java.util.function.IntFunction",
          "java.util.function.IntPredicate",
          "java.util.function.IntUnaryOperator",
          "java.util.function.Predicate",
          "java.util.stream.IntStream",
          "java.util.stream.Stream",
          "org.jspecify.annotations.NullMarked",
          "org.jspecify.annotations.Nullable");

  private static final ArchRule DEPENDS_ON_PURE_CLASSES =
      classes()
          .should()
          .onlyDependOnClassesThat(describe("are pure", PurityTest::isPure))
          .because("an algorithm knows no thread, clock, socket, logger, randomness or hash order");

  private static final ArchRule DRAWS_NOTHING =
      noClasses().should().callMethod(Math.class, "random");

  private static boolean isPure(JavaClass dependency) {
    JavaClass base = dependency.getBaseComponentType();
    return base.isPrimitive()
        || base.getPackageName().equals("io.baton.algorithms")
        || PURE.contains(base.getFullName());
  }

  @Test
  void theAlgorithmsArePure() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.baton.algorithms");
    assertThat(all).isNotEmpty();
    DEPENDS_ON_PURE_CLASSES.check(all);
    DRAWS_NOTHING.check(all);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        UsesAThread.class,
        ReadsTheClock.class,
        OpensASocket.class,
        Logs.class,
        Draws.class,
        DrawsQuietly.class,
        IteratesByHash.class,
        IteratesASetByHash.class
      })
  void anImpureClassIsNoticed(Class<?> impure) {
    JavaClasses one = new ClassFileImporter().importClasses(impure);
    assertThatThrownBy(
            () -> {
              DEPENDS_ON_PURE_CLASSES.check(one);
              DRAWS_NOTHING.check(one);
            })
        .isInstanceOf(AssertionError.class);
  }

  static final class UsesAThread {
    boolean interrupted() {
      return Thread.currentThread().isInterrupted();
    }
  }

  static final class ReadsTheClock {
    long now() {
      return System.nanoTime();
    }
  }

  static final class OpensASocket {
    Class<?> socket() {
      return Socket.class;
    }
  }

  static final class Logs {
    Logger logger() {
      return Logger.getLogger("x");
    }
  }

  static final class Draws {
    int draw() {
      return new Random(1).nextInt();
    }
  }

  static final class DrawsQuietly {
    double draw() {
      return Math.random();
    }
  }

  static final class IteratesByHash {
    Iterable<String> keys() {
      return new HashMap<String, String>().keySet();
    }
  }

  static final class IteratesASetByHash {
    Iterable<String> keys() {
      return new HashSet<String>();
    }
  }
}
