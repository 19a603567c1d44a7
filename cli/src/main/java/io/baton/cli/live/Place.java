package io.baton.cli.live;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Where the process of a member runs.
 *
 * @param bind where it listens
 * @param address where others reach it
 * @param launcher what comes before the command that starts it
 * @param environment what it finds in its environment besides
 */
public record Place(
    String bind, String address, List<String> launcher, Map<String, String> environment) {
  private static final int LEAST_PORT = 12_000;
  private static final int PORTS = 16_000;

  /**
   * So many places on this machine, where nobody listens; below the ports that the system gives to
   * whoever dials, since a process may come back to its own.
   */
  public static List<Place> onLoopback(int count) throws IOException {
    List<Place> places = new ArrayList<>();
    int port = LEAST_PORT + new Random().nextInt(PORTS / 2);
    while (places.size() < count) {
      if (++port >= LEAST_PORT + PORTS) {
        throw new IOException("No free ports below " + port);
      }
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        String free = "127.0.0.1:" + socket.getLocalPort();
        places.add(new Place(free, free, List.of(), Map.of()));
      } catch (BindException e) {
        // Somebody is there: the next one.
      }
    }
    return places;
  }

  /** The same, with something in its environment. */
  Place with(Map<String, String> more) {
    return new Place(bind, address, launcher, more);
  }
}
