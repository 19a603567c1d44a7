package io.baton.algorithms;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class MessageCodecTest {
  private static final Stamp STAMP = new Stamp(3, 1L << 40);
  private static final RingToken RING_TOKEN = new RingToken(2, 1L << 35, 4, true, -9);
  private static final ByProcess<Stamp> STAMPS =
      ByProcess.<Stamp>empty().with(0, Stamp.NEVER).with(7, STAMP);
  private static final ByProcess<Integer> LIVES =
      ByProcess.<Integer>empty().with(1, 2).with(5, Integer.MAX_VALUE);
  private static final NetworkCensus CENSUS =
      new NetworkCensus(1, 2, 3, LIVES, ByProcess.empty())
          .with(4, NetworkCensus.Answer.NONE)
          .with(6, new NetworkCensus.Answer(5, 6, 7, STAMP, Long.MIN_VALUE));

  static final List<Message> MESSAGES =
      List.of(
          new Request(1, 2, true),
          new Request(3, 4),
          new Token(Algorithm.NIL, 2, Long.MAX_VALUE),
          new Token(1, 2, -1, List.of(3, 4)),
          new Refusal(3),
          new Anomaly(Algorithm.NIL),
          new Anomaly(5),
          new Anomaly.Notice(),
          new Enquiry(),
          new Enquiry.Answer(Enquiry.Outcome.STILL_INSIDE),
          new Enquiry.Answer(Enquiry.Outcome.LOST),
          new io.baton.algorithms.Test(3, true),
          new io.baton.algorithms.Test(4),
          new io.baton.algorithms.Test.Answer(io.baton.algorithms.Test.Verdict.KEPT),
          new Census(),
          new Census.Here(9),
          RING_TOKEN,
          new RingToken.Ack(RING_TOKEN),
          new RingJoin(STAMP),
          new RingJoin.Welcome(STAMP, 17, List.of(1L, -2L)),
          new NetworkRequest(1, STAMP, List.of(1, 2), List.of(3), List.of()),
          NetworkToken.FIRST,
          new NetworkToken(
              STAMPS, 3, STAMP, List.of(1), List.of(2, 3), STAMPS, ByProcess.empty(), 11, 12),
          new NetworkNews(LIVES, STAMPS, 5, STAMPS, ByProcess.empty(), null),
          new NetworkNews(LIVES, STAMPS, 5, STAMPS, STAMPS, CENSUS));

  @ParameterizedTest
  @FieldSource("MESSAGES")
  void aMessageComesBackAsItWas(Message message) {
    Deque<Long> numbers = new ArrayDeque<>();
    MessageCodec.write(message, numbers::add);
    assertThat(MessageCodec.read(numbers::remove)).isEqualTo(message);
    assertThat(numbers).isEmpty();
  }

  @Test
  void noMessageIsMissingHere() {
    Set<String> all =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.baton")
                .stream()
                .filter(type -> type.isAssignableTo(Message.class) && !type.isInterface())
                .map(JavaClass::getName)
                .collect(toSet());
    assertThat(all)
        .isEqualTo(MESSAGES.stream().map(message -> message.getClass().getName()).collect(toSet()));
  }

  @Test
  void whatNobodyNumberedIsRefused() {
    record Whisper(int sink) implements Message {}
    assertThatThrownBy(() -> MessageCodec.write(new Whisper(1), number -> {}))
        .hasMessageContaining("Whisper");
    assertThatThrownBy(() -> MessageCodec.read(() -> 99)).hasMessageContaining("99");
  }
}
