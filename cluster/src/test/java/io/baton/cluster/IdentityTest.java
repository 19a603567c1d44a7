package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  @Test
  void whatCannotBeWrittenHasNotHappened() throws IOException {
    try (Identity identity = open()) {
      Files.createDirectory(folder.resolve("identity.properties.new")); // in its way
      assertThatThrownBy(identity::vote).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> identity.adopt(CLUSTER)).isInstanceOf(IOException.class);
      assertThat(identity.votes()).isFalse();
      assertThat(identity.belongs()).isFalse();
      Files.delete(folder.resolve("identity.properties.new"));
      identity.vote();
      assertThat(identity.votes()).isTrue();
    }
  }

  @Test
  void aFolderIsFreeAgainWhateverWentWrongWithIt() throws IOException {
    Path lock = folder.resolve("lock");
    Files.createDirectory(lock);
    assertThatThrownBy(this::open).isInstanceOf(IOException.class);
    Files.delete(lock);
    try (Identity identity = open()) {
      assertThat(identity.id()).startsWith("m-");
      for (Path path : List.of(lock, folder.resolve("identity.properties"), folder)) {
        Files.delete(path); // while it is in use
      }
    }
    try (Identity anew = open()) {
      assertThat(anew.belongs()).isFalse();
    }
  }

  @Test
  void whoHasClosedAFolderChangesNothingInIt() throws IOException {
    Identity closed = open();
    closed.close();
    Files.createDirectories(closed.log());
    assertThatThrownBy(closed::clearLog).hasMessageContaining("is closed");
    assertThatThrownBy(closed::vote).hasMessageContaining("is closed");
    assertThat(closed.log()).exists();
  }

  /** Whether another process gets the lock of the folder; by a program of one class. */
  static final class Intruder {
    private Intruder() {}

    public static void main(String[] args) throws IOException {
      try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
        System.out.print(channel.tryLock() == null ? "refused" : "got in");
      }
    }
  }

  private String intrude() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Intruder.class.getName(),
                folder.resolve("lock").toString())
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  @Test
  void aSecondOpeningByAnotherPathOrClassLoaderIsRefusedAndTheFirstKeepsItsLock(
      @TempDir Path elsewhere) throws Exception {
    try (Identity first = open()) {
      Path link = Files.createSymbolicLink(elsewhere.resolve("link"), folder);
      assertThatThrownBy(() -> Identity.open(link, "c", "m")).hasMessageContaining("is in use");
      assertThatThrownBy(this::openByAnotherLoader).hasMessageContaining("is in use");
      assertThat(intrude()).isEqualTo("refused");
      assertThat(first.belongs()).isFalse();
    }
    assertThat(intrude()).as("as long as this process lives").isEqualTo("refused");
    try (Identity again = open()) {
      assertThat(again.id()).startsWith("m-");
    }
  }

  private void openByAnotherLoader() throws Throwable {
    List<URL> urls = new ArrayList<>();
    for (String part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(part).toUri().toURL());
    }
    ClassLoader parent = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader other = new URLClassLoader(urls.toArray(URL[]::new), parent)) {
      Method open =
          other
              .loadClass(Identity.class.getName())
              .getDeclaredMethod("open", Path.class, String.class, String.class);
      open.setAccessible(true);
      open.invoke(null, folder, "c", "m");
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void addressesOfAnOlderViewDoNotReplaceNewerOnes() throws IOException {
    try (Identity identity = open()) {
      identity.remember(7, Map.of("a", "new:1"));
      identity.remember(6, Map.of("a", "old:1", "b", "old:2"));
      assertThat(identity.addresses()).containsExactly(Map.entry("a", "new:1"));
    }
  }
}
