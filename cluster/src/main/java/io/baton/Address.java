package io.baton;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** A host and a port. */
record Address(String host, int port) {
  static Address parse(String key, String text, int defaultPort) {
    String trimmed = text.trim();
    int colon = trimmed.lastIndexOf(':');
    boolean bare = colon < 0 || (trimmed.indexOf(':') != colon && !trimmed.contains("]:"));
    String host = bare ? trimmed : trimmed.substring(0, colon);
    String port = bare ? "" + defaultPort : trimmed.substring(colon + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    int number = port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : -1;
    if (host.isEmpty() && !bare) {
      host = "127.0.0.1"; // ":7420"
    }
    if (host.isEmpty() || number < 0 || number > 65_535) {
      throw new BatonException(
          key + " = " + text + " is no address: write host:port, with a port up to 65535");
    }
    return new Address(host, number);
  }

  /** What its host is called in numbers. */
  InetAddress resolved(String key) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new BatonException(key + " = " + this + ": there is no host of this name", e);
    }
  }

  InetSocketAddress socket() {
    return new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
