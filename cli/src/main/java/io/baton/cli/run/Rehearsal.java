package io.baton.cli.run;

import io.baton.algorithms.Message;
import io.baton.simulator.system.LockSystem;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A node that talks to itself before it counts, so that its first message does not wait for classes
 * to be loaded: δ is to bound the delay of that one, too. What it says makes no sense to it and may
 * well break it, which nobody hears of.
 */
final class Rehearsal implements Host.Outlet {
  private static final int MOST = 20;

  private final DataOutputStream nowhere = new DataOutputStream(OutputStream.nullOutputStream());
  private final Queue<Report.Sent> sent = new ArrayDeque<>();

  private Rehearsal() {}

  static void of(Setup setup, LockSystem system) {
    Rehearsal rehearsal = new Rehearsal();
    Host host = new Host(setup.node(), system, setup.delta(), rehearsal);
    host.arrive(0, 0);
    for (int k = 0; k < MOST; k++) {
      Report.Sent next = rehearsal.sent.poll();
      if (next != null) {
        host.receive(next.to(), 0, Wire.message(ByteBuffer.wrap(Wire.bytes(next.message()))));
      }
      host.work();
    }
  }

  @Override
  public Report.Sent route(int to, Message message) {
    return new Report.Sent(to, Report.NOBODY, message);
  }

  @Override
  public void performed(Report report) {
    try {
      report.write(nowhere);
      sent.addAll(report.sent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
