package io.baton;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users see is {@code io.baton} alone. */
class ApiTest {
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.baton");

  private static Stream<JavaClass> types(JavaMember member) {
    return member.getAllInvolvedRawTypes().stream().map(JavaClass::getBaseComponentType);
  }

  @Test
  void thePublicMethodsSpeakOfJavaAndOfTheApiOnly() {
    List<JavaCodeUnit> shown =
        ALL.stream()
            .filter(type -> type.getPackageName().equals("io.baton"))
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(type -> type.getCodeUnits().stream())
            .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
            .toList();
    assertThat(shown).hasSizeGreaterThan(50);
    assertThat(shown.stream().flatMap(ApiTest::types))
        .allMatch(
            type ->
                type.isPrimitive()
                    || type.getPackageName().startsWith("java.")
                    || type.getPackageName().equals("io.baton"));
  }
}
