package io.baton.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.cluster.Frame.Hello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TransportTest {
  private static final long HOUR = 3_600_000_000_000L;

  /** Hears that somebody is there, and no more. */
  private static class Ear implements Transport.Listener {
    private final BlockingQueue<String> met = new LinkedBlockingQueue<>();
    private final CountDownLatch connected = new CountDownLatch(1);
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private final CountDownLatch received = new CountDownLatch(1);

    @Override
    public boolean isMember(String id) {
      return false;
    }

    @Override
    public void met(String address, Hello peer) {
      met.add(address);
    }

    @Override
    public void connected(Hello peer) {
      connected.countDown();
    }

    @Override
    public void disconnected(String id) {
      disconnected.countDown();
    }

    @Override
    public void received(String from, Frame frame) {
      received.countDown();
    }

    @Override
    public void refused(String address, Frame.Refusal refusal) {}

    @Override
    public void unreachable(String address, String why) {}
  }

  /** One connection over it, until it takes everything and passes on nothing. */
  private static final class Pipe implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> ends = new CopyOnWriteArrayList<>();
    private volatile boolean swallowing;

    private Pipe() throws IOException {}

    private SocketAddress to(InetSocketAddress target) {
      start(
          () -> {
            Socket in = door.accept();
            Socket out = new Socket(target.getAddress(), target.getPort());
            ends.addAll(List.of(in, out));
            start(() -> copy(in, out));
            copy(out, in);
          });
      return door.getLocalSocketAddress();
    }

    private void copy(Socket from, Socket to) throws IOException {
      byte[] bytes = new byte[1024];
      int read = from.getInputStream().read(bytes);
      while (read > 0) {
        if (!swallowing) {
          to.getOutputStream().write(bytes, 0, read);
        }
        read = from.getInputStream().read(bytes);
      }
    }

    private interface Work {
      void run() throws IOException;
    }

    private static void start(Work work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (IOException e) {
                  // It is closed.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      door.close();
      for (Socket end : ends) {
        end.close();
      }
    }
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

  @Test
  void anErrorInAHandlerIsToldAndNotOnlyLogged() throws Exception {
    Ear broken =
        new Ear() {
          @Override
          public void received(String from, Frame frame) {
            throw new NoClassDefFoundError("planted");
          }
        };
    Ear thereEar = new Ear();
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    try (Transport here = new Transport("here", () -> hello("here"), true, HOUR);
        Transport there = new Transport("there", () -> hello("there"), true, HOUR)) {
      here.onFailure(failure::complete);
      here.listenWith(broken);
      there.listenWith(thereEar);
      InetSocketAddress at = here.bind(anyPort());
      there.loop().execute(() -> there.dial("here", at));
      thereEar.connected.await();
      there.send("here", new Frame.Ping());
      assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(NoClassDefFoundError.class);
    }
  }

  @Test
  void aLoopThatEndsByItselfIsTold() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    try (Transport here = new Transport("here", () -> hello("here"), true, HOUR)) {
      here.onFailure(failure::complete);
      var unused = here.loop().parent().shutdownGracefully();
      assertThat(failure.get(30, TimeUnit.SECONDS)).hasMessage("The event loop has ended");
    }
  }

  @Test
  void whoDialsAgainIsHeardAndAnsweredThoughAnEarlierConnectionLooksSound() throws Exception {
    Ear ear = new Ear();
    Ear thereEar = new Ear();
    try (Transport here = new Transport("here", () -> hello("here"), true, HOUR);
        Transport there = new Transport("there", () -> hello("there"), true, HOUR);
        Pipe pipe = new Pipe()) {
      here.listenWith(ear);
      there.listenWith(thereEar);
      InetSocketAddress at = here.bind(anyPort());
      there.loop().execute(() -> there.dial("through the pipe", pipe.to(at)));
      assertThat(thereEar.met.take()).isEqualTo("through the pipe");
      ear.connected.await();
      pipe.swallowing = true; // nobody sees that
      there.loop().execute(() -> there.dial("straight", at));
      assertThat(thereEar.met.take()).isEqualTo("straight");
      while (thereEar.received.getCount() > 0) { // here may not have heard the last hello yet
        here.send("there", new Frame.Ask(1, ""));
        thereEar.received.await(1, TimeUnit.MILLISECONDS);
      }
    }
  }
}
