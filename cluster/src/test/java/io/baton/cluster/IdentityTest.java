package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a member keeps of itself. */
class IdentityTest {
  private static final UUID CLUSTER = UUID.fromString("00000000-0000-0000-0000-00000000002a");

  private final Path folder;

  IdentityTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Identity open() throws IOException {
    return Identity.open(folder, "c", "m");
  }

  @Test
  void aFolderThatWasSetBackToAnOlderCopyDoesNotRepeatARun() throws IOException {
    try (Identity first = open()) {
      assertThat(first.run()).isPositive();
    }
    Path file = folder.resolve("identity.properties");
    Path copy = folder.resolve("copy");
    Files.copy(file, copy);
    long second;
    try (Identity again = open()) {
      second = again.run();
    }
    long then = System.currentTimeMillis();
    while (System.currentTimeMillis() <= then) {
      Thread.onSpinWait();
    }
    Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
    try (Identity setBack = open()) {
      assertThat(setBack.run()).isGreaterThan(second);
    }
  }

  @Test
  void aFounderStartsItsLogAnewUntilItHasBegun() throws IOException {
    try (Identity founder = open()) {
      assertThat(founder.isStillToFound()).isFalse();
      founder.found(CLUSTER, List.of(founder.id()));
    }
    try (Identity killed = open()) {
      assertThat(killed.isStillToFound()).as("before it voted").isTrue();
      killed.vote();
      Files.createDirectories(killed.log());
      Files.createFile(killed.log().resolve("floor"));
    }
    try (Identity killed = open()) {
      assertThat(killed.isStillToFound()).as("before its log began").isTrue();
      killed.clearLog();
      Files.createDirectories(killed.log().resolve(CLUSTER + "/current"));
      Files.createFile(killed.log().resolve(CLUSTER + "/current/raft-meta.conf"));
    }
    try (Identity killed = open()) {
      assertThat(killed.isStillToFound()).as("after it began").isFalse();
    }
  }
}
