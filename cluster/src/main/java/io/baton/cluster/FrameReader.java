package io.baton.cluster;

import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.baton.cluster.Wire.MalformedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts what comes into frames. A length is looked at before anything is kept for it. (Netty's own
 * decoders are in an artifact that has another name in each of the versions that Baton runs on.)
 */
final class FrameReader extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(FrameReader.class);

  private final Connection connection;
  private @Nullable ByteBuf rest; // the beginning of a frame whose end has not come
  private boolean spoilt;

  FrameReader(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    ByteBuf before = rest;
    if (before != null) {
      rest = null;
      try {
        before.writeBytes(in);
      } finally {
        in.release();
      }
      in = before;
    }
    try {
      while (!spoilt && isFrameThere(context, in)) {
        Frame frame = next(context, in);
        if (frame != null) {
          context.fireChannelRead(frame);
        }
      }
      if (!spoilt && in.isReadable()) {
        rest = context.alloc().buffer(in.readableBytes()).writeBytes(in);
      }
    } finally {
      in.release();
    }
  }

  private boolean isFrameThere(ChannelHandlerContext context, ByteBuf in) {
    if (in.readableBytes() < Integer.BYTES) {
      return false;
    }
    int length = in.getInt(in.readerIndex());
    int longest = connection.isEstablished() ? FrameCodec.LONGEST : FrameCodec.LONGEST_HELLO;
    if (length < 1 || length > longest) {
      spoil(context, "a frame of " + length + " bytes, where " + longest + " are allowed");
      return false;
    }
    return in.readableBytes() >= Integer.BYTES + length;
  }

  private @Nullable Frame next(ChannelHandlerContext context, ByteBuf in) {
    int length = in.readInt();
    ByteBuf body = in.readSlice(length);
    try {
      return FrameCodec.frame(body);
    } catch (MalformedException e) {
      spoil(context, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private void spoil(ChannelHandlerContext context, String why) {
    spoilt = true;
    if (connection.isDue(why)) {
      LOG.warn("What comes from {} makes no sense: {}", connection.name(), why);
    }
    Transport.refuse(context.channel(), new Refusal(Reason.GARBAGE, "makes no sense: " + why));
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    ByteBuf left = rest;
    if (left != null) {
      rest = null;
      left.release();
    }
  }
}
