package io.baton.cluster;

import io.baton.member.Packet;

/** Takes packets to other members; some may get lost, those to one member keep their order. */
public interface Carrier extends AutoCloseable {
  /** Accepts a packet; it may wait for {@link #flush}. */
  void send(String to, Packet packet);

  /** Whatever was accepted goes out. */
  void flush();

  @Override
  void close();
}
