package io.baton.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.baton.agreement.Configuration;
import io.baton.agreement.Durable;
import io.baton.agreement.Message;
import io.baton.agreement.Publication;
import io.baton.algorithms.Refusal;
import io.baton.algorithms.Request;
import io.baton.algorithms.Token;
import io.baton.cluster.Wire.MalformedException;
import io.baton.member.ClusterState;
import io.baton.member.Letter;
import io.baton.member.Letter.Survivor;
import io.baton.member.Newcomer;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Shape;
import io.baton.member.View;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CodecTest {
  private static final Peer A = new Peer("a-1", 7);
  private static final Peer B = new Peer("b-2", 9);
  private static final View VIEW =
      new View(
          12,
          3,
          1,
          Shape.CUBE,
          List.of(new View.Place(A, "10.0.0.1:7420", 5), new View.Place(B, "[::1]:1", 1L << 40)));
  private static final ClusterState STATE = new ClusterState(VIEW, true, false, 7);
  private static final List<Survivor> SURVIVORS =
      List.of(new Survivor("x", 1, 77), new Survivor("käse", 0, 1L << 60));

  private static final String ONE = "00000000-0000-0000-0000-000000000001";

  private static List<Message> messages() {
    Configuration voters = Configuration.of("a", "b-2", "c");
    return List.of(
        new Message.Found(ONE, STATE, voters),
        new Message.Founded(ONE),
        new Message.Poll(1, 2, 3),
        new Message.Willing(4),
        new Message.TakeOver(5),
        new Message.Leaving(6),
        new Message.Released(7),
        new Message.StartTerm(8),
        new Message.Vote("", "b-2", 9, 10, 11, 12),
        new Message.Publish(ONE, new Publication(13, 14, STATE, voters), Configuration.of("d")),
        new Message.Accepted(15, 16),
        new Message.Commit(17, 18),
        new Message.Lacking(19, 20),
        new Message.Question(21, 22, 23),
        new Message.Standing(24, 25, 26));
  }

  static Stream<Frame> frames() {
    Stream<Letter.Body> bodies =
        Stream.of(
            new Letter.OfLock("x", new Request(1, 2), true),
            new Letter.OfLock("x".repeat(512), new Token(-1, 2, Long.MAX_VALUE), false),
            new Letter.OfLock("x", new Refusal(2), false),
            new Letter.Inquiry("x", -1, 5),
            new Letter.Busy("x", 5),
            new Letter.Withdrawn("x"),
            new Letter.Recall("😀", 5),
            new Letter.Report(SURVIVORS, true),
            new Letter.Settled(List.of(), false),
            new Letter.Force("x", 3),
            new Letter.Forced("x", 3, true));
    Stream<Packet> packets =
        Stream.concat(
            bodies.map(body -> new Packet.Mail(A, B, 1, 2, new Letter(3, 4, body))),
            Stream.of(
                new Packet.Mail(A, B, 0, 2, null),
                new Packet.Relayed(new Packet.Mail(A, B, 0, 2, null)),
                new Packet.Renewal(A, -5, 6),
                new Packet.Renewed(A, Long.MIN_VALUE),
                new Packet.Agreed(VIEW),
                new Packet.Join(new Newcomer("c-3", "host:1", 8, 5)),
                new Packet.InUse("c-3", 8),
                new Packet.Leave(B),
                new Packet.Renew(4)));
    Stream<Packet> votes = messages().stream().map(Packet.Vote::new);
    LockReport.Holder holder =
        new LockReport.Holder(
            "main", "thread 1", 17, 19, "nightly", List.of(new LockReport.Wait("y", 18)));
    LockReport report =
        new LockReport(
            "a-1", "x", holder, List.of("t1", "t2"), List.of("b-2"), true, "", "", 0, 99);
    LockReport another =
        new LockReport("a-1", "x", null, List.of(), List.of(), false, "b-2", "no lease", 3, 0);
    return Stream.concat(
        Stream.concat(packets, votes).map(Frame.Carried::new),
        Stream.of(
            new Frame.Hello(
                2, 2, "baton", UUID.randomUUID(), "a-1", 2, 3, 4, 5, true, "localhost:1"),
            new Frame.Refusal(Frame.Reason.IN_USE, "no"),
            new Frame.Ping(),
            new Frame.Founded(UUID.randomUUID()),
            new Frame.Known(Map.of("a-1", "localhost:1", "b-2", "localhost:2")),
            new Frame.Ask(5, ""),
            new Frame.Ask(5, "x"),
            new Frame.Answer(5, report),
            new Frame.Answer(5, another),
            new Frame.Answer(5, null)));
  }

  private static ByteBuf bytes(Frame frame) {
    ByteBuf bytes = Unpooled.buffer();
    assertThat(FrameCodec.put(bytes, frame)).isTrue();
    return bytes;
  }

  @ParameterizedTest
  @MethodSource("frames")
  void whatIsWrittenIsRead(Frame frame) {
    ByteBuf bytes = bytes(frame);
    assertThat(bytes.readInt()).isEqualTo(bytes.readableBytes());
    assertThat(FrameCodec.frame(bytes)).isEqualTo(frame);
  }

  @ParameterizedTest
  @MethodSource("frames")
  void whatIsCutOffOrTooLongIsRefused(Frame frame) {
    ByteBuf whole = bytes(frame).skipBytes(Integer.BYTES);
    for (int length = 0; length < whole.readableBytes(); length++) {
      ByteBuf cut = whole.slice(whole.readerIndex(), length);
      assertThatThrownBy(() -> FrameCodec.frame(cut)).isInstanceOf(MalformedException.class);
    }
    ByteBuf longer = whole.copy().writeByte(0);
    assertThatThrownBy(() -> FrameCodec.frame(longer)).isInstanceOf(MalformedException.class);
  }

  @Test
  void anyBytesAreReadOrRefusedAndNothingElse() {
    Random chance = new Random(1);
    for (int k = 0; k < 200_000; k++) {
      byte[] bytes = new byte[1 + chance.nextInt(60)];
      chance.nextBytes(bytes);
      bytes[0] = (byte) chance.nextInt(12);
      try {
        assertThat(FrameCodec.frame(Unpooled.wrappedBuffer(bytes))).isNotNull();
      } catch (MalformedException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  @Test
  void namesOfLocksAreCheckedWhereTheyArrive() {
    for (byte[] name :
        List.of(new byte[0], "x".repeat(513).getBytes(UTF_8), new byte[] {(byte) 0xC3, 0x28})) {
      ByteBuf bytes = Unpooled.buffer().writeByte(1).writeByte(1);
      for (Peer peer : List.of(A, B)) {
        Wire.putText(bytes, peer.id());
        bytes.writeLong(peer.incarnation());
      }
      bytes.writeLong(1).writeLong(1).writeBoolean(true).writeLong(1).writeLong(1);
      bytes.writeByte(2).writeShort(name.length).writeBytes(name).writeLong(5);
      assertThatThrownBy(() -> FrameCodec.frame(bytes)).isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void aFrameThatWouldBeTooLongIsNotWritten() {
    ByteBuf bytes = Unpooled.buffer();
    Map<String, String> places = new HashMap<>();
    for (int k = 0; k < 1_000; k++) {
      places.put("m-" + k, "a".repeat(100));
    }
    assertThat(FrameCodec.put(bytes, new Frame.Known(places))).isFalse();
    assertThat(bytes.readableBytes()).isZero();
  }

  @Test
  void allMembersWithTheLongestNamesFitIntoAFrame() {
    String id = "i".repeat(48 + 1 + 8);
    Newcomer newcomer = new Newcomer(id, "a".repeat(View.LONGEST_ADDRESS), Long.MAX_VALUE);
    ClusterState all =
        ClusterState.founded(Shape.CUBE, Collections.nCopies(View.MOST_MEMBERS, newcomer), false);
    Configuration voters = Configuration.of(id + "1", id + "2", id + "3");
    Message publish = new Message.Publish(ONE, new Publication(1, 2, all, voters), voters);
    bytes(new Frame.Carried(new Packet.Vote(publish)));
  }

  @Test
  void whatAVoterKeepsIsReadAsItWasWritten() {
    Configuration voters = Configuration.of("a", "b-2", "c");
    Publication accepted = new Publication(13, 14, STATE, voters);
    Durable state = new Durable(ONE, 15, accepted, Configuration.of("d"), 13, 5);
    for (Durable each : List.of(state, Durable.NONE)) {
      ByteBuf bytes = Unpooled.buffer();
      AgreementCodec.putDurable(bytes, each);
      assertThat(AgreementCodec.durable(bytes)).isEqualTo(each);
    }
  }

  /** A member would end by what it makes of these, or keep them for good. */
  @Test
  void whatNoVoterCanHaveSaidIsRefused() {
    Configuration voters = Configuration.of("a");
    for (Message message :
        List.of(
            new Message.Founded(""),
            new Message.Founded("no id"),
            new Message.Found("no id", STATE, voters),
            new Message.Found(ONE, STATE, Configuration.NONE),
            new Message.Publish(ONE, new Publication(1, 1, null, voters), voters),
            new Message.Publish(ONE, new Publication(1, 1, STATE, Configuration.NONE), voters),
            new Message.StartTerm(Long.MAX_VALUE),
            new Message.StartTerm(-1),
            new Message.Vote(ONE, "a", 1, 1, 1, -1))) {
      ByteBuf bytes = bytes(new Frame.Carried(new Packet.Vote(message)));
      bytes.skipBytes(Integer.BYTES);
      assertThatThrownBy(() -> FrameCodec.frame(bytes))
          .as(message.toString())
          .isInstanceOf(MalformedException.class);
    }
  }

  /** A kind that is added and not written would get lost without a word. */
  @Test
  void everyKindOfWhatIsSaidIsAmongTheseExamples() {
    List<Object> examples = new ArrayList<>(messages());
    frames()
        .forEach(
            frame -> {
              examples.add(frame);
              if (frame instanceof Frame.Carried carried) {
                examples.add(carried.packet());
                if (carried.packet() instanceof Packet.Mail mail && mail.letter() != null) {
                  examples.add(mail.letter().body());
                }
              }
            });
    Set<Class<?>> shown = examples.stream().map(Object::getClass).collect(Collectors.toSet());
    for (Class<?> kinds : List.of(Frame.class, Packet.class, Letter.Body.class, Message.class)) {
      assertThat(shown).as(kinds.getName()).contains(kinds.getPermittedSubclasses());
    }
  }
}
