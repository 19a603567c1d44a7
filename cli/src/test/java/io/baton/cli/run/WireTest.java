package io.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.baton.algorithms.Message;
import io.baton.algorithms.Request;
import io.baton.algorithms.Token;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireTest {
  static final List<Command> COMMANDS =
      List.of(
          new Command.Connect(List.of(new Command.Peer(1, 40_000), new Command.Peer(2, 50_000)), 7),
          new Command.Begin(),
          new Command.Enter(3, 500_000),
          new Command.Down(4, true),
          new Command.Renew());

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, 63, 64, -64, -65, 8191, 8192, Long.MAX_VALUE, Long.MIN_VALUE})
  void everyNumberComesBackAsItWas(long cargo) {
    Message token = new Token(-1, 3, cargo);
    assertThat(Wire.message(ByteBuffer.wrap(Wire.bytes(token)))).isEqualTo(token);
  }

  @Test
  void aSmallMessageTakesAFewBytes() {
    assertThat(Wire.bytes(new Request(5, 7))).hasSize(4);
  }

  @Test
  void aReportComesBackAsItWas() throws IOException {
    Report report =
        new Report(
            Report.Kind.RECEIVE,
            99,
            2,
            1,
            new Request(1, 2),
            List.of(new Report.Sent(4, Report.NOBODY, new Token(-1, 2, 64))),
            List.of(new Report.Grant(1, 17)),
            "what\nwhy");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    report.write(new DataOutputStream(bytes));
    assertThat(Report.read(in(bytes))).isEqualTo(report);
  }

  @ParameterizedTest
  @FieldSource("COMMANDS")
  void aCommandComesBackAsItWas(Command command) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Command.write(command, new DataOutputStream(bytes));
    assertThat(Command.read(in(bytes))).isEqualTo(command);
  }

  private static DataInputStream in(ByteArrayOutputStream bytes) {
    return new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
  }
}
