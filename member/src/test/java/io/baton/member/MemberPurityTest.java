package io.baton.member;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member knows no thread, clock, socket, file, logger, randomness or order of hashes. */
class MemberPurityTest {
  private static final List<String> IMPURE =
      List.of(
          "java.lang.Thread",
          "java.lang.System",
          "java.lang.Runtime",
          "java.lang.Process",
          "java.util.Random",
          "java.util.UUID",
          "java.util.HashMap",
          "java.util.HashSet",
          "java.util.concurrent.",
          "java.util.logging.",
          "java.time.",
          "java.net.",
          "java.nio.",
          "java.io.",
          "org.slf4j.");

  private static final ArchRule KNOWS_NOTHING_IMPURE =
      noClasses()
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are impure",
                  (JavaClass other) ->
                      IMPURE.stream()
                          .anyMatch(
                              name ->
                                  name.endsWith(".")
                                      ? other.getName().startsWith(name)
                                      : other.getName().equals(name))));

  @Test
  void aMemberIsPure() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.baton.member");
    assertThat(all).hasSizeGreaterThan(20);
    KNOWS_NOTHING_IMPURE.check(all);
  }

  @ParameterizedTest
  @ValueSource(classes = {ReadsTheClock.class, IteratesByHash.class})
  void anImpureClassIsNoticed(Class<?> impure) {
    JavaClasses one = new ClassFileImporter().importClasses(impure);
    assertThatThrownBy(() -> KNOWS_NOTHING_IMPURE.check(one)).isInstanceOf(AssertionError.class);
  }

  static final class ReadsTheClock {
    long now() {
      return System.nanoTime();
    }
  }

  static final class IteratesByHash {
    Iterable<String> keys() {
      return new HashMap<String, String>().keySet();
    }
  }
}
