package io.baton.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.baton.Baton;
import io.baton.BatonConfig;
import io.baton.cluster.Frame.Hello;
import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.baton.member.View;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who is no member is told so, and the member goes on. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StrangersTest {
  private static final long LEASE = 3_000_000_000L; // longer than it takes to say hello 127 times

  private final Baton member;
  private final int port;

  StrangersTest(@TempDir Path folder) {
    member =
        Baton.join(
            BatonConfig.builder()
                .cluster("guarded")
                .bind("127.0.0.1:0")
                .found(true)
                .data(folder)
                .lease(Duration.ofNanos(LEASE))
                .build());
    String address = member.status().members().get(0).address();
    port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  @AfterEach
  void theMemberIsUndisturbed() throws InterruptedException {
    member.lock("x").acquire().close();
    assertThat(member.status().members()).hasSize(1);
  }

  @AfterAll
  void close() {
    member.close();
  }

  private static Hello hello(String cluster, int oldest, int newest, String id) {
    return new Hello(
        oldest, newest, cluster, Frame.NO_CLUSTER, id, 0, 1, 4711, LEASE, false, "127.0.0.1:1");
  }

  private static ByteBuf bytes(Frame frame) {
    ByteBuf bytes = Unpooled.buffer();
    FrameCodec.put(bytes, frame);
    return bytes;
  }

  /** Says something, and reads the answer; null: the connection is closed without one. */
  private Frame say(ByteBuf bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
      return answer(socket);
    }
  }

  private static Frame answer(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] frame = in.readNBytes(in.readInt());
    return FrameCodec.frame(Unpooled.wrappedBuffer(frame));
  }

  private static void assertRefused(Frame answer, Reason reason, String text) {
    assertThat(answer).isInstanceOf(Refusal.class);
    assertThat(((Refusal) answer).reason()).isEqualTo(reason);
    assertThat(((Refusal) answer).text()).contains(text);
  }

  @Test
  void garbageIsRefused() throws IOException {
    byte[] garbage = new byte[500];
    new Random(1).nextBytes(garbage);
    assertRefused(say(Unpooled.wrappedBuffer(garbage)), Reason.GARBAGE, "makes no sense");
    byte[] http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8);
    assertRefused(say(Unpooled.wrappedBuffer(http)), Reason.GARBAGE, "makes no sense");
  }

  @Test
  void beforeAHelloOnlyLittleIsTaken() throws IOException {
    ByteBuf large = Unpooled.buffer().writeInt(FrameCodec.LONGEST_HELLO + 1).writeZero(2_000);
    assertRefused(say(large), Reason.GARBAGE, "where 1024 are allowed");
    ByteBuf negative = Unpooled.buffer().writeInt(-1);
    assertRefused(say(negative), Reason.GARBAGE, "a frame of -1 bytes");
  }

  @Test
  void whoSaysSomethingElseFirstIsTold() throws IOException {
    assertRefused(say(bytes(new Frame.Ping())), Reason.GARBAGE, "say hello first");
  }

  @Test
  void anotherClusterIsRefused() throws IOException {
    assertRefused(
        say(bytes(hello("other", 2, 2, "a"))),
        Reason.CLUSTER,
        "cluster \"guarded\", not \"other\"");
    Hello twin =
        new Hello(2, 2, "guarded", UUID.randomUUID(), "a", 0, 1, 4711, LEASE, false, "127.0.0.1:1");
    assertRefused(say(bytes(twin)), Reason.CLUSTER, "two were founded with one name");
  }

  @Test
  void oneMoreThanAViewHasRoomForIsRefusedUntilAnotherIsGone() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int k = 1; k < View.MOST_MEMBERS; k++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(socket);
        ByteBuf hello = bytes(hello("guarded", 2, 2, "peer" + k));
        hello.readBytes(socket.getOutputStream(), hello.readableBytes());
        assertThat(answer(socket)).isInstanceOf(Hello.class);
      }
      Frame refusal = say(bytes(hello("guarded", 2, 2, "late")));
      assertRefused(refusal, Reason.FULL, "there are 128 members here, and may be no more");
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    Frame answer;
    do {
      answer = say(bytes(hello("guarded", 2, 2, "late")));
    } while (answer instanceof Refusal);
    assertThat(answer).isInstanceOf(Hello.class);
  }

  @Test
  void anotherLeaseIsRefused() throws IOException {
    Hello other =
        new Hello(
            2, 2, "guarded", Frame.NO_CLUSTER, "a", 0, 1, 4711, 2 * LEASE, false, "127.0.0.1:1");
    assertRefused(say(bytes(other)), Reason.CLUSTER, "the lease is 3000 ms here, not 6000 ms");
  }

  @Test
  void aVersionThatIsNotSpokenIsRefusedAndTheNextOneIsWelcome() throws IOException {
    int next = FrameCodec.VERSION + 1;
    assertRefused(
        say(bytes(hello("guarded", next, next, "a"))), Reason.VERSION, "upgrade one at a time");
    ByteBuf longer = bytes(hello("guarded", FrameCodec.VERSION, next, "a")).writeLong(42);
    longer.setInt(0, longer.readableBytes() - Integer.BYTES);
    assertThat(say(longer))
        .as("with more to say than this version knows")
        .isInstanceOf(Hello.class);
    ByteBuf same = bytes(hello("guarded", FrameCodec.VERSION, FrameCodec.VERSION, "a"));
    same.writeLong(42).setInt(0, same.readableBytes() - Integer.BYTES);
    assertRefused(say(same), Reason.GARBAGE, "8 bytes too many in Hello");
  }

  @Test
  void whoClaimsAnIdentityInUseIsRefused() throws IOException {
    assertRefused(say(bytes(hello("guarded", 2, 2, member.id()))), Reason.IN_USE, "is running at");
    try (Socket first = new Socket(InetAddress.getLoopbackAddress(), port)) {
      ByteBuf hello = bytes(hello("guarded", 2, 2, "guest"));
      hello.readBytes(first.getOutputStream(), hello.readableBytes());
      assertThat(answer(first)).isInstanceOf(Hello.class);
      Hello twin =
          new Hello(
              2, 2, "guarded", Frame.NO_CLUSTER, "guest", 0, 1, 815, LEASE, false, "127.0.0.1:2");
      assertRefused(say(bytes(twin)), Reason.IN_USE, "guest is running at 127.0.0.1:1");
    }
  }

  @Test
  void aGuestThatTalksNonsenseLaterIsPutOut() throws IOException {
    for (ByteBuf nonsense :
        List.of(
            Unpooled.buffer().writeInt(FrameCodec.LONGEST + 1),
            Unpooled.buffer().writeInt(3).writeByte(1).writeByte(99).writeByte(0))) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        ByteBuf hello = bytes(hello("guarded", 2, 2, "guest"));
        hello.readBytes(socket.getOutputStream(), hello.readableBytes());
        assertThat(answer(socket)).isInstanceOf(Hello.class);
        nonsense.readBytes(socket.getOutputStream(), nonsense.readableBytes());
        Frame last = answer(socket);
        while (!(last instanceof Refusal)) {
          last = answer(socket);
        }
        assertRefused(last, Reason.GARBAGE, "makes no sense");
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void aGuestThatTurnsOutToBeOfAnotherClusterIsPutOut() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      ByteBuf both = bytes(hello("guarded", 2, 2, "guest"));
      FrameCodec.put(both, new Frame.Founded(UUID.randomUUID()));
      both.readBytes(socket.getOutputStream(), both.readableBytes());
      Frame last = answer(socket);
      while (!(last instanceof Refusal)) {
        last = answer(socket);
      }
      assertRefused(last, Reason.CLUSTER, "two were founded with one name");
    }
  }

  @Test
  void aGuestIsToldWhereTheMembersAre() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      ByteBuf hello = bytes(hello("guarded", 2, 2, "guest"));
      hello.readBytes(socket.getOutputStream(), hello.readableBytes());
      Frame last = answer(socket);
      while (!(last instanceof Frame.Known)) {
        last = answer(socket);
      }
      assertThat(((Frame.Known) last).addresses())
          .isEqualTo(Map.of(member.id(), "127.0.0.1:" + port));
    }
  }

  @Test
  void aTruncatedHelloIsForgottenWithItsConnection() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      ByteBuf hello = bytes(hello("guarded", 2, 2, "guest"));
      hello.readBytes(socket.getOutputStream(), 10);
      assertThat(socket.getInputStream().read()).isEqualTo(-1); // given up in time
    }
  }
}
