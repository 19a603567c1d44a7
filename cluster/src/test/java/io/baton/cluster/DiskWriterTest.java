package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Publication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a voter says waits for its disk; nothing else does. */
@Timeout(60)
class DiskWriterTest {
  private final Path folder;
  private final DataFolder data;
  private final DiskWriter disk;

  DiskWriterTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    this.data = DataFolder.open(folder, "c", "m", true);
    this.disk = new DiskWriter(data);
  }

  @AfterEach
  void close() {
    disk.close();
    data.close();
  }

  private static Durable ofTerm(long term) {
    return new Durable("one", term, Publication.NONE, Configuration.NONE, 0, 0);
  }

  private void write(long term, CountDownLatch done) {
    disk.write(ofTerm(term), term, done::countDown);
  }

  @Test
  void anOlderStateNeverTakesThePlaceOfANewerOneThoughItComesLater() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    write(2, second);
    assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
    CountDownLatch first = new CountDownLatch(1);
    write(1, first);
    assertThat(first.await(30, TimeUnit.SECONDS)).as("a later one is there for good").isTrue();
    assertThat(data.register()).isEqualTo(ofTerm(2));
    CountDownLatch both = new CountDownLatch(2);
    disk.execute(
        () -> { // they come while the disk is at work
          write(4, both);
          write(3, both);
        });
    assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(data.register()).isEqualTo(ofTerm(4));
  }

  private boolean isWaitingToTryAgain() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("baton-disk-" + data.id()))
        .anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void aWriteThatFailsIsTriedAgainAndDoneOnlyThen() throws Exception {
    Path inTheWay = Files.createDirectory(folder.resolve("member.properties.new"));
    CountDownLatch done = new CountDownLatch(1);
    write(1, done);
    while (!isWaitingToTryAgain()) {
      Thread.onSpinWait();
    }
    assertThat(done.getCount()).as("not done").isOne();
    assertThat(data.register()).isEqualTo(Durable.NONE);
    Files.delete(inTheWay);
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(data.register()).isEqualTo(ofTerm(1));
  }
}
