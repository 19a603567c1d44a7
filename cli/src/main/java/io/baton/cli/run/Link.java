package io.baton.cli.run;

import io.baton.algorithms.Algorithm;
import io.baton.algorithms.Message;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a channel: a TCP connection to the process of another node, and frames on it. Never
 * waits: what the socket does not take now goes out when it can.
 *
 * <p>A frame is its length, a letter and its content: {@code h} says who speaks, {@code m} is a
 * message, {@code g} says that the oldest message not yet spoken of was got.
 */
final class Link {
  private static final int LENGTH = 4;
  private static final int FIRST_SIZE = 4096;

  private final SocketChannel socket;
  private final SelectionKey key;
  private ByteBuffer in = ByteBuffer.allocate(FIRST_SIZE); // from 0 to its position: unread
  private final Deque<ByteBuffer> out = new ArrayDeque<>();
  private final Deque<Message> underWay = new ArrayDeque<>(); // sent and not known to be got
  private boolean broken; // nothing goes out any more; what came in can still be read
  private boolean ended; // nothing comes in any more
  private boolean confirmed; // the other end was told that the first frame was got
  private int peer = Algorithm.NIL;
  private int life;

  Link(SocketChannel socket, Selector selector) throws IOException {
    this.socket = socket;
    socket.configureBlocking(false);
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    this.key = socket.register(selector, SelectionKey.OP_READ, this);
  }

  /** The node at the other end; nil as long as it has not said so. */
  int peer() {
    return peer;
  }

  /** Which life of that node. */
  int life() {
    return life;
  }

  /** Whether all that came has been read, and nothing more will. */
  boolean isOver() {
    return ended && !hasFrame();
  }

  /** Says who is at this end. */
  void greet(int node, int ownLife) {
    write(ByteBuffer.allocate(13).putInt(9).put((byte) 'h').putInt(node).putInt(ownLife).flip());
  }

  void send(Message message, boolean remember) {
    if (remember) {
      underWay.add(message);
    }
    byte[] bytes = Wire.bytes(message);
    ByteBuffer frame = ByteBuffer.allocate(LENGTH + 1 + bytes.length);
    write(frame.putInt(1 + bytes.length).put((byte) 'm').put(bytes).flip());
  }

  /** What was sent and not got, if nothing more comes from the other end. */
  List<Message> unsent() {
    return new ArrayList<>(underWay);
  }

  /** Remembers what can only be given back. */
  void keep(Message message) {
    underWay.add(message);
  }

  private void write(ByteBuffer frame) {
    out.add(frame);
    flush();
  }

  /** Writes as much as the socket takes. */
  void flush() {
    try {
      while (!broken && !out.isEmpty()) {
        socket.write(out.peek());
        if (out.peek().hasRemaining()) {
          key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
          return;
        }
        out.remove();
      }
      if (key.isValid()) {
        key.interestOps(SelectionKey.OP_READ);
      }
    } catch (IOException e) {
      broken = true;
    }
    if (broken) {
      out.clear();
    }
  }

  /** Takes in what has come. */
  void read() {
    try {
      int count = 1;
      while (count > 0) {
        if (!in.hasRemaining()) {
          in = ByteBuffer.allocate(2 * in.capacity()).put(in.flip());
        }
        count = socket.read(in);
      }
      ended = count < 0;
    } catch (IOException e) {
      ended = true; // the process at the other end is gone
    }
    if (ended) {
      broken = true;
      out.clear();
      key.cancel();
      close();
    }
  }

  private void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // it is gone, one way or the other
    }
  }

  private boolean hasFrame() {
    return in.position() >= LENGTH && in.position() >= LENGTH + in.getInt(0);
  }

  /**
   * The next message, or null where there is none that can be handled now. Reads all else that
   * comes before it.
   *
   * @param confirm whether the other end is to be told first. It must know before anything that
   *     this end does because of the message can be seen: else it might be given back what has had
   *     its effect
   */
  @Nullable Message next(boolean confirm) {
    while (hasFrame() && out.isEmpty()) {
      byte kind = in.get(LENGTH);
      if (kind == 'm' && confirm && !confirmed) {
        confirmed = true;
        write(ByteBuffer.allocate(LENGTH + 1).putInt(1).put((byte) 'g').flip());
      } else if (kind == 'm') {
        confirmed = false;
        return Wire.message(take());
      } else if (kind == 'g') {
        take();
        underWay.remove();
      } else {
        throw new IllegalStateException("A frame begins with " + kind);
      }
    }
    return null;
  }

  /** Reads who is at the other end, if it has said so; true when that is known. */
  boolean isGreeted() {
    if (peer == Algorithm.NIL && hasFrame()) {
      ByteBuffer greeting = take();
      peer = greeting.getInt();
      life = greeting.getInt();
    }
    return peer != Algorithm.NIL;
  }

  /** Takes off the first frame: its content. */
  private ByteBuffer take() {
    in.flip();
    byte[] content = new byte[in.getInt() - 1];
    in.get();
    in.get(content);
    in.compact();
    return ByteBuffer.wrap(content);
  }
}
