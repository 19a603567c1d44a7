package io.baton.cli.live;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The network between member processes: each is reached through here only, and each direction
 * between two of them can be slowed down or blocked. What is blocked is not lost but comes late, as
 * on a network that is mended before a connection is given up.
 */
public final class Wires implements Links {
  private static final int BLOCKED = -1;
  private static final int BUFFER = 16 << 10;
  private static final int LONGEST_HELLO = 1 << 10;
  private static final long GLANCE = TimeUnit.MILLISECONDS.toNanos(2);

  private final List<Place> behind;
  private final int members;
  private final AtomicIntegerArray delays; // milliseconds from one to another, or BLOCKED
  private final List<ServerSocket> doors = new ArrayList<>();
  private volatile boolean closed;

  /** Opens a door for each member, in front of where it listens. */
  public Wires(int members) throws IOException {
    this.behind = Place.onLoopback(members);
    this.members = members;
    this.delays = new AtomicIntegerArray(members * members);
    for (int k = 0; k < members; k++) {
      ServerSocket door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
      doors.add(door);
      int to = k;
      String address = behind.get(k).bind();
      int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
      thread("door-" + k, () -> accept(door, to, port));
    }
  }

  @Override
  public List<Place> places() {
    return IntStream.range(0, members)
        .mapToObj(
            k -> {
              String door = "127.0.0.1:" + doors.get(k).getLocalPort();
              return new Place(behind.get(k).bind(), door, List.of(), Map.of());
            })
        .toList();
  }

  @Override
  public void block(int from, int to) {
    delays.set(from * members + to, BLOCKED);
  }

  /** What one sends to another takes so many milliseconds. */
  public void slow(int from, int to, int millis) {
    delays.set(from * members + to, millis);
  }

  @Override
  public void mend() {
    for (int k = 0; k < members * members; k++) {
      delays.set(k, 0);
    }
  }

  private static void thread(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(ServerSocket door, int to, int port) {
    while (!closed) {
      try {
        Socket outer = door.accept();
        thread("wire", () -> connect(outer, to, port));
      } catch (IOException e) {
        return; // the door is shut
      }
    }
  }

  /** Reads who it is that dials from its hello, the first frame. */
  private void connect(Socket outer, int to, int port) {
    Socket inner = new Socket();
    try {
      outer.setTcpNoDelay(true);
      inner.setTcpNoDelay(true);
      DataInputStream in = new DataInputStream(outer.getInputStream());
      int length = in.readInt();
      if (length < 1 || length > LONGEST_HELLO) {
        throw new IOException("No hello");
      }
      byte[] hello = in.readNBytes(length);
      int from = member(hello);
      awaitOpen(from, to);
      inner.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      OutputStream out = inner.getOutputStream();
      byte[] whole = new byte[Integer.BYTES + length];
      whole[2] = (byte) (length >>> 8);
      whole[3] = (byte) length;
      System.arraycopy(hello, 0, whole, Integer.BYTES, length);
      out.write(whole);
      thread("wire-back", () -> carry(inner, outer, to, from));
      carry(outer, inner, from, to);
    } catch (IOException e) {
      shut(outer);
      shut(inner);
    }
  }

  /** Members are named by their number ({@link Fleet#name}), and an id begins with the name. */
  private int member(byte[] hello) throws IOException {
    String text = new String(hello, StandardCharsets.ISO_8859_1);
    for (int k = 0; k < members; k++) {
      if (text.contains(Fleet.name(k) + "-")) {
        return k;
      }
    }
    throw new IOException("Nobody known");
  }

  /** Waits while the way is blocked, and for as long as it takes. */
  private void awaitOpen(int from, int to) throws IOException {
    int place = from * members + to;
    int delay = delays.get(place);
    while (delay == BLOCKED) {
      if (closed) {
        throw new IOException("closed");
      }
      LockSupport.parkNanos(GLANCE);
      delay = delays.get(place);
    }
    if (delay > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(delay));
    }
  }

  private void carry(Socket source, Socket target, int from, int to) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      int read = in.read(buffer);
      while (read >= 0) {
        awaitOpen(from, to);
        out.write(buffer, 0, read);
        read = in.read(buffer);
      }
    } catch (IOException e) {
      // One side has gone; the other shall know.
    } finally {
      shut(source);
      shut(target);
    }
  }

  private static void shut(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (ServerSocket door : doors) {
      door.close();
    }
  }
}
