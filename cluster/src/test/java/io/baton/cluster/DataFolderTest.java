package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Publication;
import io.baton.member.ClusterState;
import io.baton.member.Newcomer;
import io.baton.member.Shape;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a member keeps of itself. */
class DataFolderTest {
  private static final UUID CLUSTER = UUID.fromString("00000000-0000-0000-0000-00000000002a");

  private static final Durable STATE =
      new Durable(
          CLUSTER.toString(),
          3,
          new Publication(
              2,
              7,
              ClusterState.founded(
                  Shape.CUBE, List.of(new Newcomer("m-1", "host:1", 5)), false, 99),
              Configuration.of("m-1", "m-2", "m-3")),
          Configuration.of("m-1"),
          6,
          100);

  private final Path folder;

  DataFolderTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private DataFolder open() throws IOException {
    return DataFolder.open(folder, "c", "m", true);
  }

  @Test
  void aFolderThatWasSetBackToAnOlderCopyDoesNotRepeatARun() throws IOException {
    try (DataFolder first = open()) {
      assertThat(first.run()).isPositive();
    }
    Path file = folder.resolve("member.properties");
    Path copy = folder.resolve("copy");
    Files.copy(file, copy);
    long second;
    try (DataFolder again = open()) {
      second = again.run();
    }
    long then = System.currentTimeMillis();
    while (System.currentTimeMillis() <= then) {
      Thread.onSpinWait();
    }
    Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
    DataFolder.accept(folder);
    try (DataFolder setBack = open()) {
      assertThat(setBack.run()).isGreaterThan(second);
    }
  }

  @Test
  void whatCannotBeWrittenHasNotHappened() throws IOException {
    try (DataFolder data = open()) {
      Files.createDirectory(folder.resolve("member.properties.new")); // in its way
      assertThatThrownBy(() -> data.store(STATE)).isInstanceOf(IOException.class);
      assertThat(data.belongs()).isFalse();
      assertThat(data.register()).isEqualTo(Durable.NONE);
      Files.delete(folder.resolve("member.properties.new"));
      data.store(STATE);
      assertThat(data.clusterId()).isEqualTo(CLUSTER);
    }
    try (DataFolder again = open()) {
      assertThat(again.register()).isEqualTo(STATE);
    }
  }

  /** Whatever is cut off, or has a bit flipped, is refused, and nothing is written over it. */
  @Test
  void aDamagedFileIsRefusedAndNeverTakenForNone() throws IOException {
    try (DataFolder data = open()) {
      data.store(STATE);
    }
    Path file = folder.resolve("member.properties");
    byte[] sound = Files.readAllBytes(file);
    for (int at = 0; at < sound.length; at++) {
      byte[] flipped = sound.clone();
      flipped[at] ^= 1;
      assertRefused(file, flipped);
      assertRefused(file, Arrays.copyOf(sound, at));
    }
    Files.write(file, sound);
    try (DataFolder again = open()) {
      assertThat(again.register()).isEqualTo(STATE);
    }
  }

  private void assertRefused(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    assertThatThrownBy(this::open).hasMessageContaining("damaged");
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
  }

  /** Numbers of files alone would not tell: a file system gives one that became free out again. */
  @Test
  void whatWasPutBackFromACopyIsNoticedThoughItHasTheSameNumber() throws IOException {
    Path file = folder.resolve("member.properties");
    for (int k = 0; k < 6; k++) {
      open().close();
      Path copy = Files.copy(file, folder.resolve("copy"), StandardCopyOption.COPY_ATTRIBUTES);
      try (DataFolder data = open()) {
        data.store(STATE);
      }
      byte[] old = Files.readAllBytes(copy);
      Files.delete(copy);
      Files.delete(file);
      Files.write(file, old); // likely with the number of before
      assertThatThrownBy(this::open).hasMessageContaining("restored from a backup");
      DataFolder.accept(folder);
    }
  }

  /** The process that had the original may live, and hold something. */
  @Test
  void whoAcceptsACopyProvesNoDeath() throws IOException {
    open().close();
    Path file = folder.resolve("member.properties");
    assertThat(Files.readString(file)).doesNotContain("boot=\n");
    DataFolder.accept(folder);
    assertThat(Files.readString(file)).contains("boot=\n");
  }

  @Test
  void aFileOfALaterVersionIsRefusedInWords() throws IOException {
    open().close();
    Path file = folder.resolve("member.properties");
    String text = Files.readString(file).replace("format=1", "format=2");
    String before = text.substring(0, text.lastIndexOf("checksum="));
    CRC32C checksum = new CRC32C();
    checksum.update(before.getBytes(StandardCharsets.UTF_8));
    Files.writeString(file, before + "checksum=%08x%n".formatted(checksum.getValue()));
    assertThatThrownBy(this::open)
        .hasMessageContaining("has format 2, and this version of Baton knows format 1");
  }

  @Test
  void aFolderOfAnEarlierVersionIsRefusedWithWhatToDo() throws IOException {
    Files.writeString(folder.resolve("identity.properties"), "id=m-1\n");
    assertThatThrownBy(this::open)
        .hasMessageContaining("earlier version of Baton")
        .hasMessageContaining("give each an empty folder");
    assertThat(folder.resolve("member.properties")).doesNotExist();
  }

  @Test
  void aFolderThatWasCopiedDoesNotVoteUntilAnOperatorAgrees(@TempDir Path copy) throws IOException {
    try (DataFolder data = open()) {
      data.store(STATE);
    }
    Files.copy(folder.resolve("member.properties"), copy.resolve("member.properties"));
    Files.createFile(copy.resolve("lock"));
    assertThatThrownBy(() -> DataFolder.open(copy, "c", "m", true))
        .hasMessageContaining("was copied, or restored from a backup")
        .hasMessageContaining("baton voters accept");
    DataFolder.accept(copy);
    try (DataFolder accepted = DataFolder.open(copy, "c", "m", true)) {
      assertThat(accepted.register()).isEqualTo(STATE);
      assertThat(accepted.deadSince()).as("and proves nothing").isEqualTo(accepted.run());
    }
  }

  /** R27: another process of the same machine, and not another life in the same process. */
  @Test
  void aSecondLifeInOneProcessProvesNothingOfTheFirst() throws IOException {
    try (DataFolder first = open()) {
      assertThat(first.deadSince()).isEqualTo(first.run());
    }
    try (DataFolder second = open()) {
      assertThat(second.deadSince()).isEqualTo(second.run());
    }
  }

  @Test
  void aFolderIsFreeAgainWhateverWentWrongWithIt() throws IOException {
    Path lock = folder.resolve("lock");
    Files.createDirectory(lock);
    assertThatThrownBy(this::open).isInstanceOf(IOException.class);
    Files.delete(lock);
    try (DataFolder data = open()) {
      assertThat(data.id()).startsWith("m-");
      for (Path path : List.of(lock, folder.resolve("member.properties"), folder)) {
        Files.delete(path); // while it is in use
      }
    }
    try (DataFolder anew = open()) {
      assertThat(anew.belongs()).isFalse();
    }
  }

  @Test
  void whoHasClosedAFolderChangesNothingInIt() throws IOException {
    DataFolder closed = open();
    closed.close();
    assertThatThrownBy(() -> closed.store(STATE)).hasMessageContaining("is closed");
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
    try (DataFolder first = open()) {
      Path link = Files.createSymbolicLink(elsewhere.resolve("link"), folder);
      assertThatThrownBy(() -> DataFolder.open(link, "c", "m", true))
          .hasMessageContaining("is in use");
      assertThatThrownBy(this::openByAnotherLoader).hasMessageContaining("is in use");
      assertThat(intrude()).isEqualTo("refused");
      assertThat(first.belongs()).isFalse();
    }
    assertThat(intrude()).as("as long as this process lives").isEqualTo("refused");
    try (DataFolder again = open()) {
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
              .loadClass(DataFolder.class.getName())
              .getDeclaredMethod("open", Path.class, String.class, String.class, boolean.class);
      open.setAccessible(true);
      open.invoke(null, folder, "c", "m", true);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void addressesOfAnOlderViewDoNotReplaceNewerOnes() throws IOException {
    try (DataFolder data = open()) {
      data.remember(7, Map.of("a", "new:1"));
      data.remember(6, Map.of("a", "old:1", "b", "old:2"));
      assertThat(data.addresses()).containsExactly(Map.entry("a", "new:1"));
    }
  }
}
