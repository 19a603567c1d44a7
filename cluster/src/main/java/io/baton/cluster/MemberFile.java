package io.baton.cluster;

import io.baton.agreement.Durable;
import io.baton.cluster.Wire.MalformedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The form of the file in a data folder: properties, and a checksum of all that stands before it in
 * the last line.
 */
final class MemberFile {
  private static final String FORMAT = "format";
  private static final String VERSION = "1";
  private static final String CHECKSUM = "checksum=";

  private MemberFile() {}

  /** What is to be written. */
  static String text(Map<String, String> entries) throws IOException {
    Properties properties = new Properties();
    properties.putAll(entries);
    properties.setProperty(FORMAT, VERSION);
    StringWriter text = new StringWriter();
    properties.store(text, "Who this member of a Baton cluster is. Do not copy, do not edit.");
    return text + CHECKSUM + checksum(text.toString()) + "\n";
  }

  private static String checksum(String text) {
    CRC32C checksum = new CRC32C();
    checksum.update(text.getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(checksum.getValue());
  }

  /** What a file says, all of these keys included. */
  static Map<String, String> read(Path file, String... keys) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      throw damaged(file, "it is not text", e);
    }
    int last = text.lastIndexOf(CHECKSUM);
    if (last < 0) {
      throw damaged(file, "its end is missing", null);
    }
    String before = text.substring(0, last);
    if (!text.substring(last).equals(CHECKSUM + checksum(before) + "\n")) {
      throw damaged(file, "its checksum is wrong", null);
    }
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(before));
    } catch (IllegalArgumentException e) {
      throw damaged(file, String.valueOf(e.getMessage()), e);
    }
    String format = properties.getProperty(FORMAT, "");
    if (!format.equals(VERSION)) {
      throw new IOException(
          "%s has format %s, and this version of Baton knows format %s: start the version that wrote it"
              .formatted(file, format, VERSION));
    }
    Map<String, String> read = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> read.put(key, properties.getProperty(key)));
    for (String key : keys) {
      if (!read.containsKey(key)) {
        throw damaged(file, "it has no " + key, null);
      }
    }
    return Map.copyOf(read);
  }

  private static IOException damaged(Path file, String why, @Nullable Throwable cause) {
    return new IOException(
        "%s is damaged: %s. Delete the folder, and this member comes back as a new one"
            .formatted(file, why),
        cause);
  }

  /** What a voter must not forget, in a line. */
  static String text(Durable state) {
    ByteBuf bytes = Unpooled.buffer();
    AgreementCodec.putDurable(bytes, state);
    byte[] all = new byte[bytes.readableBytes()];
    bytes.readBytes(all);
    return Base64.getEncoder().encodeToString(all);
  }

  static Durable register(Path file, String line) throws IOException {
    try {
      return AgreementCodec.durable(Unpooled.wrappedBuffer(Base64.getDecoder().decode(line)));
    } catch (IllegalArgumentException | MalformedException e) {
      throw damaged(file, String.valueOf(e.getMessage()), e);
    }
  }
}
