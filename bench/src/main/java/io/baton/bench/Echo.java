package io.baton.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The floor: a round trip of 32 bytes over Netty between two processes, begun and awaited by a
 * thread of its own, as one who waits for a lock does.
 */
final class Echo {
  private static final int SIZE = 32;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1,
          task -> {
            Thread thread = new Thread(task, "echo");
            thread.setDaemon(true);
            return thread;
          },
          NioIoHandler.newFactory());
  private @Nullable Channel channel;
  private volatile boolean answered;
  private volatile @Nullable Thread waiting;

  /** Sends back whatever comes; the port. */
  int serve() {
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel accepted) {
                    accepted.pipeline().addLast(new Back());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  /** Connects to one that sends back. */
  void connect(int port) {
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(new Answers())
            .connect(InetAddress.getLoopbackAddress(), port)
            .syncUninterruptibly()
            .channel();
  }

  /** One round trip, in nanoseconds. */
  long ping() {
    Channel to = channel;
    if (to == null) {
      throw new IllegalStateException("Not connected");
    }
    waiting = Thread.currentThread();
    answered = false;
    long start = System.nanoTime();
    var unused = to.writeAndFlush(to.alloc().buffer(SIZE).writeZero(SIZE));
    while (!answered) {
      LockSupport.park(this);
    }
    return System.nanoTime() - start;
  }

  private static final class Back extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      var unused = context.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  private final class Answers extends ChannelInboundHandlerAdapter {
    private int read;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      read += bytes.readableBytes();
      bytes.release();
      if (read >= SIZE) {
        read -= SIZE;
        answered = true;
        LockSupport.unpark(waiting);
      }
    }
  }
}
