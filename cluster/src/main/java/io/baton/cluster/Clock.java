package io.baton.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time that passes, in nanoseconds, by no wall clock. {@link System#nanoTime} may stand still
 * while a machine is suspended, so ten times a second it is compared with the time since the
 * machine was booted, and set forward by what it missed (R13).
 */
public final class Clock {
  private static final Logger LOG = LoggerFactory.getLogger(Clock.class);
  private static final long LOOK_EVERY = 100_000_000L;
  private static final long TOLERANCE = 50_000_000L; // boot time comes in hundredths of a second
  private static final Path UPTIME = Path.of("/proc/uptime");

  private final LongSupplier ticking;
  private final LongSupplier booted;
  private final long ahead; // of boot time before the ticking clock, at the beginning
  private final AtomicLong nextLook;
  private final AtomicLong missed = new AtomicLong();

  /**
   * A clock.
   *
   * @param ticking nanoseconds, never going back, perhaps standing still
   * @param booted nanoseconds that also count while the machine is suspended
   */
  Clock(LongSupplier ticking, LongSupplier booted) {
    this.ticking = ticking;
    this.booted = booted;
    long now = ticking.getAsLong();
    long since = booted.getAsLong();
    while (ticking.getAsLong() - now
        > TOLERANCE / 2) { // stopped in between, they do not belong together
      now = ticking.getAsLong();
      since = booted.getAsLong();
    }
    this.ahead = since - now;
    this.nextLook = new AtomicLong(now + LOOK_EVERY);
  }

  /** This machine's; where it tells no time since boot, a suspended machine goes unnoticed. */
  public static Clock ofThisMachine() {
    return Files.isReadable(UPTIME)
        ? new Clock(System::nanoTime, Clock::uptime)
        : new Clock(System::nanoTime, System::nanoTime);
  }

  /** This instant. */
  public long now() {
    long now = ticking.getAsLong();
    long look = nextLook.get();
    if (now - look >= 0 && nextLook.compareAndSet(look, now + LOOK_EVERY)) {
      compare();
    }
    return now + missed.get();
  }

  /** How much it has been set forward so far. */
  long missed() {
    return missed.get();
  }

  /** Compares with the time since boot now, even if this clock itself does not move at all. */
  void compare() {
    try {
      compareNow();
    } catch (UncheckedIOException e) {
      LOG.warn("Cannot tell the time since boot: {}", e.getMessage());
    } catch (StackOverflowError | OutOfMemoryError e) {
      // Of this thread: it needs the time all the same, and the next look is soon.
    }
  }

  /** Of several at once one counts: nothing is counted twice, and nobody waits. */
  private void compareNow() {
    long before = missed.get();
    long since = booted.getAsLong();
    long stood = since - ahead - ticking.getAsLong() - before;
    if (stood > TOLERANCE && missed.compareAndSet(before, before + stood)) {
      LOG.warn("The clock stood still for {} ms", stood / 1_000_000);
    }
  }

  private static long uptime() {
    try {
      String text = Files.readString(UPTIME, StandardCharsets.US_ASCII);
      return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1e9);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
