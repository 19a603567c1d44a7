package io.baton.cluster;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Strings and lists in bytes. Whatever is read is checked against what is there before anything is
 * made of it.
 */
final class Wire {
  /** What came is not what members send each other. */
  static final class MalformedException extends RuntimeException {
    MalformedException(String message) {
      super(message);
    }
  }

  private Wire() {}

  static void putText(ByteBuf out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(bytes.length).writeBytes(bytes);
  }

  static String text(ByteBuf in, int longest) {
    need(in, Short.BYTES);
    int length = in.readUnsignedShort();
    if (length > longest) {
      throw new MalformedException("a text of " + length + " bytes, at most " + longest);
    }
    need(in, length);
    ByteBuffer bytes = in.nioBuffer(in.readerIndex(), length);
    in.skipBytes(length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedException("a text that is not valid UTF-8");
    }
  }

  static <T> void putList(ByteBuf out, List<T> list, BiConsumer<ByteBuf, T> each) {
    out.writeShort(list.size());
    list.forEach(element -> each.accept(out, element));
  }

  /** A list whose elements have so many bytes at least. */
  static <T> List<T> list(ByteBuf in, int least, Function<ByteBuf, T> each) {
    need(in, Short.BYTES);
    int size = in.readUnsignedShort();
    need(in, (long) size * least);
    List<T> list = new ArrayList<>(size);
    for (int k = 0; k < size; k++) {
      list.add(each.apply(in));
    }
    return list;
  }

  static long number(ByteBuf in) {
    need(in, Long.BYTES);
    return in.readLong();
  }

  static int small(ByteBuf in) {
    need(in, Integer.BYTES);
    return in.readInt();
  }

  static int kind(ByteBuf in) {
    need(in, 1);
    return in.readUnsignedByte();
  }

  static boolean flag(ByteBuf in) {
    int kind = kind(in);
    if (kind > 1) {
      throw new MalformedException("neither yes nor no: " + kind);
    }
    return kind == 1;
  }

  private static void need(ByteBuf in, long bytes) {
    if (in.readableBytes() < bytes) {
      throw new MalformedException("it ends after " + in.readableBytes() + " of " + bytes);
    }
  }
}
