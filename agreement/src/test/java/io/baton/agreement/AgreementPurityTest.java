package io.baton.agreement;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** A voter knows no thread, clock, socket, file, logger, randomness or order of hashes. */
class AgreementPurityTest {
  @Test
  void aVoterIsPure() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.baton.agreement");
    assertThat(all).hasSizeGreaterThan(10);
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.lang\\.(Thread|System|Runtime|Process)|java\\.util\\.(Random|UUID|HashMap|HashSet)"
                + "|java\\.util\\.(concurrent|logging)\\..*|java\\.(time|net|nio|io)\\..*|org\\.slf4j\\..*")
        .check(all);
  }
}
