package io.baton.cluster;

import io.baton.cluster.Frame.Hello;
import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.baton.member.Packet;
import io.baton.member.View;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a member, all on one thread, its loop. Frames may be sent from any thread;
 * they go out together, at once where the loop has nothing else to do and after all that has been
 * read where it has. What cannot be sent gets lost: links send it again.
 */
final class Transport implements Carrier, Gathering.Post {
  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);
  private static final int CONNECT_MILLIS = 2_000;
  private static final int CLOSE_MILLIS = 1_000;
  private static final WriteBufferWaterMark MARK = new WriteBufferWaterMark(1 << 20, 2 << 20);

  /** What a member hears from its connections, on the loop. */
  interface Listener {
    /** Whether this is the id of a member. */
    boolean isMember(String id);

    /** This process answered at this address. */
    void met(String address, Hello peer);

    /** There is a connection to this process. */
    void connected(Hello peer);

    /** The last connection to it is gone. */
    void disconnected(String id);

    /** A frame comes from a process. */
    void received(String from, Frame frame);

    /** A process at this address does not talk to us. */
    void refused(String address, Refusal refusal);

    /** Nobody can be reached at this address. */
    void unreachable(String address, String why);
  }

  private record Outgoing(String to, Frame frame) {}

  private final Supplier<Hello> self;
  private final boolean listens;
  private final long patience; // nanoseconds of silence after which a connection is given up
  private final EventLoopGroup group;
  private final Seldom seldom = new Seldom(); // on the loop
  private final EventLoop loop;
  private final Queue<Outgoing> outbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean drains = new AtomicBoolean();
  private final Runnable drain = this::drainOnLoop;
  private volatile @Nullable Listener listener; // null: nobody is talked to yet
  private volatile @Nullable Channel door; // where this member listens
  private volatile boolean closing;
  private volatile Consumer<Throwable> failure = cause -> {};

  // On the loop.
  private final Set<Connection> open = new LinkedHashSet<>();
  private final Map<String, List<Connection>> peers = new LinkedHashMap<>();
  private final Set<String> dialing = new LinkedHashSet<>();
  private boolean reading; // what is sent waits until all that has come is read
  private final Set<Connection> touched = new LinkedHashSet<>();

  /**
   * Connections that are not made yet.
   *
   * @param self who this is, as of now
   * @param listens whether strangers are talked to
   */
  Transport(String name, Supplier<Hello> self, boolean listens, long patience) {
    this.self = self;
    this.listens = listens;
    this.patience = patience;
    this.group = oneThread(name);
    this.loop = group.next();
  }

  /** What replaces it in Netty 4.2 is not in 4.1, and Baton runs on both. */
  @SuppressWarnings("deprecation")
  private static EventLoopGroup oneThread(String name) {
    return new NioEventLoopGroup(1, Threads.named(name));
  }

  /** What to say of those that are turned away; on the loop. */
  Seldom seldom() {
    return seldom;
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  /** Where a connection tells of itself. */
  Listener listener() {
    Listener mine = listener;
    if (mine == null) {
      throw new IllegalStateException("Not started");
    }
    return mine;
  }

  /**
   * Has somebody told if this cannot go on: the loop ends by itself, or there is an Error on it.
   */
  void onFailure(Consumer<Throwable> action) {
    failure = action;
    var unused =
        loop.terminationFuture()
            .addListener(
                done -> {
                  if (!closing) {
                    action.accept(new IllegalStateException("The event loop has ended"));
                  }
                });
  }

  /** There was an Error on the loop; one of memory passes, and what was lost is sent again. */
  void failed(Error error) {
    if (!(error instanceof OutOfMemoryError)) {
      failure.accept(error);
    }
  }

  /** Does something on the loop, where nobody else would hear of an Error. */
  void perform(Runnable action) {
    try {
      action.run();
    } catch (Error e) {
      failed(e);
      throw e;
    }
  }

  /** From now on connections are made, and those of others welcome. */
  void listenWith(Listener newListener) {
    listener = newListener;
    long pause = patience / 4;
    var unused = loop.scheduleWithFixedDelay(this::look, pause, pause, TimeUnit.NANOSECONDS);
  }

  /** Listens; the address with the port that it got. */
  InetSocketAddress bind(InetSocketAddress address) throws IOException {
    ServerBootstrap server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, MARK)
            .childHandler(connections(null));
    ChannelFuture bound = server.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(bound.cause().getMessage(), bound.cause());
    }
    door = bound.channel();
    return (InetSocketAddress) door.localAddress();
  }

  private ChannelInitializer<Channel> connections(@Nullable String dialed) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        perform(() -> begin(channel)); // Netty would only close it
      }

      private void begin(Channel channel) {
        if (listener == null) { // who comes too early comes again
          var unused = channel.close();
          return;
        }
        Connection connection = new Connection(Transport.this, channel, dialed);
        channel.pipeline().addLast(new FrameReader(connection), connection);
      }
    };
  }

  /** Whether there is a connection to a process; on the loop. */
  boolean isConnected(String id) {
    return peers.containsKey(id);
  }

  /** To which processes there are connections; on the loop. */
  @Override
  public List<String> connected() {
    return List.copyOf(peers.keySet());
  }

  /** Tries to connect, unless it is trying; on the loop. */
  void dial(String address, SocketAddress socket) {
    if (!dialing.add(address)) {
      return;
    }
    var unused =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, MARK)
            .handler(connections(address))
            .connect(socket)
            .addListener(
                done -> {
                  if (!done.isSuccess()) {
                    perform(() -> unreachable(address, done.cause()));
                  }
                });
  }

  private void unreachable(String address, Throwable cause) {
    dialing.remove(address);
    listener().unreachable(address, String.valueOf(cause.getMessage()));
  }

  // What connections tell, on the loop.

  Hello self() {
    return self.get();
  }

  long patience() {
    return patience;
  }

  /** Why there will be no conversation with who says this; null: there will. */
  @Nullable Refusal objection(Hello hello) {
    Hello me = self();
    if (hello.oldest() > me.newest() || hello.newest() < me.oldest()) {
      return new Refusal(
          Reason.VERSION,
          "version %d to %d of the protocol is spoken here, not %d to %d: upgrade one at a time"
              .formatted(me.oldest(), me.newest(), hello.oldest(), hello.newest()));
    }
    if (hello.process() == me.process()) {
      return new Refusal(Reason.SELF, "this is you");
    }
    if (!hello.cluster().equals(me.cluster())) {
      return new Refusal(
          Reason.CLUSTER,
          "this is cluster \"%s\", not \"%s\"".formatted(me.cluster(), hello.cluster()));
    }
    if (!listens) {
      return new Refusal(Reason.ALONE, "this is a cluster of one, which nobody may join");
    }
    if (me.belongs() && hello.belongs() && !me.clusterId().equals(hello.clusterId())) {
      return otherCluster(me, hello);
    }
    if (hello.lease() != me.lease()) {
      return new Refusal(
          Reason.CLUSTER,
          "the lease is %d ms here, not %d ms: all members need the same"
              .formatted(me.lease() / 1_000_000, hello.lease() / 1_000_000));
    }
    List<Connection> known = peers.get(hello.id());
    if (known == null
        && peers.size() >= View.MOST_MEMBERS - 1
        && !listener().isMember(hello.id())) {
      return new Refusal(
          Reason.FULL,
          "there are %d members here, and may be no more".formatted(View.MOST_MEMBERS));
    }
    Hello same = known == null ? null : known.get(0).peer();
    same = hello.id().equals(me.id()) ? me : same;
    if (same != null && same.process() != hello.process()) {
      String where = same.address();
      return new Refusal(
          Reason.IN_USE, "identity in use: %s is running at %s".formatted(hello.id(), where));
    }
    return null;
  }

  static Refusal otherCluster(Hello me, Hello other) {
    return new Refusal(
        Reason.CLUSTER,
        "this is cluster \"%s\" with the id %s, not %s: two were founded with one name"
            .formatted(me.cluster(), me.clusterId(), other.clusterId()));
  }

  void opened(Connection connection) {
    open.add(connection);
  }

  private void look() {
    try {
      List.copyOf(open).forEach(Connection::look);
    } catch (RuntimeException e) {
      LOG.error("A defect, it goes on", e);
    } catch (Error e) {
      LOG.error("Connections could not be looked at", e);
      failed(e);
    }
  }

  /** Ends the connections to a process that turns out to be a stranger. */
  void putOut(String id, Refusal refusal) {
    List.copyOf(peers.getOrDefault(id, List.of())).forEach(each -> each.putOut(refusal));
  }

  void established(Connection connection) {
    Hello peer = connection.peer();
    boolean first = !peers.containsKey(peer.id());
    // The newest comes first: who dials again has perhaps lost a connection that looks sound here.
    peers.computeIfAbsent(peer.id(), id -> new ArrayList<>(2)).add(0, connection);
    dialed(connection);
    if (connection.dialed() != null) {
      listener().met(connection.dialed(), peer);
    }
    if (first) {
      listener().connected(peer);
    }
  }

  void refused(Connection connection, Refusal refusal) {
    dialed(connection);
    String address = connection.dialed();
    if (address != null) {
      listener().refused(address, refusal);
    }
  }

  private void dialed(Connection connection) {
    if (connection.dialed() != null) {
      dialing.remove(connection.dialed());
    }
  }

  void closed(Connection connection) {
    dialed(connection);
    open.remove(connection);
    touched.remove(connection);
    if (connection.isEstablished()) {
      String id = connection.peer().id();
      List<Connection> left = peers.get(id);
      if (left != null && left.remove(connection) && left.isEmpty()) {
        peers.remove(id);
        listener().disconnected(id);
      }
    }
  }

  void received(Connection connection, Frame frame) {
    reading = true;
    listener().received(connection.peer().id(), frame);
  }

  void readAll() {
    reading = false;
    drain();
  }

  // Sending.

  @Override
  public void send(String to, Packet packet) {
    outbox.add(new Outgoing(to, new Frame.Carried(packet)));
  }

  /** Sends any frame, from any thread. */
  @Override
  public void send(String to, Frame frame) {
    outbox.add(new Outgoing(to, frame));
    flush();
  }

  @Override
  public void flush() {
    if (loop.inEventLoop()) {
      if (!reading) {
        drain();
      }
    } else if (!outbox.isEmpty() && drains.compareAndSet(false, true)) {
      loop.execute(drain);
    }
  }

  private void drainOnLoop() {
    perform(this::drain);
  }

  private void drain() {
    drains.set(false);
    Outgoing next = outbox.poll();
    while (next != null) {
      List<Connection> ways = peers.get(next.to());
      if (ways != null) {
        Connection way = ways.get(0);
        way.write(next.frame());
        touched.add(way);
      }
      next = outbox.poll();
    }
    touched.forEach(Connection::flush);
    touched.clear();
  }

  @Override
  public void close() {
    closing = true;
    Channel listening = door;
    if (listening != null) {
      var unused = listening.close().awaitUninterruptibly(CLOSE_MILLIS);
    }
    if (!group.isShuttingDown()) { // which by itself leaves sockets open, and others waiting
      var unused = loop.submit(this::closeAll).awaitUninterruptibly(CLOSE_MILLIS);
    }
    boolean ended =
        group
            .shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
            .awaitUninterruptibly(2 * CLOSE_MILLIS); // the port is free for whoever starts next
    LOG.debug("Connections are closed: {}", ended);
  }

  private void closeAll() {
    List.copyOf(open).forEach(Connection::close);
  }

  /** Writes a frame where a conversation has not begun. */
  static ChannelFuture writeAlone(Channel channel, Frame frame) {
    ByteBuf bytes = channel.alloc().buffer();
    FrameCodec.put(bytes, frame);
    return channel.writeAndFlush(bytes);
  }

  /** Says why, and ends the connection. */
  static void refuse(Channel channel, Refusal refusal) {
    var unused = writeAlone(channel, refusal).addListener(ChannelFutureListener.CLOSE);
  }
}
