package io.baton.cluster;

import io.baton.cluster.Wire.MalformedException;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Frames in bytes and back: four bytes of length, one of kind, the rest. */
final class FrameCodec {
  /** The version of what is said here. */
  static final int VERSION = 2;

  /** The oldest that is still understood. */
  static final int OLDEST = 2;

  /** The length of a frame, without the bytes that tell it. */
  static final int LONGEST = 64 << 10;

  /** The same before a hello is accepted. */
  static final int LONGEST_HELLO = 1 << 10;

  private static final int MAGIC = 0x4261746e; // "Batn"
  private static final int LONGEST_NAME = 64;
  private static final int LONGEST_TEXT = 900;

  private FrameCodec() {}

  /** Appends a frame; where it would be too long, nothing. */
  static boolean put(ByteBuf out, Frame frame) {
    int start = out.writerIndex();
    out.writeInt(0);
    putBody(out, frame);
    int length = out.writerIndex() - start - Integer.BYTES;
    if (length > LONGEST) {
      out.writerIndex(start);
      return false;
    }
    out.setInt(start, length);
    return true;
  }

  private static void putBody(ByteBuf out, Frame frame) {
    if (frame instanceof Frame.Carried carried) {
      out.writeByte(1);
      PacketCodec.put(out, carried.packet());
    } else if (frame instanceof Frame.Ping) {
      out.writeByte(3);
    } else if (frame instanceof Frame.Hello hello) {
      out.writeByte(4);
      putHello(out, hello);
    } else if (frame instanceof Frame.Refusal refusal) {
      out.writeByte(5).writeByte(code(refusal.reason()));
      Wire.putText(out, refusal.text());
    } else if (frame instanceof Frame.Founded founded) {
      out.writeByte(6);
      putId(out, founded.clusterId());
    } else if (frame instanceof Frame.Ask ask) {
      out.writeByte(9).writeLong(ask.question());
      Wire.putText(out, ask.lock());
    } else if (frame instanceof Frame.Answer answer) {
      out.writeByte(10).writeLong(answer.question());
      LockReport report = answer.report();
      out.writeBoolean(report != null);
      if (report != null) {
        putReport(out, report);
      }
    } else if (frame instanceof Frame.Known known) {
      out.writeByte(11);
      Wire.putList(
          out,
          List.copyOf(known.addresses().entrySet()),
          (to, entry) -> {
            Wire.putText(to, entry.getKey());
            Wire.putText(to, entry.getValue());
          });
    } else {
      throw PacketCodec.unknown(frame);
    }
  }

  /** The frame in these bytes, all of them. */
  static Frame frame(ByteBuf in) {
    int kind = Wire.kind(in);
    Frame frame =
        switch (kind) {
          case 1 -> new Frame.Carried(PacketCodec.packet(in));
          case 3 -> new Frame.Ping();
          case 4 -> hello(in);
          case 5 -> new Frame.Refusal(reason(Wire.kind(in)), Wire.text(in, LONGEST_TEXT));
          case 6 -> new Frame.Founded(id(in));
          case 9 -> new Frame.Ask(Wire.number(in), Wire.text(in, PacketCodec.LONGEST_LOCK));
          case 10 -> new Frame.Answer(Wire.number(in), Wire.flag(in) ? report(in) : null);
          case 11 -> new Frame.Known(known(in));
          default -> throw new MalformedException("a frame of unknown kind " + kind);
        };
    if (in.isReadable()) {
      String name = frame.getClass().getSimpleName();
      throw new MalformedException(in.readableBytes() + " bytes too many in " + name);
    }
    return frame;
  }

  private static void putHello(ByteBuf out, Frame.Hello hello) {
    out.writeInt(MAGIC).writeInt(hello.oldest()).writeInt(hello.newest());
    Wire.putText(out, hello.cluster());
    putId(out, hello.clusterId());
    Wire.putText(out, hello.id());
    out.writeLong(hello.incarnation()).writeLong(hello.run()).writeLong(hello.process());
    out.writeLong(hello.lease()).writeBoolean(hello.founds());
    Wire.putText(out, hello.address());
  }

  /** A hello of another version is read as far as it can be understood. */
  private static Frame.Hello hello(ByteBuf in) {
    if (Wire.small(in) != MAGIC) {
      throw new MalformedException("not a member of a Baton cluster");
    }
    int oldest = Wire.small(in);
    int newest = Wire.small(in);
    if (oldest > VERSION || newest < OLDEST) {
      in.skipBytes(in.readableBytes());
      return new Frame.Hello(oldest, newest, "", Frame.NO_CLUSTER, "", 0, 0, 0, 0, false, "");
    }
    Frame.Hello hello =
        new Frame.Hello(
            oldest,
            newest,
            Wire.text(in, LONGEST_NAME),
            id(in),
            Wire.text(in, PacketCodec.LONGEST_ID),
            Wire.number(in),
            Wire.number(in),
            Wire.number(in),
            Wire.number(in),
            Wire.flag(in),
            Wire.text(in, PacketCodec.LONGEST_ADDRESS));
    if (newest > VERSION) { // it may have more to say, and speaks this version besides
      in.skipBytes(in.readableBytes());
    }
    return hello;
  }

  private static Map<String, String> known(ByteBuf in) {
    Map<String, String> addresses = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry :
        Wire.list(
            in,
            4,
            from ->
                Map.entry(
                    Wire.text(from, PacketCodec.LONGEST_ID),
                    Wire.text(from, PacketCodec.LONGEST_ADDRESS)))) {
      addresses.put(entry.getKey(), entry.getValue());
    }
    return addresses;
  }

  private static void putId(ByteBuf out, UUID id) {
    out.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
  }

  private static UUID id(ByteBuf in) {
    return new UUID(Wire.number(in), Wire.number(in));
  }

  private static int code(Frame.Reason reason) {
    return switch (reason) {
      case VERSION -> 1;
      case CLUSTER -> 2;
      case IN_USE -> 3;
      case SELF -> 4;
      case GARBAGE -> 5;
      case ALONE -> 6;
      case FULL -> 7;
    };
  }

  private static Frame.Reason reason(int code) {
    return switch (code) {
      case 1 -> Frame.Reason.VERSION;
      case 2 -> Frame.Reason.CLUSTER;
      case 3 -> Frame.Reason.IN_USE;
      case 4 -> Frame.Reason.SELF;
      case 5 -> Frame.Reason.GARBAGE;
      case 6 -> Frame.Reason.ALONE;
      case 7 -> Frame.Reason.FULL;
      default -> throw new MalformedException("a refusal for unknown reason " + code);
    };
  }

  private static void putReport(ByteBuf out, LockReport report) {
    Wire.putText(out, report.member());
    Wire.putText(out, report.lock());
    LockReport.Holder holder = report.holder();
    out.writeBoolean(holder != null);
    if (holder != null) {
      putHolder(out, holder);
    }
    Wire.putList(out, report.waiting(), Wire::putText);
    Wire.putList(out, report.members(), Wire::putText);
    out.writeBoolean(report.token());
    Wire.putText(out, report.towards());
    Wire.putText(out, report.obstacle());
    out.writeInt(report.permits());
    out.writeLong(report.fence());
  }

  private static void putHolder(ByteBuf out, LockReport.Holder holder) {
    Wire.putText(out, holder.name());
    Wire.putText(out, holder.owner());
    out.writeLong(holder.since());
    out.writeLong(holder.keptUntil());
    Wire.putText(out, holder.note());
    Wire.putList(
        out,
        holder.waitsFor(),
        (to, wait) -> {
          Wire.putText(to, wait.lock());
          to.writeLong(wait.wish());
        });
  }

  private static LockReport report(ByteBuf in) {
    return new LockReport(
        Wire.text(in, PacketCodec.LONGEST_ID),
        Wire.text(in, PacketCodec.LONGEST_LOCK),
        Wire.flag(in) ? holder(in) : null,
        Wire.list(in, 2, buffer -> Wire.text(buffer, LONGEST_TEXT)),
        Wire.list(in, 2, buffer -> Wire.text(buffer, PacketCodec.LONGEST_ID)),
        Wire.flag(in),
        Wire.text(in, PacketCodec.LONGEST_ID),
        Wire.text(in, LONGEST_TEXT),
        Wire.small(in),
        Wire.number(in));
  }

  private static LockReport.Holder holder(ByteBuf in) {
    return new LockReport.Holder(
        Wire.text(in, LONGEST_TEXT),
        Wire.text(in, LONGEST_TEXT),
        Wire.number(in),
        Wire.number(in),
        Wire.text(in, LONGEST_TEXT),
        Wire.list(
            in,
            10,
            buffer ->
                new LockReport.Wait(
                    Wire.text(buffer, PacketCodec.LONGEST_LOCK), Wire.number(buffer))));
  }
}
