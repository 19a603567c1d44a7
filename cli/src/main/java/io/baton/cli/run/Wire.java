package io.baton.cli.run;

import io.baton.algorithms.Message;
import io.baton.algorithms.MessageCodec;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Messages as bytes. A number takes seven bits a byte, the lowest first, the eighth bit saying that
 * more follow; signs are folded in, so that nil takes one byte.
 */
final class Wire {
  private static final int MORE = 0x80;

  private Wire() {}

  static byte[] bytes(Message message) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    MessageCodec.write(message, number -> write(number, out));
    return out.toByteArray();
  }

  private static void write(long number, ByteArrayOutputStream out) {
    long rest = (number << 1) ^ (number >> 63);
    while ((rest & -MORE) != 0) {
      out.write((int) (rest | MORE));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  static Message message(ByteBuffer bytes) {
    return MessageCodec.read(() -> read(bytes));
  }

  private static long read(ByteBuffer bytes) {
    long folded = 0;
    byte next = (byte) MORE;
    for (int shift = 0; next < 0; shift += 7) {
      next = bytes.get();
      folded |= (long) (next & (MORE - 1)) << shift;
    }
    return (folded >>> 1) ^ -(folded & 1);
  }

  /** Writes a message so that {@link #read(DataInputStream)} finds its end. */
  static void write(Message message, DataOutputStream out) throws IOException {
    byte[] bytes = bytes(message);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static Message read(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return message(ByteBuffer.wrap(bytes));
  }
}
