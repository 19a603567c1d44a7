package io.baton.cli.run;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the parent tells the process of a node. */
sealed interface Command {
  /**
   * Opens channels.
   *
   * @param peers whom to connect to
   * @param channels how many there will be, those included that others open
   */
  record Connect(List<Peer> peers, int channels) implements Command {}

  /** Where the process of a node listens. */
  record Peer(int node, int port) {}

  /** All channels are there: the algorithm begins, or comes back if this is not its first life. */
  record Begin() implements Command {}

  /**
   * A user comes.
   *
   * @param hold how long the user will stay in the critical section, in nanoseconds
   */
  record Enter(int resource, long hold) implements Command {}

  /** The process of another node has ended. */
  record Down(int node, boolean forGood) implements Command {}

  /** The algorithm begins anew, over the same channels. */
  record Renew() implements Command {}

  static void write(Command command, DataOutputStream out) throws IOException {
    if (command instanceof Connect connect) {
      out.writeByte('c');
      out.writeInt(connect.channels());
      out.writeInt(connect.peers().size());
      for (Peer peer : connect.peers()) {
        out.writeInt(peer.node());
        out.writeInt(peer.port());
      }
    } else if (command instanceof Begin) {
      out.writeByte('b');
    } else if (command instanceof Enter enter) {
      out.writeByte('e');
      out.writeInt(enter.resource());
      out.writeLong(enter.hold());
    } else if (command instanceof Down down) {
      out.writeByte('d');
      out.writeInt(down.node());
      out.writeBoolean(down.forGood());
    } else {
      out.writeByte('r');
    }
    out.flush();
  }

  /** Waits for the next; throws EOFException when the parent is gone. */
  static Command read(DataInputStream in) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case 'c' -> connect(in);
      case 'b' -> new Begin();
      case 'e' -> new Enter(in.readInt(), in.readLong());
      case 'd' -> new Down(in.readInt(), in.readBoolean());
      case 'r' -> new Renew();
      default -> throw new IOException("No command begins with " + kind);
    };
  }

  private static Connect connect(DataInputStream in) throws IOException {
    int channels = in.readInt();
    List<Peer> peers = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      peers.add(new Peer(in.readInt(), in.readInt()));
    }
    return new Connect(List.copyOf(peers), channels);
  }
}
