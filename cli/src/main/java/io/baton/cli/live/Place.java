package io.baton.cli.live;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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

  /** So many places on this machine, where nobody listens yet. */
  public static List<Place> onLoopback(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Place> places = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      sockets.add(socket);
      String free = "127.0.0.1:" + socket.getLocalPort();
      places.add(new Place(free, free, List.of(), Map.of()));
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return places;
  }

  /** The same, with something in its environment. */
  Place with(Map<String, String> more) {
    return new Place(bind, address, launcher, more);
  }
}
