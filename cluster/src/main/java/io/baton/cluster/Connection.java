package io.baton.cluster;

import io.baton.cluster.Frame.Hello;
import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. Who dialed says hello first; the other answers with its own hello or with a
 * refusal; after both, frames go either way. Lives on the loop.
 */
final class Connection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final int FIRST_BYTES = 512;

  private final Transport transport;
  private final Channel channel;
  private final @Nullable String dialed; // the address; null: the other side dialed
  private @Nullable Hello peer; // who it is, once accepted
  private @Nullable ByteBuf unsent;
  private long heard; // nanoseconds, of the last frame
  private boolean out; // whatever it says is not heard any more
  private boolean silent = true; // nothing sent since the last look

  Connection(Transport transport, Channel channel, @Nullable String dialed) {
    this.transport = transport;
    this.channel = channel;
    this.dialed = dialed;
  }

  @Nullable String dialed() {
    return dialed;
  }

  boolean isEstablished() {
    return peer != null;
  }

  Hello peer() {
    if (peer == null) {
      throw new IllegalStateException("Nobody has said hello");
    }
    return peer;
  }

  String name() {
    return peer == null ? String.valueOf(channel.remoteAddress()) : peer.id();
  }

  /** Whether something is worth a line: whoever is turned away may try again all the time. */
  boolean isDue(String text) {
    String host =
        channel.remoteAddress() instanceof InetSocketAddress address ? address.getHostString() : "";
    return transport.seldom().isDue(host + ": " + text, System.nanoTime());
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    heard = System.nanoTime();
    transport.opened(this);
    if (dialed != null) {
      var unused = Transport.writeAlone(channel, transport.self());
    }
  }

  void close() {
    var unused = channel.close();
  }

  /** Four times in as long as silence is borne: says something, or gives up. */
  void look() {
    if (System.nanoTime() - heard > transport.patience()) {
      LOG.info("Nothing heard from {} for {} ms", name(), transport.patience() / 1_000_000);
      close();
    } else if (silent && peer != null) {
      write(new Frame.Ping());
      flush();
    }
    silent = true;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Frame frame = (Frame) message;
    if (out) {
      return;
    }
    if (peer != null) {
      heard = System.nanoTime();
      transport.received(this, frame);
    } else if (frame instanceof Hello hello) {
      onHello(hello);
    } else if (frame instanceof Refusal refusal) {
      transport.refused(this, refusal);
      var unused = channel.close();
    } else {
      Transport.refuse(channel, new Refusal(Reason.GARBAGE, "say hello first"));
    }
  }

  void putOut(Refusal refusal) {
    LOG.warn("Put out {} at {}: {}", name(), channel.remoteAddress(), refusal.text());
    out = true;
    Transport.refuse(channel, refusal);
  }

  private void onHello(Hello hello) {
    Refusal objection = transport.objection(hello);
    if (objection != null) {
      if (objection.reason() != Reason.SELF && isDue(objection.text())) {
        LOG.warn("Refused {} at {}: {}", hello.id(), channel.remoteAddress(), objection.text());
      }
      transport.refused(this, objection);
      Transport.refuse(channel, objection);
      return;
    }
    peer = hello;
    heard = System.nanoTime();
    if (dialed == null) {
      var unused = Transport.writeAlone(channel, transport.self());
    }
    transport.established(this);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    transport.readAll();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (unsent != null) {
      unsent.release();
      unsent = null;
    }
    transport.closed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("Connection to {} broken", name(), cause);
    } else if (isDue(String.valueOf(cause.getMessage()))) {
      LOG.warn("Connection to {} broken", name(), cause);
    }
    var unused = channel.close();
    if (cause instanceof Error error) {
      transport.failed(error);
    }
  }

  /** Adds a frame to what goes out next; lost where the other side does not keep up. */
  void write(Frame frame) {
    if (!channel.isWritable()) {
      return;
    }
    if (unsent == null) {
      unsent = channel.alloc().buffer(FIRST_BYTES);
    }
    silent = false;
    if (!FrameCodec.put(unsent, frame)) {
      LOG.error("Too long for {}, not sent: {}", name(), frame.getClass().getSimpleName());
    }
  }

  void flush() {
    if (unsent != null) {
      var unused = channel.writeAndFlush(unsent, channel.voidPromise());
      unsent = null;
    }
  }
}
