package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.cluster.Frame.Hello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TransportTest {
  private static final long HOUR = 3_600_000_000_000L;

  /** Hears that somebody is there, and no more. */
  private static final class Ear implements Transport.Listener {
    private final CountDownLatch connected = new CountDownLatch(1);
    private final CountDownLatch disconnected = new CountDownLatch(1);

    @Override
    public boolean isMember(String id) {
      return false;
    }

    @Override
    public void met(String address, Hello peer) {}

    @Override
    public void connected(Hello peer) {
      connected.countDown();
    }

    @Override
    public void disconnected(String id) {
      disconnected.countDown();
    }

    @Override
    public void received(String from, Frame frame) {}

    @Override
    public void refused(String address, Frame.Refusal refusal) {}

    @Override
    public void unreachable(String address, String why) {}
  }

  private static Hello hello(String id) {
    return new Hello(
        FrameCodec.OLDEST,
        FrameCodec.VERSION,
        "baton",
        Frame.NO_CLUSTER,
        id,
        0,
        1,
        id.hashCode(),
        HOUR,
        false,
        "127.0.0.1:1");
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @Test
  void whoeverIsConnectedSeesTheEndWhenItIsClosed() throws IOException, InterruptedException {
    Ear ear = new Ear();
    Ear thereEar = new Ear();
    try (Transport there = new Transport("there", () -> hello("there"), true, HOUR)) {
      Transport here = new Transport("here", () -> hello("here"), true, HOUR);
      here.listenWith(ear);
      there.listenWith(thereEar);
      InetSocketAddress at = here.bind(anyPort());
      there.loop().execute(() -> there.dial("here", at));
      try (Socket stranger = new Socket(at.getAddress(), at.getPort())) {
        stranger.setSoTimeout(10_000);
        ear.connected.await();
        thereEar.connected.await();
        here.close();
        assertThat(stranger.getInputStream().read()).isNegative();
      }
      thereEar.disconnected.await();
    }
  }
}
