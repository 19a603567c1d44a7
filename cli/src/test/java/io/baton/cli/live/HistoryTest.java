package io.baton.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.cli.live.FencedFile.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of a history finds what is wrong. */
class HistoryTest {
  private final Path folder;

  HistoryTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private void diary(String process, String... lines) throws IOException {
    Files.writeString(folder.resolve(process + ".diary"), String.join("\n", lines) + "\n");
  }

  private void store(long... fences) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(fences.length * Long.BYTES);
    for (long fence : fences) {
      bytes.putLong(fence);
    }
    Files.write(folder.resolve("x.store"), bytes.array());
  }

  @Test
  void holdsOneAfterTheOtherAreRight() throws IOException {
    diary("a", "joined 1 a-1", "grant 10 x 1 5", "end 21 x 1 20 released", "letters 22 7");
    diary("b", "joined 1 b-1", "grant 20 x 2 15", "end 31 x 2 30 released", "letters 33 4");
    store(1, 1, 2);
    History history = History.of(folder);
    assertThat(history.violations()).isEmpty();
    assertThat(history.holds()).hasSize(2);
    assertThat(history.handOvers()).isOne();
    assertThat(history.letters()).isEqualTo(11);
    assertThat(history.longestWait()).isEqualTo(15);
    assertThat(history.nextGrant("x", 1)).hasValue(20);
  }

  @Test
  void holdsThatOverlapAreFound() throws IOException {
    diary("a", "joined 1 a-1", "grant 10 x 1 5", "end 25 x 1 21 released");
    diary("b", "joined 1 b-1", "grant 20 x 2 15", "end 31 x 2 30 released");
    assertThat(History.of(folder).violations()).singleElement().asString().contains("overlap");
  }

  @Test
  void aLaterGrantWithASmallerFenceIsFound() throws IOException {
    diary("a", "joined 1 a-1", "grant 10 x 2 5", "end 15 x 2 14 released");
    diary("b", "joined 1 b-1", "grant 20 x 1 15", "end 31 x 1 30 released");
    assertThat(History.of(folder).violations()).singleElement().asString().contains("overlap");
  }

  @Test
  void oneFenceForTwoHoldsIsFound() throws IOException {
    diary("a", "joined 1 a-1", "grant 10 x 1 5", "end 15 x 1 14 released");
    diary("b", "joined 1 b-1", "grant 20 x 1 15", "end 31 x 1 30 released");
    assertThat(History.of(folder).violations()).singleElement().asString().contains("one fence");
  }

  @Test
  void aFileThatWentBackIsFound() throws IOException {
    store(1, 3, 2);
    assertThat(History.of(folder).violations())
        .singleElement()
        .asString()
        .contains("went back from fence 3 to 2");
  }

  @Test
  void aClientThatBrokeIsFound() throws IOException {
    diary("a", "joined 1 a-1", "broken 5 java.lang.Error");
    assertThat(History.of(folder).violations()).singleElement().asString().contains("broke");
  }

  @Test
  void twoLeadersAtOnceAreFound() throws IOException {
    diary("a", "joined 1 a-1", "elected 10 leader 1", "revoked 25 leader 1 21 PARTITIONED");
    diary("b", "joined 1 b-1", "elected 20 leader 2", "revoked 31 leader 2 30 CLOSED");
    History history = History.of(folder);
    assertThat(history.violations()).singleElement().asString().contains("overlap");
    assertThat(history.elections()).isEqualTo(2);
  }

  @Test
  void aLeaderThatIsElectedTwiceWithoutBeingToldOfTheEndIsFound() throws IOException {
    diary("a", "joined 1 a-1", "elected 10 leader 1", "elected 20 leader 2");
    assertThat(History.of(folder).violations()).singleElement().asString().contains("was elected");
    diary("a", "joined 1 a-1", "elected 10 leader 1", "joined 20 a-1", "elected 30 leader 2");
    assertThat(History.of(folder).violations()).as("it was killed in between").isEmpty();
  }

  @Test
  void aLeaderThatIsRevokedWithoutBeingElectedIsFound() throws IOException {
    diary("a", "joined 1 a-1", "revoked 25 leader 1 21 CLOSED");
    assertThat(History.of(folder).violations())
        .singleElement()
        .asString()
        .contains("was not elected");
  }

  @Test
  void aFreeLockThatNobodyWinsForLongIsFound() throws IOException {
    long second = 1_000_000_000L;
    diary("a", "joined 1 a-1", "grant 10 t 1 5", "end 25 t 1 20 released", "failed 22 t 12");
    diary("b", "failed " + 2 * second + " t " + second, "failed " + 40 * second + " t 39000000000");
    History history = History.of(folder, 30 * second);
    assertThat(history.violations()).singleElement().asString().contains("nobody won");
    assertThat(history.longestUnwon()).isEqualTo(39 * second);
    assertThat(history.tries()).isEqualTo(4);
    assertThat(history.triesWon()).isOne();
    diary("c", "joined 1 c-1", "grant " + 20 * second + " t 2 5", "end 21000000000 t 2 1 released");
    assertThat(History.of(folder, 30 * second).violations()).as("one won it in between").isEmpty();
  }

  @Test
  void whatAKilledProcessWroteLastCounts() throws IOException {
    Files.writeString(folder.resolve("a.diary"), "joined 1 a-1\ngrant 10 x 1 5\nend 2");
    diary("b", "joined 1 b-1", "grant 20 x 2 15", "end 31 x 2 30 released");
    History history = History.of(folder);
    assertThat(history.violations()).isEmpty();
    assertThat(history.holds()).hasSize(2);
  }

  @Test
  void aFencedFileRefusesAnOlderHolder() throws IOException {
    FencedFile file = new FencedFile(folder.resolve("y.store"));
    assertThat(file.append(5)).isEqualTo(Answer.WRITTEN);
    assertThat(file.append(5)).isEqualTo(Answer.WRITTEN);
    assertThat(file.append(7)).isEqualTo(Answer.WRITTEN);
    assertThat(file.append(6)).isEqualTo(Answer.STALE);
    assertThat(History.of(folder).violations()).isEmpty();
  }

  @Test
  void nobodyWaitsForAProcessThatWasStoppedWhileItWrote() throws Exception {
    Path path = folder.resolve("z.store");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process writer =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                "" + path)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(writer.inputReader().readLine()).isEqualTo("writing");
      FencedFile file = new FencedFile(path);
      assertThat(file.append(5)).isEqualTo(Answer.BUSY);
      writer.destroyForcibly().waitFor();
      assertThat(file.append(5)).isEqualTo(Answer.WRITTEN);
    } finally {
      writer.destroyForcibly();
    }
  }

  /** A process that keeps a file for itself, until it is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      try (FileChannel file =
              FileChannel.open(
                  Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = file.lock()) {
        System.out.println(lock.isValid() ? "writing" : "");
        System.in.read(); // nothing comes
      }
    }
  }
}
