package io.baton.cluster;

import io.baton.cluster.Frame.Reason;
import io.baton.cluster.Frame.Refusal;
import io.baton.cluster.Wire.MalformedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cuts what comes into frames. A length is looked at before anything is kept for it. */
final class FrameReader extends ByteToMessageDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(FrameReader.class);

  private final Connection connection;
  private boolean spoilt;

  FrameReader(Connection connection) {
    this.connection = connection;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (spoilt) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int length = in.getInt(in.readerIndex());
    int longest = connection.isEstablished() ? FrameCodec.LONGEST : FrameCodec.LONGEST_HELLO;
    if (length < 1 || length > longest) {
      spoil(context, "a frame of " + length + " bytes, where " + longest + " are allowed");
    } else if (in.readableBytes() >= Integer.BYTES + length) {
      in.skipBytes(Integer.BYTES);
      try {
        out.add(FrameCodec.frame(in.readSlice(length)));
      } catch (MalformedException e) {
        spoil(context, String.valueOf(e.getMessage()));
      }
    }
  }

  private void spoil(ChannelHandlerContext context, String why) {
    spoilt = true;
    if (connection.isDue(why)) {
      LOG.warn("What comes from {} makes no sense: {}", connection.name(), why);
    }
    Transport.refuse(context.channel(), new Refusal(Reason.GARBAGE, "makes no sense: " + why));
  }
}
