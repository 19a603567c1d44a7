package io.baton.cli.run;

import io.baton.algorithms.Message;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the process of a node tells its parent: one atomic step of the algorithm and its effects, or
 * how far the process has come.
 *
 * <p>A step is told before its effects leave the process, and has one moment, that of its
 * beginning: so by their moments all steps of all processes stand in an order in which every cause
 * precedes its effect.
 *
 * @param time {@link System#nanoTime}, which all processes of a machine share
 * @param subject the resource, the other node, or the port, by the kind
 * @param life of the other node
 * @param message what was received; null where nothing was
 * @param text what broke, and how; else empty
 */
record Report(
    Kind kind,
    long time,
    int subject,
    int life,
    @Nullable Message message,
    List<Sent> sent,
    List<Grant> grants,
    String text) {
  /** What happened. */
  enum Kind {
    /** The process waits for its peers at a port. */
    LISTENING,
    /** The process has all its channels, or has begun anew. */
    READY,
    /** A user has come to a seat that is taken. */
    QUEUE,
    /** A user has come, and its node asks for it. */
    ENTER,
    /** A user who had to queue has its turn: its node asks for it. */
    TURN,
    /** A user leaves. */
    EXIT,
    /** A message is handled. */
    RECEIVE,
    /** An alarm rings. */
    ALARM,
    /** The node comes back after a crash. */
    RECOVER,
    /** The node is told that a channel is gone. */
    LOST,
    /** The node is told that there is a channel. */
    FOUND,
    /** The node did what no node does. */
    BROKEN;

    private static final List<Kind> ALL = List.of(values());
  }

  /**
   * A message that sets out.
   *
   * @param life of who is to receive it; {@link #NOBODY}: it is lost
   */
  record Sent(int to, int life, Message message) {}

  /** A user is let in. */
  record Grant(int resource, long cargo) {}

  static final int NOBODY = -1;

  /** Nothing but how far the process has come. */
  static Report of(Kind kind, int subject) {
    return new Report(kind, System.nanoTime(), subject, 0, null, List.of(), List.of(), "");
  }

  void write(DataOutputStream out) throws IOException {
    out.writeByte(Kind.ALL.indexOf(kind));
    out.writeLong(time);
    out.writeInt(subject);
    out.writeInt(life);
    out.writeBoolean(message != null);
    if (message != null) {
      Wire.write(message, out);
    }
    out.writeInt(sent.size());
    for (Sent one : sent) {
      out.writeInt(one.to());
      out.writeInt(one.life());
      Wire.write(one.message(), out);
    }
    out.writeInt(grants.size());
    for (Grant grant : grants) {
      out.writeInt(grant.resource());
      out.writeLong(grant.cargo());
    }
    out.writeUTF(text);
    out.flush();
  }

  static Report read(DataInputStream in) throws IOException {
    Kind kind = Kind.ALL.get(in.readByte());
    long time = in.readLong();
    int subject = in.readInt();
    int life = in.readInt();
    Message message = in.readBoolean() ? Wire.read(in) : null;
    List<Sent> sent = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      sent.add(new Sent(in.readInt(), in.readInt(), Wire.read(in)));
    }
    List<Grant> grants = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      grants.add(new Grant(in.readInt(), in.readLong()));
    }
    return new Report(
        kind, time, subject, life, message, List.copyOf(sent), List.copyOf(grants), in.readUTF());
  }
}
