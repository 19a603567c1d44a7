package io.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.simulator.system.SystemSpec;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChildTest {
  /** Whoever adds waits until it is taken, as a reader does that is slower than the process. */
  private static final class SlowQueue extends SynchronousQueue<Child.Event> {
    private final CountDownLatch first = new CountDownLatch(1);

    @Override
    public boolean add(Child.Event event) {
      first.countDown();
      try {
        put(event);
        return true;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void whatAProcessReportedBeforeItWasKilledIsHeard() throws IOException, InterruptedException {
    SlowQueue events = new SlowQueue();
    SystemSpec spec = SystemSpec.of(SystemSpec.Wish.of("raymond", 2), 1);
    Child child = new Child(new Setup(spec, 0, 0, 1, 100), events);
    events.first.await();
    child.tell(new Command.Connect(List.of(), 0)); // no channel to wait for: it is ready
    while (child.process().getInputStream().available() == 0) {
      Thread.onSpinWait();
    }
    child.kill();
    child.process().waitFor();
    assertThat(Stream.of(kind(events), kind(events), kind(events)))
        .containsExactly("LISTENING", "READY", "its end");
  }

  private static String kind(SlowQueue events) throws InterruptedException {
    Report report = events.take().report();
    return report == null ? "its end" : report.kind().name();
  }
}
