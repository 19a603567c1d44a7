package io.baton.simulator.cluster;

import io.baton.agreement.Durable;
import io.baton.simulator.random.Generator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What the disk of a machine holds of its voter. Writes take a while, one after the other; of those
 * that are under way when the process crashes, none, some or all may have come through.
 */
final class Disk {
  private record Write(Durable state, long ticket) {}

  private final Schedule schedule;
  private final Generator chance;
  private final long delay; // the longest of an ordinary write
  private final ArrayDeque<Write> underWay = new ArrayDeque<>();
  private Durable written = Durable.NONE;
  private long slowUntil;
  private int crashes;

  Disk(Schedule schedule, long delay, Generator chance) {
    this.schedule = schedule;
    this.delay = delay;
    this.chance = chance;
  }

  /** What is surely there. */
  Durable read() {
    return written;
  }

  /** Writes a state; the ticket is told once it is there for good, unless the process crashes. */
  void write(Durable state, long ticket, LongConsumer done) {
    underWay.add(new Write(state, ticket));
    if (underWay.size() == 1) {
      writeNext(done);
    }
  }

  private void writeNext(LongConsumer done) {
    int life = crashes;
    schedule.at(
        Math.max(slowUntil, schedule.now() + 1 + chance.nextLong(delay)),
        () -> {
          if (life == crashes) {
            Write write = underWay.remove();
            written = write.state();
            if (!underWay.isEmpty()) {
              writeNext(done);
            }
            done.accept(write.ticket());
          }
        });
  }

  /** Nothing that is written gets through for so long. */
  void hang(long length) {
    slowUntil = schedule.now() + length;
  }

  void heal() {
    slowUntil = 0;
  }

  /** The process crashes. */
  void crash() {
    List<Write> open = new ArrayList<>(underWay);
    int through = chance.nextInt(open.size() + 1);
    if (through > 0) {
      written = open.get(through - 1).state();
    }
    underWay.clear();
    crashes++;
  }

  /** All that was on it is gone. */
  void lose() {
    written = Durable.NONE;
    underWay.clear();
    crashes++;
  }
}
