package io.baton.cluster;

import io.baton.algorithms.Message;
import io.baton.algorithms.Refusal;
import io.baton.algorithms.Request;
import io.baton.algorithms.Token;
import io.baton.cluster.Wire.MalformedException;
import io.baton.member.ClusterState;
import io.baton.member.Letter;
import io.baton.member.Newcomer;
import io.baton.member.Packet;
import io.baton.member.Peer;
import io.baton.member.Shape;
import io.baton.member.View;
import io.netty.buffer.ByteBuf;

/** What members say, in bytes and back. */
final class PacketCodec {
  static final int LONGEST_LOCK = 512;
  static final int LONGEST_ID = 64;
  static final int LONGEST_ADDRESS = View.LONGEST_ADDRESS;
  private static final int LEAST_TEXT = 2;
  private static final int LEAST_PEER = LEAST_TEXT + 8;
  private static final int LEAST_SURVIVOR = LEAST_TEXT + 4 + 8;
  private static final int LEAST_PLACE = LEAST_PEER + LEAST_TEXT + 8;

  private PacketCodec() {}

  // Packets.

  static void put(ByteBuf out, Packet packet) {
    if (packet instanceof Packet.Mail mail) {
      out.writeByte(1);
      putMail(out, mail);
    } else if (packet instanceof Packet.Relayed relayed) {
      out.writeByte(2);
      putMail(out, relayed.mail());
    } else if (packet instanceof Packet.Renewal renewal) {
      out.writeByte(3);
      putPeer(out, renewal.from());
      out.writeLong(renewal.sent()).writeLong(renewal.view());
    } else if (packet instanceof Packet.Renewed renewed) {
      out.writeByte(4);
      putPeer(out, renewed.to());
      out.writeLong(renewed.sent());
    } else if (packet instanceof Packet.Agreed agreed) {
      out.writeByte(5);
      putView(out, agreed.view());
    } else if (packet instanceof Packet.Join join) {
      out.writeByte(6);
      putNewcomer(out, join.newcomer());
    } else if (packet instanceof Packet.InUse inUse) {
      out.writeByte(7);
      Wire.putText(out, inUse.id());
      out.writeLong(inUse.run());
    } else if (packet instanceof Packet.Leave leave) {
      out.writeByte(8);
      putPeer(out, leave.from());
    } else if (packet instanceof Packet.Vote vote) {
      out.writeByte(10);
      AgreementCodec.putMessage(out, vote.message());
    } else if (packet instanceof Packet.Renew renew) {
      out.writeByte(9);
      out.writeLong(renew.epoch());
    } else {
      throw unknown(packet);
    }
  }

  static Packet packet(ByteBuf in) {
    int kind = Wire.kind(in);
    return switch (kind) {
      case 1 -> mail(in);
      case 2 -> new Packet.Relayed(mail(in));
      case 3 -> new Packet.Renewal(peer(in), Wire.number(in), Wire.number(in));
      case 4 -> new Packet.Renewed(peer(in), Wire.number(in));
      case 5 -> new Packet.Agreed(view(in));
      case 6 -> new Packet.Join(newcomer(in));
      case 7 -> new Packet.InUse(Wire.text(in, LONGEST_ID), Wire.number(in));
      case 8 -> new Packet.Leave(peer(in));
      case 9 -> new Packet.Renew(Wire.number(in));
      case 10 -> new Packet.Vote(AgreementCodec.message(in));
      default -> throw new MalformedException("a packet of unknown kind " + kind);
    };
  }

  private static void putMail(ByteBuf out, Packet.Mail mail) {
    putPeer(out, mail.from());
    putPeer(out, mail.to());
    out.writeLong(mail.seq()).writeLong(mail.ack());
    Letter letter = mail.letter();
    out.writeBoolean(letter != null);
    if (letter != null) {
      out.writeLong(letter.view()).writeLong(letter.epoch());
      putBody(out, letter.body());
    }
  }

  private static Packet.Mail mail(ByteBuf in) {
    Peer from = peer(in);
    Peer to = peer(in);
    long seq = Wire.number(in);
    long ack = Wire.number(in);
    Letter letter = Wire.flag(in) ? new Letter(Wire.number(in), Wire.number(in), body(in)) : null;
    return new Packet.Mail(from, to, seq, ack, letter);
  }

  // Letters.

  private static void putBody(ByteBuf out, Letter.Body body) {
    if (body instanceof Letter.OfLock ofLock) {
      out.writeByte(1);
      Wire.putText(out, ofLock.lock());
      putMessage(out, ofLock.message());
      out.writeBoolean(ofLock.attempt());
    } else if (body instanceof Letter.Recall recall) {
      out.writeByte(2);
      Wire.putText(out, recall.lock());
      out.writeLong(recall.loan());
    } else if (body instanceof Letter.Report report) {
      out.writeByte(3);
      Wire.putList(out, report.survivors(), PacketCodec::putSurvivor);
      out.writeBoolean(report.last());
    } else if (body instanceof Letter.Settled settled) {
      out.writeByte(4);
      Wire.putList(out, settled.survivors(), PacketCodec::putSurvivor);
      out.writeBoolean(settled.last());
    } else if (body instanceof Letter.Force force) {
      out.writeByte(5);
      Wire.putText(out, force.lock());
      out.writeLong(force.fence());
    } else if (body instanceof Letter.Forced forced) {
      out.writeByte(6);
      Wire.putText(out, forced.lock());
      out.writeLong(forced.fence()).writeBoolean(forced.ended());
    } else if (body instanceof Letter.Inquiry inquiry) {
      out.writeByte(7);
      Wire.putText(out, inquiry.lock());
      out.writeLong(inquiry.loan()).writeInt(inquiry.question());
    } else if (body instanceof Letter.Busy busy) {
      out.writeByte(8);
      Wire.putText(out, busy.lock());
      out.writeInt(busy.question());
    } else if (body instanceof Letter.Withdrawn withdrawn) {
      out.writeByte(9);
      Wire.putText(out, withdrawn.lock());
    } else {
      throw unknown(body);
    }
  }

  /** Of a kind that was added and is not written yet. */
  static IllegalArgumentException unknown(Object value) {
    return new IllegalArgumentException("Cannot be written: " + value);
  }

  private static Letter.Body body(ByteBuf in) {
    int kind = Wire.kind(in);
    return switch (kind) {
      case 1 -> new Letter.OfLock(lock(in), message(in), Wire.flag(in));
      case 2 -> new Letter.Recall(lock(in), Wire.number(in));
      case 3 ->
          new Letter.Report(Wire.list(in, LEAST_SURVIVOR, PacketCodec::survivor), Wire.flag(in));
      case 4 ->
          new Letter.Settled(Wire.list(in, LEAST_SURVIVOR, PacketCodec::survivor), Wire.flag(in));
      case 5 -> new Letter.Force(lock(in), Wire.number(in));
      case 6 -> new Letter.Forced(lock(in), Wire.number(in), Wire.flag(in));
      case 7 -> new Letter.Inquiry(lock(in), Wire.number(in), Wire.small(in));
      case 8 -> new Letter.Busy(lock(in), Wire.small(in));
      case 9 -> new Letter.Withdrawn(lock(in));
      default -> throw new MalformedException("a letter of unknown kind " + kind);
    };
  }

  private static void putSurvivor(ByteBuf out, Letter.Survivor survivor) {
    Wire.putText(out, survivor.lock());
    out.writeInt(survivor.holder()).writeLong(survivor.loan());
  }

  private static Letter.Survivor survivor(ByteBuf in) {
    return new Letter.Survivor(lock(in), Wire.small(in), Wire.number(in));
  }

  private static void putMessage(ByteBuf out, Message message) {
    if (message instanceof Request request) {
      out.writeByte(1).writeInt(request.origin()).writeInt(request.sink());
    } else if (message instanceof Token token) {
      out.writeByte(2).writeInt(token.lender()).writeInt(token.sink()).writeLong(token.cargo());
    } else if (message instanceof Refusal refusal) {
      out.writeByte(3).writeInt(refusal.sink());
    } else {
      throw unknown(message);
    }
  }

  private static Message message(ByteBuf in) {
    int kind = Wire.kind(in);
    return switch (kind) {
      case 1 -> new Request(Wire.small(in), Wire.small(in));
      case 2 -> new Token(Wire.small(in), Wire.small(in), Wire.number(in));
      case 3 -> new Refusal(Wire.small(in));
      default -> throw new MalformedException("a message of unknown kind " + kind);
    };
  }

  private static String lock(ByteBuf in) {
    String name = Wire.text(in, LONGEST_LOCK);
    if (name.isEmpty()) {
      throw new MalformedException("a lock without a name");
    }
    return name;
  }

  // Members.

  private static void putPeer(ByteBuf out, Peer peer) {
    Wire.putText(out, peer.id());
    out.writeLong(peer.incarnation());
  }

  private static Peer peer(ByteBuf in) {
    return new Peer(Wire.text(in, LONGEST_ID), Wire.number(in));
  }

  static void putView(ByteBuf out, View view) {
    out.writeLong(view.number()).writeLong(view.epoch()).writeInt(view.founders());
    putShape(out, view.shape());
    Wire.putList(
        out,
        view.places(),
        (buffer, place) -> {
          putPeer(buffer, place.peer());
          Wire.putText(buffer, place.address());
          buffer.writeLong(place.run());
        });
  }

  static View view(ByteBuf in) {
    long number = Wire.number(in);
    long epoch = Wire.number(in);
    int founders = Wire.small(in);
    Shape shape = shape(in);
    View view =
        new View(
            number,
            epoch,
            founders,
            shape,
            Wire.list(
                in,
                LEAST_PLACE,
                buffer ->
                    new View.Place(
                        peer(buffer), Wire.text(buffer, LONGEST_ADDRESS), Wire.number(buffer))));
    if (founders < 0 || founders > view.places().size()) {
      throw new MalformedException("a view with " + founders + " founders");
    }
    return view;
  }

  private static void putShape(ByteBuf out, Shape shape) {
    out.writeByte(
        switch (shape) {
          case STAR -> 1;
          case BINARY -> 2;
          case CUBE -> 3;
        });
  }

  private static Shape shape(ByteBuf in) {
    int kind = Wire.kind(in);
    return switch (kind) {
      case 1 -> Shape.STAR;
      case 2 -> Shape.BINARY;
      case 3 -> Shape.CUBE;
      default -> throw new MalformedException("a tree of unknown shape " + kind);
    };
  }

  private static void putNewcomer(ByteBuf out, Newcomer newcomer) {
    Wire.putText(out, newcomer.id());
    Wire.putText(out, newcomer.address());
    out.writeLong(newcomer.run());
    out.writeLong(newcomer.deadSince());
  }

  private static Newcomer newcomer(ByteBuf in) {
    return new Newcomer(
        Wire.text(in, LONGEST_ID),
        Wire.text(in, LONGEST_ADDRESS),
        Wire.number(in),
        Wire.number(in));
  }

  // What is agreed on.

  static void putState(ByteBuf out, ClusterState state) {
    putView(out, state.view());
    out.writeBoolean(state.open());
    out.writeBoolean(state.alone());
    out.writeLong(state.lease());
  }

  static ClusterState state(ByteBuf in) {
    return new ClusterState(view(in), Wire.flag(in), Wire.flag(in), AgreementCodec.natural(in));
  }
}
